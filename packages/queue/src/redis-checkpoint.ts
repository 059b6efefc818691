import {
  type CheckpointSave,
  chainPage,
  noPages,
  openCheckpoint,
  RunError,
  type SavedCheckpoint,
  sealCheckpoint,
} from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import type { HeldJob, JobEnvironment } from './job-environment.ts'
import type { CheckpointInRedis } from './processors.ts'

/**
 * A table's checkpoint is one hash: `state`, and a field for each page of the open part, as received and compressed. It
 * is written by one script that looks at the job's lock first: the token in the lock changes with every worker that
 * takes the job, so that one that was frozen, lost the job and woke up writes nothing.
 */

/** Longer than a fleet is ever down over a weekend; a checkpoint that nobody takes up must not fill Redis. */
const keptSeconds = 3 * 86_400

/** Of each unfinished table so many bytes of pages may stand in Redis. */
const capacity = 5 * 1024 * 1024

const saveScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '1' then redis.call('DEL', KEYS[2]) end
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1`

/** The checkpoint of a table job that this worker holds. */
export function redisCheckpoint(
  { fleet, signingKey, log }: Pick<JobEnvironment, 'fleet' | 'signingKey' | 'log'>,
  { id, fence }: Pick<HeldJob, 'id' | 'fence'>,
): CheckpointInRedis {
  const { redis, keys } = fleet
  const key = keys.checkpoint(id)
  const lock = keys.lock(fence.queue, fence.jobId)
  /** Pages that stand in Redis, and the hash over them. */
  let count = 0
  let chain = noPages

  return {
    capacity,

    async load(): Promise<SavedCheckpoint | null> {
      const fields = await redis.hgetallBuffer(key)
      const { state: text } = fields
      if (text === undefined) return null
      const pages: Uint8Array[] = []
      for (let page = fields[fieldOf(0)]; page !== undefined; page = fields[fieldOf(pages.length)])
        pages.push(page)
      const opened = openCheckpoint(id, text.toString(), pages, signingKey)
      if (typeof opened === 'string') {
        log.warn('a checkpoint is not trusted, and the table begins again', { job: id, why: opened })
        return null
      }
      count = pages.length
      chain = pages.reduce(chainPage, noPages)
      return opened
    },

    async save({ state, pages, newPart }: CheckpointSave): Promise<void> {
      const first = newPart ? 0 : count
      const all = pages.reduce(chainPage, newPart ? noPages : chain)
      const text = sealCheckpoint(id, state, all, signingKey)
      const fields = pages.flatMap((page, i) => [fieldOf(first + i), Buffer.from(page)])
      const head = [fence.token, String(keptSeconds), newPart ? '1' : '0']
      const saved = await redis.eval(saveScript, 2, lock, key, ...head, 'state', text, ...fields)
      if (saved !== 1) {
        throw new RunError(
          'LOCK_LOST',
          `job ${id} belongs to another worker now; its checkpoint was not written`,
        )
      }
      count = first + pages.length
      chain = all
    },
  }
}

const fieldOf = (page: number): string => `page:${page}`

/** Removes the checkpoints of table jobs. */
export async function removeCheckpoints(
  { redis, keys }: FleetRedis,
  jobIds: readonly string[],
): Promise<void> {
  if (jobIds.length > 0) await redis.unlink(...jobIds.map((jobId) => keys.checkpoint(jobId)))
}
