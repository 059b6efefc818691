import { isSettled, RunError, type RunJob, type TableEntry } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { findRun } from './find-run.ts'
import { jobCatalog, runRecordSeconds } from './job-catalog.ts'
import { runJobId } from './job-ids.ts'
import { openQueue } from './open-queue.ts'
import { sealPayload } from './payload.ts'
import { runQueue } from './queue-names.ts'
import { deadlineOf } from './run-deadline.ts'
import { nameOf } from './run-head.ts'
import { readRunPayload } from './run-payload.ts'
import { hasEnded, type RunRecord } from './run-record.ts'

export interface RetryOptions {
  /** Only these tables; absent or empty: all that are not whole. */
  tables?: readonly string[]
  /** How long after now the run ends at the latest, in milliseconds; absent: as before. */
  deadlineMs?: number
}

/** The record goes back to the beginning for the named tables; another retry in the same instant gets nothing. */
const retryScript = `
if redis.call('HGET', KEYS[1], 'status') ~= ARGV[1] then return 0 end
if (redis.call('HGET', KEYS[1], 'retry') or '1') ~= ARGV[2] then return 0 end
for i = 9, #ARGV do
  local entry = redis.call('HGET', KEYS[1], 'entry:' .. ARGV[i])
  if entry then redis.call('HSET', KEYS[1], 'before:' .. ARGV[i], entry) end
  redis.call('HDEL', KEYS[1], 'entry:' .. ARGV[i], 'attempt:' .. ARGV[i], 'progress:' .. ARGV[i])
end
redis.call('HSET', KEYS[1], 'status', 'queued', 'retry', ARGV[3], 'deadlineAt', ARGV[4])
redis.call('HDEL', KEYS[1], 'startedAt', 'finishedAt', 'error', 'planned', 'suspect', 'settling')
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('SET', KEYS[2], ARGV[5], 'EX', ARGV[6])
redis.call('DEL', KEYS[3])
redis.call('ZADD', KEYS[4], ARGV[7], ARGV[8])
return 1`

/**
 * Fetches the tables of a run again that failed or are incomplete; the others keep their entries. The record says so
 * first and the job follows: a caller that dies in between is made good by the next call.
 * Throws `RunError` RUN_NOT_FOUND, PAYLOAD_INVALID, or USAGE_INVALID when there is nothing to do.
 */
export async function retryRun(
  fleet: FleetRedis,
  runId: string,
  signingKey: string | null,
  options: RetryOptions = {},
): Promise<{ retry: number; tables: string[] }> {
  const record = await findRun(fleet, runId)
  const begun = await unfinishedRetry(fleet, record, signingKey)
  if (begun !== null) return begun
  if (!hasEnded(record.status) || record.status === 'pending') {
    throw new RunError('USAGE_INVALID', `run ${runId} is under way: ${record.status}`, {
      hint: 'wait for its end (huntfleet runs show --follow), or cancel it first',
    })
  }
  const payload = await readRunPayload(fleet, runId, signingKey)
  if (payload === null) {
    throw new RunError('RUN_NOT_FOUND', `the payload of run ${runId} is gone, so it cannot be run again`, {
      hint: 'enqueue its strategy with the same parameters; `huntfleet runs show` has them',
    })
  }
  const tables = tablesToRetry(record, payload, options.tables ?? [])
  const deadlineMs = options.deadlineMs ?? payload.deadlineMs
  const retry = record.retry + 1
  const job: RunJob = { ...payload, retry, deadlineMs, tables: tables ?? payload.tables }
  const now = new Date()
  const where = [fleet.keys.run(runId), fleet.keys.payload(runId), fleet.keys.cancelFlag(runId)]
  where.push(fleet.keys.openRuns)
  const sealed = JSON.stringify(sealPayload('run', job, signingKey))
  const args = [record.status, record.retry, retry, deadlineOf(now, deadlineMs), sealed, runRecordSeconds]
  args.push(now.getTime(), runId, ...(tables ?? []))
  if ((await fleet.redis.eval(retryScript, where.length, ...where, ...args)) !== 1) {
    throw new RunError('USAGE_INVALID', `run ${runId} is being retried already`)
  }
  await addRetryJob(fleet, job, signingKey)
  return { retry, tables: tables ?? [] }
}

/** A retry whose caller died before its job was queued; null: there is none. */
async function unfinishedRetry(
  fleet: FleetRedis,
  { runId, status, retry, tables }: RunRecord,
  signingKey: string | null,
): Promise<{ retry: number; tables: string[] } | null> {
  if (status !== 'queued' || retry === 1) return null
  const payload = await readRunPayload(fleet, runId, signingKey)
  if (payload?.retry !== retry) return null
  if (!(await addRetryJob(fleet, payload, signingKey))) return null
  return { retry, tables: payload.tables ?? Object.keys(tables) }
}

/** Adds the job of a retry; false: it was there. */
async function addRetryJob(fleet: FleetRedis, job: RunJob, signingKey: string | null): Promise<boolean> {
  const queue = openQueue(fleet, runQueue)
  const jobId = runJobId(job.runId, job.retry)
  try {
    if ((await queue.getJob(jobId)) !== undefined) return false
    await queue.add(nameOf(job), sealPayload('run', job, signingKey), { ...jobCatalog.run.options, jobId })
    return true
  } finally {
    await queue.close()
  }
}

/** The tables that a retry fetches; null: the run never got so far as to know its tables, and all are fetched. */
function tablesToRetry(record: RunRecord, payload: RunJob, wanted: readonly string[]): string[] | null {
  const { runId } = record
  const open = Object.entries(record.tables).filter(([, { entry }]) => entry === null || canBeBetter(entry))
  const names = open.map(([table]) => table).sort()
  if (Object.keys(record.tables).length === 0) return wanted.length > 0 ? [...wanted] : payload.tables
  for (const table of wanted) {
    if (names.includes(table)) continue
    const state = record.tables[table]
    const why =
      state === undefined
        ? `it has no such table; its tables are ${Object.keys(record.tables).join(', ')}`
        : `its outcome is ${state.entry?.outcome}`
    throw new RunError('USAGE_INVALID', `table ${table} of run ${runId} cannot be retried: ${why}`, {
      hint: names.length > 0 ? `the tables that can be are ${names.join(', ')}` : 'every table is whole',
    })
  }
  if (names.length === 0) {
    throw new RunError('USAGE_INVALID', `run ${runId} has no table that failed or is incomplete`, {
      hint: 'enqueue its strategy again for newer data',
    })
  }
  return wanted.length > 0 ? names.filter((table) => wanted.includes(table)) : names
}

/** Tables that an agent stages are not ours to fetch. */
function canBeBetter({ outcome }: TableEntry): boolean {
  return !isSettled(outcome) && outcome !== 'awaiting_agent'
}
