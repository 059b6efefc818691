import { isSettled, type RunError, type RunJob, type RunStatus, type TableEntry } from '@huntfleet/contract'
import type { Job } from 'bullmq'
import { explainAbort } from './abort-reason.ts'
import { collectEntries, entryFields } from './collect-entries.ts'
import type { JobEnvironment } from './job-environment.ts'
import { keepBetter } from './keep-better.ts'
import type { RunProcessor } from './processors.ts'
import type { RunNotes } from './run-notes.ts'
import { plannedField, type RunRecord, tableField } from './run-record.ts'
import { changeRunRecord, endRunRecord, getRun, readRunMarks } from './run-store.ts'
import { factsOf } from './table-facts.ts'

export interface SettleEnvironment extends JobEnvironment {
  readonly run: RunProcessor
  /** null: the application keeps none. */
  readonly notes: RunNotes | null
}

/**
 * How often it is tried to end a run with a manifest: a try that ends the worker counts as ten, since what it does may
 * be what ended the workers before. With a look every 30 s, storage may be away for a quarter of an hour.
 */
const patience = 30
const deathWeight = 10

/**
 * Ends a run that no job will end: tables without an entry get one that says why, and the manifest is published. Without
 * payload, or when storage stays away, only its record says that the run is lost. Another worker may do the same at the
 * same time: the manifest is created once, and the record is ended once.
 */
export async function settleRun(
  environment: SettleEnvironment,
  record: RunRecord,
  job: Job | undefined,
  payload: RunJob | null,
  cause: RunError,
): Promise<void> {
  const { fleet, log } = environment
  const { runId, retry } = record
  const tries = await changeRunRecord(fleet, runId, 'HINCRBY', 'settling', deathWeight)
  if (tries === null) return
  let end: { status: RunStatus; manifestKey: string | null; fields: Record<string, string> }
  // A run whose planning ended its workers is not planned once more.
  const isPoison = !record.planned && (await job?.isFailed()) === true
  if (payload === null || tries > patience || isPoison) {
    end = { status: 'lost', manifestKey: null, fields: {} }
  } else {
    try {
      end = await finish(environment, record, job, payload, cause)
    } catch (thrown) {
      await changeRunRecord(fleet, runId, 'HINCRBY', 'settling', 1 - deathWeight)
      log.warn('cannot end a lost run yet', { run: runId, error: String(thrown) })
      return
    }
  }
  if (payload !== null) await environment.notes?.end(payload).catch(() => {})
  const ended = await endRunRecord(fleet, runId, retry, { ...end, error: cause })
  if (ended) log.warn('run ended', { run: runId, status: end.status, error: cause.message })
}

async function finish(
  environment: SettleEnvironment,
  before: RunRecord,
  job: Job | undefined,
  payload: RunJob,
  cause: RunError,
): Promise<{ status: RunStatus; manifestKey: string | null; fields: Record<string, string> }> {
  const { fleet, run } = environment
  const context = {
    signal: explainAbort(environment.shutdown),
    attempt: 1,
    lastAttempt: true,
    log: async () => {},
    executing: async () => {},
  }
  const planned = before.planned ? null : await run.plan(payload, context)
  const fields: Record<string, string> = {}
  for (const spec of planned?.specs ?? [])
    fields[tableField('facts', spec.table)] = JSON.stringify(factsOf(spec))
  for (const [table, entry] of Object.entries(planned?.entries ?? {}))
    fields[tableField('entry', table)] = JSON.stringify(
      keepBetter(before.tables[table]?.before ?? null, { ...entry, retry: before.retry }),
    )
  if (planned !== null)
    await changeRunRecord(fleet, before.runId, 'HSET', ...Object.entries(fields).flat(), plannedField, '1')
  const record = (await getRun(fleet, before.runId)) ?? before
  const { cancelled } = await readRunMarks(fleet, record.runId, record.retry)
  const entries = await collectEntries(fleet, job ?? null, record, cancelled)
  const startedAt = record.startedAt ?? record.queuedAt
  const lost = cause.code === 'RUN_LOST' && !Object.values(entries).some(isThere)
  const { status, manifestKey } = await run.finish(payload, entries, { ...context, startedAt, lost })
  return { status, manifestKey, fields: entryFields(entries, record) }
}

function isThere({ path, outcome }: TableEntry): boolean {
  return path !== null || isSettled(outcome)
}
