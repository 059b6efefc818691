import type { FleetRedis } from './connection.ts'

/** Who may write: the holder of a job's lock. */
export interface Fence {
  queue: string
  jobId: string
  token: string
}

/**
 * BullMQ accepts `updateData` and `updateProgress` of a worker that was frozen, lost its job and woke up (measured), so
 * what must not be overwritten is written by a script that looks at the lock first.
 */
const script = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1`

/** Sets fields of a hash if the job's lock is still ours; false: it is not, and nothing was written. */
export async function fencedWrite(
  { redis, keys }: FleetRedis,
  fence: Fence,
  hash: string,
  ttlSeconds: number,
  fields: Readonly<Record<string, string>>,
): Promise<boolean> {
  const lock = keys.lock(fence.queue, fence.jobId)
  const pairs = Object.entries(fields).flat()
  return (await redis.eval(script, 2, lock, hash, fence.token, String(ttlSeconds), ...pairs)) === 1
}

/** Whether the job's lock is ours at this moment. */
export async function holdsLock(
  { redis, keys }: FleetRedis,
  { queue, jobId, token }: Fence,
): Promise<boolean> {
  return (await redis.get(keys.lock(queue, jobId))) === token
}
