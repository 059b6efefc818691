import type { FleetRedis } from './connection.ts'
import { findRun } from './find-run.ts'
import type { HeldJobs } from './held-jobs.ts'
import { runRecordSeconds } from './job-catalog.ts'
import { runJobId, tableJobId } from './job-ids.ts'
import { openQueue } from './open-queue.ts'
import type { QueueLog } from './queue-log.ts'
import { runQueue } from './queue-names.ts'
import { removeCheckpoint } from './redis-checkpoint.ts'
import { hasEnded, type RunRecord } from './run-record.ts'
import { endRunRecord } from './run-store.ts'

/** States of a job that no worker has taken. */
const untaken: readonly string[] = ['waiting', 'delayed', 'prioritized']

/**
 * Cancels a run: tables that wait are dropped, those being fetched are told to stop and keep their rows so far, and the
 * run ends as `cancelled`. A run that has not begun is cancelled when this resolves; one that has ended stays as it is.
 * Throws `RunError` RUN_NOT_FOUND. Resolves with the record as it is now.
 */
export async function cancelRun(fleet: FleetRedis, runId: string): Promise<RunRecord> {
  const before = await findRun(fleet, runId)
  if (hasEnded(before.status)) return before
  const { redis, keys } = fleet
  // The flag first: it holds for workers that start, or come back, later; the message only reaches those that listen.
  await redis.set(keys.cancelFlag(runId), '1', 'EX', runRecordSeconds)
  await redis.publish(keys.cancelChannel, runId)
  const queue = openQueue(fleet, runQueue)
  try {
    const jobId = runJobId(runId, before.retry)
    const job = await queue.getJob(jobId)
    await job?.removeUnprocessedChildren()
    // Of tables that are being fetched their workers remove them.
    for (const table of Object.keys(before.tables))
      await removeCheckpoint(fleet, tableJobId(runId, table, before.retry))
    const waits = job === undefined || untaken.includes(await job.getState())
    if (waits && !before.planned) {
      // A worker may take it between the two; it then finds the flag.
      const removed = job === undefined || (await queue.remove(jobId)) === 1
      const end = { status: 'cancelled', error: null } as const
      if (removed) await endRunRecord(fleet, runId, before.retry, end, ['queued', 'staging'])
    }
  } finally {
    await queue.close()
  }
  return findRun(fleet, runId)
}

/** Stops this process's jobs of runs as they are cancelled, until the returned function is called. */
export async function listenForCancels(
  fleet: FleetRedis,
  held: HeldJobs,
  log: QueueLog,
): Promise<() => void> {
  const { redis, keys } = fleet
  const subscriber = redis.duplicate()
  subscriber.on('error', (error) => log.warn('cancel channel', { error: error.message }))
  subscriber.on('message', (_channel, runId) => held.stopRun(runId, 'CANCELLED'))
  // What was published while the connection was down is found by its flag.
  const catchUp = async (): Promise<void> => {
    for (const runId of held.runs()) {
      if ((await redis.exists(keys.cancelFlag(runId))) === 1) held.stopRun(runId, 'CANCELLED')
    }
  }
  subscriber.on(
    'ready',
    () => void catchUp().catch((error) => log.warn('cancel flags', { error: String(error) })),
  )
  await subscriber.subscribe(keys.cancelChannel)
  return () => subscriber.disconnect()
}
