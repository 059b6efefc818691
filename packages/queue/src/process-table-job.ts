import {
  type Outcome,
  RunError,
  retriesJob,
  type TableEntry,
  type TableJob,
  tableEntrySchema,
  toRunError,
} from '@huntfleet/contract'
import type { Job } from 'bullmq'
import { abortError } from './abort-reason.ts'
import { entryOfFailure } from './entry-of-failure.ts'
import { reachTurn } from './fair-order.ts'
import { holdsLock } from './fenced-write.ts'
import { handBack } from './hand-back.ts'
import { type HeldJob, holdJob, type JobEnvironment, takePayload } from './job-environment.ts'
import { tableJobId } from './job-ids.ts'
import { keepBetter } from './keep-better.ts'
import type { TableContext, TableProcessor } from './processors.ts'
import { serverOf } from './queue-names.ts'
import { redisCheckpoint, removeCheckpoint } from './redis-checkpoint.ts'
import { openRunBudget } from './run-budget.ts'
import { untilDeadline } from './run-deadline.ts'
import { tableField } from './run-record.ts'
import { readRunMarks, writeRunRecord } from './run-store.ts'
import type { Semaphore } from './semaphore.ts'
import { factsOf } from './table-facts.ts'
import { toBullmqError } from './to-bullmq-error.ts'

export interface TableEnvironment extends JobEnvironment {
  readonly table: TableProcessor
  /** Slots of the whole process; a source's own limit is its queue's. */
  readonly slots: Semaphore
}

/** What remains in the job; the entry itself stands in the run's record. */
export interface TableResult {
  table: string
  outcome: string
  rows: number
}

/**
 * Carries out one table job: fetch, then write the entry into the run's record, fenced by the job's lock. The job
 * completes even if the table failed; it fails in BullMQ only for a bug or a forged payload, and it is tried again only
 * for errors whose code says so.
 */
