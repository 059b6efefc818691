import { RunError } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { retryOfJob } from './job-ids.ts'
import { throwRefusal } from './redis-refusal.ts'
import { openStatuses } from './run-record.ts'

/** Who may write: the holder of a job's lock. */
export interface Fence {
  queue: string
  jobId: string
  token: string
}

/**
 * BullMQ accepts `updateData` and `updateProgress` of a worker that was frozen, lost its job and woke up (measured), so
 * what must not be overwritten is written by a script that looks at the lock first; and, for a run's record, at whether
 * the run has been ended, or begun again, without this job.
 */
const script = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local status = redis.call('HGET', KEYS[2], 'status')
if status and not string.find(ARGV[4], ' ' .. status .. ' ', 1, true) then return 2 end
local retry = redis.call('HGET', KEYS[2], 'retry')
if retry and retry ~= ARGV[3] then return 2 end
redis.call('HSET', KEYS[2], unpack(ARGV, 5))
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1`
const open = ` ${openStatuses.join(' ')} `

/**
 * Sets fields of a hash if the job's lock is still ours; false: it is not, and nothing was written. Throws `RunError`
 * RUN_LOST when the hash is the record of a run that has ended, and LOCK_LOST when Redis takes no writes.
 */
export async function fencedWrite(
  { redis, keys }: FleetRedis,
  fence: Fence,
  hash: string,
  ttlSeconds: number,
  fields: Readonly<Record<string, string>>,
): Promise<boolean> {
  const lock = keys.lock(fence.queue, fence.jobId)
  const args = [fence.token, String(ttlSeconds), String(retryOfJob(fence.jobId)), open]
  const pairs = Object.entries(fields).flat()
  const written = await redis.eval(script, 2, lock, hash, ...args, ...pairs).catch(throwRefusal)
  if (written === 2)
    throw new RunError('RUN_LOST', `the run of job ${fence.jobId} has ended without it; nothing was written`)
  return written === 1
}

/** Whether the job's lock is ours at this moment. */
export async function holdsLock(
  { redis, keys }: FleetRedis,
  { queue, jobId, token }: Fence,
): Promise<boolean> {
  return (await redis.get(keys.lock(queue, jobId))) === token
}
