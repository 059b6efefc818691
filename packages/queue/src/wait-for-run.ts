import { setTimeout as wait } from 'node:timers/promises'
import { RunError } from '@huntfleet/contract'
import type { Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'
import { openQueue } from './open-queue.ts'
import { runQueue } from './queue-names.ts'
import { hasEnded, type RunRecord } from './run-record.ts'
import { getRun } from './run-store.ts'
import { settleFailedRun, settleVanishedRun } from './settle-lost-run.ts'

export interface WaitOptions {
  /** Called with the record whenever it was read. */
  onProgress?: (record: RunRecord) => void
  /** Milliseconds between two looks; default 500. */
  pollMs?: number
}

/** A producer and `cancelRun` leave a run without a job for a moment, so one look is not enough to call it lost. */
const looksUntilVanished = 5

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
  const queue = openQueue(fleet, runQueue)
  try {
    return await poll(fleet, queue, runId, signal, options)
  } finally {
    await queue.close()
  }
}

async function poll(
  fleet: FleetRedis,
  queue: Queue,
  runId: string,
  signal: AbortSignal,
  options: WaitOptions,
): Promise<RunRecord> {
  for (let missed = 0; ; ) {
    signal.throwIfAborted()
    const record = await getRun(fleet, runId)
    if (record === null) throw new RunError('RUN_NOT_FOUND', `there is no run ${JSON.stringify(runId)}`)
    options.onProgress?.(record)
    if (hasEnded(record.status)) return record
    const job = await queue.getJob(runId)
    missed = job === undefined ? missed + 1 : 0
    if (job !== undefined) await settleFailedRun(fleet, job)
    else if (missed === looksUntilVanished) await settleVanishedRun(fleet, runId)
    await wait(options.pollMs ?? 500, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
