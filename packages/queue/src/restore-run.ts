import { type Manifest, manifestKey, RunError } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { sealPayload } from './payload.ts'
import { headOf } from './run-head.ts'
import { readRunPayload } from './run-payload.ts'
import { plannedField, tableField } from './run-record.ts'
import { createRunRecord } from './run-store.ts'

/**
 * Takes a run that has ended back into the records: what became of it from its manifest, how to run it again from its
 * payload. For records that Redis evicted or somebody removed. A record that is there stays as it is.
 * Throws `RunError` RUN_NOT_FOUND when the payload is gone too.
 */
export async function restoreRun(
  fleet: FleetRedis,
  manifest: Manifest,
  signingKey: string | null,
): Promise<void> {
  const { run_id: runId, retry } = manifest
  const payload = await readRunPayload(fleet, runId, signingKey)
  if (payload === null) {
    throw new RunError('RUN_NOT_FOUND', `the payload of run ${runId} is gone, so it cannot be run again`, {
      hint: 'enqueue its strategy with the parameters that its manifest has',
    })
  }
  const head = { ...headOf(payload), queuedAt: manifest.started_at }
  const sealed = sealPayload('run', payload, signingKey)
  if (!(await createRunRecord(fleet, { head, retry, deadlineAt: manifest.finished_at, sealed }))) return
  const entries = Object.entries(manifest.tables).map(([table, entry]) => [
    tableField('entry', table),
    JSON.stringify(entry),
  ])
  await fleet.redis.hset(fleet.keys.run(runId), {
    ...Object.fromEntries(entries),
    [plannedField]: '1',
    status: manifest.status,
    startedAt: manifest.started_at,
    finishedAt: manifest.finished_at,
    manifestKey: manifestKey(manifest.strategy, runId, retry),
  })
}
