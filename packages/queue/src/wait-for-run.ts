import { setTimeout as wait } from 'node:timers/promises'
import { RunError } from '@huntfleet/contract'
import type { Job, Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'
import { runJobId } from './job-ids.ts'
import { openQueue } from './open-queue.ts'
import { runQueue } from './queue-names.ts'
import { hasEnded, type RunRecord } from './run-record.ts'
import { endRunRecord, getRun } from './run-store.ts'
import { liveWorkers } from './worker-registry.ts'

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
  let isKnown = false
  for (let missed = 0; ; ) {
    signal.throwIfAborted()
    const record = await getRun(fleet, runId)
    if (record === null) throw unknownRun(runId, isKnown)
    isKnown = true
    options.onProgress?.(record)
    if (hasEnded(record.status)) return record
    const job = await queue.getJob(runJobId(runId, record.retry))
    missed = job === undefined || (await job.isFailed()) ? missed + 1 : 0
    if (missed >= looksUntilVanished) await callLost(fleet, record, job)
    await wait(options.pollMs ?? 500, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

function unknownRun(runId: string, wasKnown: boolean): RunError {
  if (!wasKnown) return new RunError('RUN_NOT_FOUND', `there is no run ${JSON.stringify(runId)}`)
  return new RunError('RUN_LOST', `the record of run ${runId} is gone: Redis lost its data`, {
    hint: 'workers report it as lost, with what was staged, if it had begun; else enqueue it again',
  })
}

/** Workers end a run whose job is gone, with a manifest; where none lives, its record at least says so. */
async function callLost(fleet: FleetRedis, { runId, retry }: RunRecord, job: Job | undefined): Promise<void> {
  if ((await liveWorkers(fleet)).length > 0) return
  const what = job === undefined ? 'is gone from its queue' : `failed: ${job.failedReason}`
  const error = new RunError('RUN_LOST', `the run’s job ${what}`, {
    hint: '`huntfleet runs retry` fetches what is missing, once a worker lives',
  })
  await endRunRecord(fleet, runId, retry, { status: 'lost', error })
}
