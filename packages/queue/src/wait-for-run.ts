import { setTimeout as wait } from 'node:timers/promises'
import { RunError } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { openQueue } from './open-queue.ts'
import { runQueue } from './queue-names.ts'
import { hasEnded, type RunRecord } from './run-record.ts'
import { endRunRecord, getRun } from './run-store.ts'

export interface WaitOptions {
  /** Called with the record whenever it was read. */
  onProgress?: (record: RunRecord) => void
  /** Milliseconds between two looks; default 500. */
  pollMs?: number
}

/**
 * Waits until a run has ended and resolves with its record. It looks at the record again and again: events would be
 * lost with a connection, and a run whose worker died goes on as soon as another worker takes it.
 * Rejects with the signal's reason, or with `RunError` RUN_NOT_FOUND.
 */
export async function waitForRun(
  fleet: FleetRedis,
  runId: string,
  signal: AbortSignal,
  options: WaitOptions = {},
): Promise<RunRecord> {
  for (;;) {
    signal.throwIfAborted()
    await settleLostRun(fleet, runId)
    const record = await getRun(fleet, runId)
    if (record === null) throw new RunError('RUN_NOT_FOUND', `there is no run ${JSON.stringify(runId)}`)
    options.onProgress?.(record)
    if (hasEnded(record.status)) return record
    await wait(options.pollMs ?? 500, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/**
 * Gives a run the status `lost` when its job failed without a word in the record: its worker died once too often, and
 * so did the one that was to say so.
 */
export async function settleLostRun(fleet: FleetRedis, runId: string): Promise<void> {
  const queue = openQueue(fleet, runQueue)
  try {
    const job = await queue.getJob(runId)
    if (job === undefined || !(await job.isFailed())) return
    const error = new RunError('INTERNAL', `the run's job failed: ${job.failedReason}`, {
      hint: `its worker died ${job.stalledCounter} times; look for out-of-memory kills in the workers’ logs`,
    })
    await endRunRecord(fleet, runId, 'lost', error, ['queued', 'staging', 'executing'])
  } finally {
    await queue.close()
  }
}
