import { RunError, type RunStatus, runIdPattern, runStatuses } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { type Fence, fencedWrite } from './fenced-write.ts'
import { runRecordSeconds } from './job-catalog.ts'
import {
  hasEnded,
  openStatuses,
  parseRunRecord,
  parseRunSummary,
  plannedField,
  type RunHead,
  type RunRecord,
  type RunSummary,
  summaryFields,
} from './run-record.ts'

/** Reads and writes run records. */

const createScript = `
if redis.call('HEXISTS', KEYS[1], 'head') == 1 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'head', ARGV[1], 'status', 'queued', 'retry', ARGV[6], 'deadlineAt', ARGV[7])
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[3], ARGV[5], 'EX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3] - ARGV[2] * 1000)
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[4])
return 1`

/** What a record begins with. */
export interface NewRun {
  head: RunHead
  retry: number
  deadlineAt: string
  /** The payload as it goes into the queue. */
  sealed: object
}

/** Writes the record of a new run; false: there is one already, and it stays as it is. Fields without a record go. */
export async function createRunRecord({ redis, keys }: FleetRedis, run: NewRun): Promise<boolean> {
  const { runId, queuedAt } = run.head
  const where = [keys.run(runId), keys.runs, keys.payload(runId), keys.openRuns]
  const args = [JSON.stringify(run.head), runRecordSeconds, Date.parse(queuedAt), runId]
  args.push(JSON.stringify(run.sealed), run.retry, run.deadlineAt)
  return (await redis.eval(createScript, where.length, ...where, ...args)) === 1
}

/** An entry that is fetched again comes back where no new one came. */
const restoreEntries = `
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 7) == 'before:' then
    redis.call('HSETNX', KEYS[1], 'entry:' .. string.sub(field, 8), redis.call('HGET', KEYS[1], field))
  end
end`

const endScript = `
if redis.call('HGET', KEYS[1], 'status') == false or (redis.call('HGET', KEYS[1], 'retry') or '1') ~= ARGV[1] then return 0 end
local from = cjson.decode(ARGV[2])
local status = redis.call('HGET', KEYS[1], 'status')
for _, one in ipairs(from) do
  if status == one then
    redis.call('HSET', KEYS[1], unpack(ARGV, 3))
    ${restoreEntries}
    return 1
  end
end
return 0`

/** How a run ends that no worker holds. */
export interface RunEnd {
  status: RunStatus
  error: RunError | null
  /** null: as it was. */
  manifestKey?: string | null
  /** Further fields of the record. */
  fields?: Readonly<Record<string, string>>
}

/**
 * Ends an execution of a run that no worker holds, and only if its status is one of `from`; false: it was another.
 * For runs cancelled before they began, and for those whose job is gone.
 */
export async function endRunRecord(
  { redis, keys }: FleetRedis,
  runId: string,
  retry: number,
  end: RunEnd,
  from: readonly RunStatus[] = openStatuses,
): Promise<boolean> {
  const fields = {
    ...end.fields,
    status: end.status,
    finishedAt: new Date().toISOString(),
    ...(end.error === null ? {} : { error: JSON.stringify(end.error) }),
    ...(end.manifestKey == null ? {} : { manifestKey: end.manifestKey }),
  }
  const args = [String(retry), JSON.stringify(from), ...Object.entries(fields).flat()]
  return (await redis.eval(endScript, 1, keys.run(runId), ...args)) === 1
}

/**
 * Sets fields of a run's record. Throws `RunError` LOCK_LOST when the job has gone to another worker, or Redis takes no
 * writes; RUN_LOST when the run has ended without this job.
 */
export async function writeRunRecord(
  fleet: FleetRedis,
  fence: Fence,
  runId: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(fields).length === 0) return
  if (await fencedWrite(fleet, fence, fleet.keys.run(runId), runRecordSeconds, fields)) return
  throw new RunError('LOCK_LOST', `job ${fence.jobId} belongs to another worker now; nothing was written`)
}

const changeScript = `
if redis.call('HEXISTS', KEYS[1], 'head') == 0 then return false end
return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))`

/**
 * Changes a run's record for who looks after it without holding its job; null: there is no record (any more), and none
 * is begun. The command's own answer otherwise.
 */
export async function changeRunRecord(
  { redis, keys }: FleetRedis,
  runId: string,
  command: 'HSET' | 'HSETNX' | 'HDEL' | 'HINCRBY',
  ...args: readonly (string | number)[]
): Promise<number | null> {
  const answer = await redis.eval(changeScript, 1, keys.run(runId), command, ...args)
  return typeof answer === 'number' ? answer : null
}

/** The record of a run; null: there is none (any more). */
export async function getRun({ redis, keys }: FleetRedis, runId: string): Promise<RunRecord | null> {
  return runIdPattern.test(runId) ? parseRunRecord(await redis.hgetall(keys.run(runId))) : null
}

/** Where a run stands. */
export interface RunMarks {
  started: boolean
  /** Whether the table jobs exist. */
  planned: boolean
  cancelled: boolean
  deadlineAt: string | null
  /** Set when this execution of the run has ended, or another one has begun: its jobs have nothing left to do. */
  over: RunStatus | null
}

export async function readRunMarks(
  { redis, keys }: FleetRedis,
  runId: string,
  retry: number,
): Promise<RunMarks> {
  const names = [plannedField, 'startedAt', 'deadlineAt', 'status', 'retry'] as const
  const [[planned, startedAt, deadlineAt, text, current], cancelled] = await Promise.all([
    redis.hmget(keys.run(runId), ...names),
    redis.exists(keys.cancelFlag(runId)),
  ])
  const status = runStatuses.find((one) => one === text)
  const isOver = status !== undefined && (hasEnded(status) || Number(current ?? 1) !== retry)
  return {
    started: typeof startedAt === 'string',
    planned: planned === '1',
    cancelled: cancelled === 1,
    deadlineAt: deadlineAt ?? null,
    over: isOver ? status : null,
  }
}

export interface ListRunsOptions {
  /** Default: 50. */
  limit?: number
  strategy?: string
  hunt?: string
  status?: RunStatus
}

const listBatch = 100

/** Runs by the time they were queued, newest first. */
export async function listRuns(fleet: FleetRedis, options: ListRunsOptions = {}): Promise<RunSummary[]> {
  const limit = options.limit ?? 50
  const found: RunSummary[] = []
  for (let start = 0; found.length < limit; start += listBatch) {
    const ids = await fleet.redis.zrevrange(fleet.keys.runs, start, start + listBatch - 1)
    const summaries = await Promise.all(ids.map((id) => getSummary(fleet, id)))
    found.push(...summaries.filter((run) => run !== null).filter((run) => isWanted(run, options)))
    if (ids.length < listBatch) break
  }
  return found.slice(0, limit)
}

async function getSummary({ redis, keys }: FleetRedis, runId: string): Promise<RunSummary | null> {
  const values = await redis.hmget(keys.run(runId), ...summaryFields)
  return parseRunSummary(
    Object.fromEntries(summaryFields.map((field, index) => [field, values[index] ?? null])),
  )
}

function isWanted(run: RunSummary, { strategy, hunt, status }: ListRunsOptions): boolean {
  if (strategy !== undefined && run.strategy !== strategy) return false
  if (hunt !== undefined && run.hunt !== hunt) return false
  return status === undefined || run.status === status
}
