import { RunError, type RunJob, type RunStatus, retriesJob, toRunError } from '@huntfleet/contract'
import { DelayedError, type Job, WaitingChildrenError } from 'bullmq'
import { abortError } from './abort-reason.ts'
import { collectEntries, entryFields } from './collect-entries.ts'
import type { DataWatch } from './data-name.ts'
import { handBack } from './hand-back.ts'
import { type HeldJob, holdJob, takePayload } from './job-environment.ts'
import { runJobId, runOfRunJob } from './job-ids.ts'
import { type PlanEnvironment, planTables } from './plan-tables.ts'
import type { RunContext, RunProcessor } from './processors.ts'
import type { RunNotes } from './run-notes.ts'
import { plannedField, type RunRecord, tableField } from './run-record.ts'
import { getRun, type RunMarks, readRunMarks, writeRunRecord } from './run-store.ts'
import { toBullmqError } from './to-bullmq-error.ts'

export interface RunEnvironment extends PlanEnvironment {
  readonly run: RunProcessor
  readonly notes: RunNotes | null
  readonly data: DataWatch
}

/** What remains in the job; everything else stands in the run's record. */
export interface RunResult {
  status: RunStatus
}

/**
 * Carries out one pass of a run job. The first pass plans the tables and leaves the job waiting for its children; when
 * they have all ended BullMQ hands it out again and the last pass finishes the run. The status is in the run's record;
 * the job itself fails only for a bug or an invalid payload.
 */
export async function processRunJob(
  environment: RunEnvironment,
  job: Job,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const held = holdJob(environment, job, token, signal)
  try {
    const run = await takePayload('run', environment, held)
    if (runJobId(run.runId, run.retry) !== held.id)
      throw new RunError('PAYLOAD_INVALID', `job ${held.id} carries the payload of run ${run.runId}`)
    return await advance(environment, run, held)
  } catch (thrown) {
    if (thrown instanceof WaitingChildrenError || thrown instanceof DelayedError) throw thrown
    const aborted = held.context.signal.aborted ? held.context.signal.reason : thrown
    return endFailed(environment, held, toRunError(aborted))
  }
}

async function advance(environment: RunEnvironment, run: RunJob, held: HeldJob): Promise<RunResult> {
  const { fleet } = environment
  const { runId, retry } = run
  const set = (fields: Record<string, string>): Promise<void> =>
    writeRunRecord(fleet, held.fence, runId, fields)
  const context: RunContext = { ...held.context, executing: () => set({ status: 'executing' }) }
  const marks = await readRunMarks(fleet, runId, retry)
  if (marks.over !== null) throw new RunError('RUN_LOST', `run ${runId} has ended: ${marks.over}`)
  if (!marks.planned) {
    if (marks.cancelled) throw abortError('CANCELLED')
    await set({ status: 'staging', ...(marks.started ? {} : { startedAt: new Date().toISOString() }) })
    const plan = await environment.run.plan(run, context)
    await beginNote(environment, run, marks, held.job)
    await planTables(environment, run, plan, marks.deadlineAt, held)
  }
  // Also after a crash between planning and this line, when the children are still running.
  if (await held.job.moveToWaitingChildren(held.token)) throw new WaitingChildrenError()
  const record = await getRun(fleet, runId)
  if (record === null) throw new RunError('INTERNAL', `the record of run ${runId} is gone from Redis`)
  const { cancelled } = await readRunMarks(fleet, runId, retry)
  const entries = await collectEntries(fleet, held.job, record, cancelled)
  // Also when nothing is new: a worker that was frozen publishes nothing for a run that another has finished.
  await set({ [plannedField]: '1', ...entryFields(entries, record) })
  const finishing = { ...context, startedAt: record.startedAt ?? run.scheduledAt, lost: false }
  const { status, manifestKey } = await environment.run.finish(run, entries, finishing)
  // Before the record: from the manifest on nothing can be lost, and who waits for the end finds no note.
  if (status !== 'pending') await endNote(environment, run)
  await set({
    status,
    finishedAt: new Date().toISOString(),
    ...(manifestKey === null ? {} : { manifestKey }),
  })
  environment.log.info('run ended', { run: runId, status })
  return { status }
}

async function beginNote(
  { notes, data }: RunEnvironment,
  run: RunJob,
  { deadlineAt }: RunMarks,
  job: Job,
): Promise<void> {
  const startedAt = new Date().toISOString()
  await notes?.begin({ data: data.name, startedAt, deadlineAt, job: run, sealed: job.data })
}

/** A note that stays is removed by a sweep. */
async function endNote({ notes, log }: RunEnvironment, run: RunJob): Promise<void> {
  await notes?.end(run).catch((error) => log.warn('note of a run', { run: run.runId, error: String(error) }))
}

/** Ends the pass after an error: hand the job back, have it tried again, or end the run. */
async function endFailed(environment: RunEnvironment, held: HeldJob, error: RunError): Promise<RunResult> {
  const { job, token, fence } = held
  const runId = runOfRunJob(held.id)
  if (error.code === 'SHUTDOWN' || error.code === 'LOCK_LOST') return handBack(job, token, environment.log)
  if (error.code === 'RUN_LOST') return endLeftover(environment, held)
  if (retriesJob(error.code) && !held.context.lastAttempt) throw toBullmqError(error)
  const status: RunStatus = error.code === 'CANCELLED' ? 'cancelled' : 'failed'
  try {
    await writeRunRecord(environment.fleet, fence, runId, {
      ...restoredEntries((await getRun(environment.fleet, runId))?.tables ?? {}),
      status,
      finishedAt: new Date().toISOString(),
      error: JSON.stringify(error),
    })
    // Nobody waits for tables that were queued before the run failed.
    await job.removeUnprocessedChildren()
  } catch (thrown) {
    if (thrown instanceof RunError && thrown.code === 'LOCK_LOST')
      return handBack(job, token, environment.log)
    if (thrown instanceof RunError && thrown.code === 'RUN_LOST') return endLeftover(environment, held)
    throw thrown
  }
  environment.log.warn('run ended', { run: runId, status, error: error.message })
  if (error.kind === 'bug' || error.code === 'PAYLOAD_INVALID') throw toBullmqError(error)
  return { status }
}

/** The run ended without this job, which has nothing left to do. */
async function endLeftover({ fleet }: RunEnvironment, { job, id }: HeldJob): Promise<RunResult> {
  await job.removeUnprocessedChildren()
  return { status: (await getRun(fleet, runOfRunJob(id)))?.status ?? 'lost' }
}

/** The fields of tables that a retry ended without fetching. */
function restoredEntries(tables: RunRecord['tables']): Record<string, string> {
  const open = Object.entries(tables).filter(([, state]) => state.entry === null && state.before !== null)
  return Object.fromEntries(
    open.map(([table, { before }]) => [tableField('entry', table), JSON.stringify(before)]),
  )
}
