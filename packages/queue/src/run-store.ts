import { RunError, type RunStatus, runIdPattern } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { type Fence, fencedWrite } from './fenced-write.ts'
import { runRecordSeconds } from './job-catalog.ts'
import {
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
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'head', ARGV[1], 'status', 'queued')
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3] - ARGV[2] * 1000)
return 1`

/** Writes the record of a new run; false: there is one already, and it stays as it is. */
export async function createRunRecord({ redis, keys }: FleetRedis, head: RunHead): Promise<boolean> {
  const args = [JSON.stringify(head), runRecordSeconds, Date.parse(head.queuedAt), head.runId]
  return (await redis.eval(createScript, 2, keys.run(head.runId), keys.runs, ...args)) === 1
}

const unfencedScript = `
local status = redis.call('HGET', KEYS[1], 'status')
for i = 4, #ARGV do
  if status == ARGV[i] then
    redis.call('HSET', KEYS[1], 'status', ARGV[1], 'finishedAt', ARGV[2])
    if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'error', ARGV[3]) end
    return 1
  end
end
return 0`

/**
 * Ends a run that no worker holds, and only if its status is one of `from`; false: it was another.
 * For runs cancelled before they began, and for those whose worker died once too often.
 */
export async function endRunRecord(
  { redis, keys }: FleetRedis,
  runId: string,
  status: RunStatus,
  error: RunError | null,
  from: readonly RunStatus[],
): Promise<boolean> {
  const args = [status, new Date().toISOString(), error === null ? '' : JSON.stringify(error), ...from]
  return (await redis.eval(unfencedScript, 1, keys.run(runId), ...args)) === 1
}

/** Sets fields of a run's record; throws `RunError` LOCK_LOST when the job has gone to another worker. */
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

/** The record of a run; null: there is none (any more). */
export async function getRun({ redis, keys }: FleetRedis, runId: string): Promise<RunRecord | null> {
  return runIdPattern.test(runId) ? parseRunRecord(await redis.hgetall(keys.run(runId))) : null
}

/** Whether a run has begun, whether its table jobs exist, and whether it has been cancelled. */
export async function readRunMarks(
  { redis, keys }: FleetRedis,
  runId: string,
): Promise<{ started: boolean; planned: boolean; cancelled: boolean }> {
  const [[planned, startedAt], cancelled] = await Promise.all([
    redis.hmget(keys.run(runId), plannedField, 'startedAt'),
    redis.exists(keys.cancelFlag(runId)),
  ])
  return { started: typeof startedAt === 'string', planned: planned === '1', cancelled: cancelled === 1 }
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
