import { RunError, type RunJob } from '@huntfleet/contract'
import type { Job, JobState } from 'bullmq'
import type { DataWatch } from './data-name.ts'
import { runJobId, tableJobId } from './job-ids.ts'
import { openQueue } from './open-queue.ts'
import { runQueue, sourceQueue } from './queue-names.ts'
import { reportLostRuns } from './report-lost-runs.ts'
import { deadlineError, isOverdue } from './run-deadline.ts'
import { readRunPayload } from './run-payload.ts'
import { hasEnded, type RunRecord } from './run-record.ts'
import { changeRunRecord, getRun } from './run-store.ts'
import { type SettleEnvironment, settleRun } from './settle-run.ts'

export interface SweepEnvironment extends SettleEnvironment {
  readonly data: DataWatch
  readonly timing: SweepTiming
}

export interface SweepTiming {
  /** How often a worker of the fleet looks after the runs that have not ended. Default 30 s. */
  sweepMs: number
  /** How long a run may be without a job, or without tables to wait for, before it is given up. Default 60 s. */
  vanishedMs: number
  /** How long after its deadline a run may take to stop its tables. Default 60 s. */
  graceMs: number
}

/** A run whose job and tables are in this state moves by itself. */
const underWay: ReadonlySet<JobState | 'unknown'> = new Set([
  'waiting',
  'active',
  'delayed',
  'prioritized',
  'waiting-children',
])

/**
 * Looks after the runs that have not ended, once in a while and in one worker at a time: no run hangs, whatever happens
 * to its jobs. What is past its deadline is stopped, what has no job any more is ended with what is known of it.
 */
export async function sweepRuns(environment: SweepEnvironment): Promise<void> {
  const { fleet, log, timing } = environment
  const { redis, keys } = fleet
  await environment.data.check()
  // Not given back: it says that this turn is taken. Two sweeps at once would do no harm.
  const isOurs = await redis.set(keys.sweep, '1', 'PX', Math.ceil(timing.sweepMs * 0.9), 'NX')
  if (isOurs === null) return
  for (const runId of await redis.zrange(keys.openRuns, '0', '-1')) {
    if (environment.shutdown.aborted) return
    await sweepRun(environment, runId).catch((error) =>
      log.warn('cannot look after a run', { run: runId, error: String(error) }),
    )
  }
  await reportLostRuns(environment)
}

/** Looks after one run. */
export async function sweepRun(environment: SweepEnvironment, runId: string): Promise<void> {
  const { fleet } = environment
  const record = await getRun(fleet, runId)
  if (record === null || hasEnded(record.status)) {
    await fleet.redis.zrem(fleet.keys.openRuns, runId)
    return
  }
  const queue = openQueue(fleet, runQueue)
  try {
    const job = await queue.getJob(runJobId(runId, record.retry))
    const cause = await causeOfEnd(environment, record, job)
    if (cause === null) {
      await changeRunRecord(fleet, runId, 'HDEL', 'suspect')
      return
    }
    if (!(await isGivenUp(environment, record, job))) return
    await settleRun(environment, record, job, await payloadOf(environment, runId), cause)
    await removeLeftovers(environment, record, job)
  } finally {
    await queue.close()
  }
}

/** Why a run will not end by itself; null: it moves. */
async function causeOfEnd(
  environment: SweepEnvironment,
  record: RunRecord,
  job: Job | undefined,
): Promise<RunError | null> {
  const state = (await job?.getState()) ?? 'unknown'
  if (record.deadlineAt !== null && isOverdue(record.deadlineAt)) {
    // It is at its end, or about to take it up.
    if (state === 'active') return null
    if (state === 'waiting-children') await job?.removeUnprocessedChildren()
    return deadlineError(record.deadlineAt)
  }
  if (state === 'waiting-children' && !(await hasTablesUnderWay(environment, record))) {
    return new RunError('RUN_LOST', 'the jobs of the run’s tables are gone from their queues', lostHint)
  }
  if (underWay.has(state)) return null
  // What its tables bring is worth waiting for.
  if (await hasTablesUnderWay(environment, record)) return null
  if (state !== 'failed') return new RunError('RUN_LOST', 'the run’s job is gone from its queue', lostHint)
  return new RunError('RUN_LOST', `the run’s job failed: ${job?.failedReason}`, {
    hint: `its worker died ${job?.stalledCounter} times; look for out-of-memory kills in the workers’ logs`,
  })
}

const lostHint = {
  hint: 'it was removed by hand, or Redis lost data; `huntfleet runs retry` fetches what is missing',
}

async function hasTablesUnderWay({ fleet }: SweepEnvironment, record: RunRecord): Promise<boolean> {
  for (const [table, { facts, entry }] of Object.entries(record.tables)) {
    if (facts === null || entry !== null) continue
    const queue = openQueue(fleet, sourceQueue(facts.server))
    try {
      const state = await queue.getJobState(tableJobId(record.runId, table, record.retry))
      if (underWay.has(state)) return true
    } finally {
      await queue.close()
    }
  }
  return false
}

/** A run in a state that may pass is given some time; a job that failed does not come back. */
async function isGivenUp(
  { fleet, timing }: SweepEnvironment,
  { runId, deadlineAt }: RunRecord,
  job: Job | undefined,
): Promise<boolean> {
  if (isOverdue(deadlineAt)) return isOverdue(deadlineAt, timing.graceMs)
  if ((await job?.isFailed()) === true) return true
  await changeRunRecord(fleet, runId, 'HSETNX', 'suspect', Date.now())
  const since = await fleet.redis.hget(fleet.keys.run(runId), 'suspect')
  return since !== null && Date.now() - Number(since) >= timing.vanishedMs
}

/** null: it is gone, or was forged. */
async function payloadOf(
  { fleet, signingKey, log }: SweepEnvironment,
  runId: string,
): Promise<RunJob | null> {
  try {
    return await readRunPayload(fleet, runId, signingKey)
  } catch (thrown) {
    log.warn('payload of a lost run', { run: runId, error: String(thrown) })
    return null
  }
}

/** Jobs of a run that has ended would only find out that they are late. */
async function removeLeftovers(
  { fleet }: SweepEnvironment,
  { runId, retry }: RunRecord,
  job: Job | undefined,
): Promise<void> {
  const ended = await getRun(fleet, runId)
  if (ended === null || !hasEnded(ended.status)) return
  for (const [table, { facts }] of Object.entries(ended.tables)) {
    if (facts === null) continue
    const queue = openQueue(fleet, sourceQueue(facts.server))
    // One that is being fetched cannot be removed; its worker finds that the run has ended.
    await queue.remove(tableJobId(runId, table, retry)).catch(() => {})
    await queue.close()
  }
  if ((await job?.isFailed()) !== true) await job?.remove().catch(() => {})
}
