import { RunError, type RunJob, type RunStatus, retriesJob, toRunError } from '@huntfleet/contract'
import { DelayedError, type Job, WaitingChildrenError } from 'bullmq'
import { abortError } from './abort-reason.ts'
import { collectEntries } from './collect-entries.ts'
import { handBack } from './hand-back.ts'
import { type HeldJob, holdJob, takePayload } from './job-environment.ts'
import { type PlanEnvironment, planTables } from './plan-tables.ts'
import type { RunContext, RunProcessor } from './processors.ts'
import { tableField } from './run-record.ts'
import { getRun, readRunMarks, writeRunRecord } from './run-store.ts'
import { toBullmqError } from './to-bullmq-error.ts'

export interface RunEnvironment extends PlanEnvironment {
  readonly run: RunProcessor
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
    if (run.runId !== held.id)
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
  const set = (fields: Record<string, string>): Promise<void> =>
    writeRunRecord(fleet, held.fence, run.runId, fields)
  const context: RunContext = { ...held.context, executing: () => set({ status: 'executing' }) }
  const marks = await readRunMarks(fleet, run.runId)
  if (!marks.planned) {
    if (marks.cancelled) throw abortError('CANCELLED')
    await set({ status: 'staging', ...(marks.started ? {} : { startedAt: new Date().toISOString() }) })
    await planTables(environment, run, await environment.run.plan(run, context), held)
  }
  // Also after a crash between planning and this line, when the children are still running.
  if (await held.job.moveToWaitingChildren(held.token)) throw new WaitingChildrenError()
  const record = await getRun(fleet, run.runId)
  if (record === null) throw new RunError('INTERNAL', `the record of run ${run.runId} is gone from Redis`)
  const { cancelled } = await readRunMarks(fleet, run.runId)
  const entries = await collectEntries(fleet, held.job, record, cancelled)
  const made = Object.entries(entries).filter(([table]) => record.tables[table]?.entry === null)
  await set(
    Object.fromEntries(made.map(([table, entry]) => [tableField('entry', table), JSON.stringify(entry)])),
  )
  const { status, manifestKey } = await environment.run.finish(run, entries, {
    ...context,
    startedAt: record.startedAt ?? run.scheduledAt,
  })
  await set({
    status,
    finishedAt: new Date().toISOString(),
    ...(manifestKey === null ? {} : { manifestKey }),
  })
  environment.log.info('run ended', { run: run.runId, status })
  return { status }
}

/** Ends the pass after an error: hand the job back, have it tried again, or end the run. */
async function endFailed(environment: RunEnvironment, held: HeldJob, error: RunError): Promise<RunResult> {
  const { job, token, fence, id } = held
  if (error.code === 'SHUTDOWN' || error.code === 'LOCK_LOST') return handBack(job, token, environment.log)
  if (retriesJob(error.code) && !held.context.lastAttempt) throw toBullmqError(error)
  const status: RunStatus = error.code === 'CANCELLED' ? 'cancelled' : 'failed'
  const fields = { status, finishedAt: new Date().toISOString(), error: JSON.stringify(error) }
  try {
    await writeRunRecord(environment.fleet, fence, id, fields)
    // Nobody waits for tables that were queued before the run failed.
    await job.removeUnprocessedChildren()
  } catch (thrown) {
    if (thrown instanceof RunError && thrown.code === 'LOCK_LOST')
      return handBack(job, token, environment.log)
    throw thrown
  }
  environment.log.warn('run ended', { run: id, status, error: error.message })
  if (error.kind === 'bug' || error.code === 'PAYLOAD_INVALID') throw toBullmqError(error)
  return { status }
}
