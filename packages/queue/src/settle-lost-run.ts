import { RunError, type RunStatus } from '@huntfleet/contract'
import type { Job } from 'bullmq'
import type { FleetRedis } from './connection.ts'
import { endRunRecord } from './run-store.ts'

/** Runs whose job has ended without a word in their record get the status `lost`; others stay as they are. */

const unsettled: readonly RunStatus[] = ['queued', 'staging', 'executing']

/** For a run's job that BullMQ gave up: its worker died once too often. */
export async function settleFailedRun(fleet: FleetRedis, job: Job): Promise<void> {
  if (job.id === undefined || !(await job.isFailed())) return
  const error = new RunError('INTERNAL', `the run's job failed: ${job.failedReason}`, {
    hint: `its worker died ${job.stalledCounter} times; look for out-of-memory kills in the workers’ logs`,
  })
  await endRunRecord(fleet, job.id, 'lost', error, unsettled)
}

/** For a run whose job is no longer in its queue. */
export async function settleVanishedRun(fleet: FleetRedis, runId: string): Promise<void> {
  const error = new RunError('INTERNAL', 'the run’s job is gone from its queue', {
    hint: 'it was removed by hand, or Redis lost data; run the hunt again',
  })
  await endRunRecord(fleet, runId, 'lost', error, unsettled)
}