export async function processTableJob(
  environment: TableEnvironment,
  job: Job,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<TableResult> {
  const held = holdJob(environment, job, token, signal)
  try {
    const payload = await takePayload('table', environment, held)
    checkPlace(payload, held)
    const entry = (await storedEntry(environment, payload)) ?? (await fetchEntry(environment, payload, held))
    return { table: payload.spec.table, outcome: entry.outcome, rows: entry.rows }
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown
    // Nobody waits for it any more, and what it fetched stands in no record.
    if (thrown.code === 'RUN_LOST') return { table: job.name, outcome: 'cancelled', rows: 0 }
    if (isHandedBack(thrown)) return handBack(job, held.token, environment.log)
    throw toBullmqError(thrown)
  }
}

/** A payload may be forged by whoever can write to Redis: it must stand where its own names say (SPEC section 16.1). */
function checkPlace({ runId, spec, retry }: TableJob, { id, job }: HeldJob): void {
  if (
    spec.runId === runId &&
    tableJobId(runId, spec.table, retry) === id &&
    factsOf(spec).server === serverOf(job.queueName)
  )
    return
  throw new RunError('PAYLOAD_INVALID', `job ${id} in queue ${job.queueName} carries another table’s payload`)
}

/** The entry of an earlier pass that died between writing it and completing the job. Its file is published already. */
async function storedEntry(
  { fleet }: JobEnvironment,
  { runId, spec }: TableJob,
): Promise<{ outcome: string; rows: number } | null> {
  const text = await fleet.redis.hget(fleet.keys.run(runId), tableField('entry', spec.table))
  return text === null ? null : JSON.parse(text)
}

async function fetchEntry(
  environment: TableEnvironment,
  payload: TableJob,
  held: HeldJob,
): Promise<TableEntry> {
  const { fleet } = environment
  const { runId, spec, retry } = payload
  const deadline = untilDeadline(held.context.signal, payload.deadlineAt)
  const write = (fields: Record<string, string>): Promise<void> =>
    writeRunRecord(fleet, held.fence, runId, fields)
  const afterwards: (() => Promise<void>)[] = []
  const store = async (fetched: TableEntry): Promise<TableEntry> => {
    const entry = keepBetter(await entryBefore(environment, payload), { ...fetched, retry })
    await write({ [tableField('entry', spec.table)]: JSON.stringify(entry) })
    for (const work of [() => removeCheckpoint(fleet, held.id), ...afterwards]) {
      await work().catch((error) =>
        environment.log.warn('left behind', { job: held.id, error: String(error) }),
      )
    }
    environment.log.debug('table entry stored', {
      run: runId,
      table: spec.table,
      outcome: entry.outcome,
      rows: entry.rows,
    })
    return entry
  }
  const context: TableContext = {
    ...held.context,
    signal: deadline.signal,
    budget: openRunBudget(fleet, runId, retry, payload.budget, deadline.signal),
    checkpoint: redisCheckpoint(environment, held),
    isOurs: () => holdsLock(fleet, held.fence),
    generation: Math.max(1, held.job.attemptsStarted),
    afterStored: (work) => void afterwards.push(work),
    progress: async (progress) => {
      await write({ [tableField('progress', spec.table)]: JSON.stringify(progress) })
      await held.job.updateProgress(progress)
    },
  }
  try {
    const marks = await readRunMarks(fleet, runId, retry)
    if (marks.over !== null) throw new RunError('RUN_LOST', `run ${runId} has ended: ${marks.over}`)
    if (marks.cancelled) throw abortError('CANCELLED')
    await reachTurn(fleet, factsOf(spec).server, held.job.priority)
    const release = await environment.slots.acquire(context.signal)
    try {
      await write({ [tableField('attempt', spec.table)]: String(context.attempt) })
      const entry = await environment.table(payload, context)
      if (cutShort.has(entry.outcome)) throwIfHandedBack(context.signal)
      return await store(entry)
    } finally {
      release()
    }
  } catch (thrown) {
    const error = asTableError(thrown, context.signal, payload)
    const outcome = outcomeOf(error, context.lastAttempt)
    if (outcome === null) throw error
    const entry = await store(entryOfFailure(factsOf(spec), outcome, error))
    // Somebody must look at a bug, so the job fails where the dashboard shows it.
    if (error.kind === 'bug') throw error
    return entry
  } finally {
    deadline.release()
  }
}

/** What an earlier execution of the run brought; null: this is the first. */
async function entryBefore({ fleet }: JobEnvironment, { runId, spec }: TableJob): Promise<TableEntry | null> {
  const text = await fleet.redis.hget(fleet.keys.run(runId), tableField('before', spec.table))
  return text === null ? null : tableEntrySchema.parse(JSON.parse(text))
}

/** How a table may look that was stopped only because its worker shut down; the next worker does better. */
const cutShort: ReadonlySet<Outcome> = new Set(['cancelled', 'failed', 'page_error'])

function throwIfHandedBack(signal: AbortSignal): void {
  if (signal.reason instanceof RunError && isHandedBack(signal.reason)) throw signal.reason
}

const isHandedBack = ({ code }: RunError): boolean => code === 'SHUTDOWN' || code === 'LOCK_LOST'

/** Whatever surfaces after an abort is a consequence of the abort. */
function asTableError(thrown: unknown, signal: AbortSignal, { spec }: TableJob): RunError {
  if (signal.aborted && signal.reason instanceof RunError) return signal.reason
  return toRunError(thrown, { table: spec.table, server: factsOf(spec).server })
}

/** How a table ends with this error; null: it does not end here. */
function outcomeOf(error: RunError, lastAttempt: boolean): 'cancelled' | 'failed' | null {
  if (isHandedBack(error) || error.code === 'RUN_LOST') return null
  if (error.code === 'CANCELLED') return 'cancelled'
  return retriesJob(error.code) && !lastAttempt ? null : 'failed'
}
