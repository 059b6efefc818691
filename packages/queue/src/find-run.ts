import { RunError } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import type { RunRecord } from './run-record.ts'
import { getRun } from './run-store.ts'

/** The record of a run that must be there. Throws `RunError` RUN_NOT_FOUND. */
export async function findRun(fleet: FleetRedis, runId: string): Promise<RunRecord> {
  const record = await getRun(fleet, runId)
  if (record !== null) return record
  throw new RunError('RUN_NOT_FOUND', `there is no run ${JSON.stringify(runId)}`, {
    hint: '`huntfleet runs list` shows the runs of the last 30 days',
  })
}
