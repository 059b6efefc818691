import { randomBytes } from 'node:crypto'
import type { FleetRedis } from './connection.ts'
import { runRecordSeconds } from './job-catalog.ts'
import type { QueueLog } from './queue-log.ts'

/** Notices that Redis lost its data: a random name that stands in it is gone then, or another. */
export interface DataWatch {
  /** The name as it was seen last. */
  readonly name: string
  /** Looks again; what was lost is remembered in Redis under its old name, for whoever looks after its runs. */
  check(): Promise<void>
}

/**
 * Reads the name, gives one to data without, and remembers what was lost, all in one step: a Redis that dies in between
 * would keep the new name and forget that there was another.
 */
const checkScript = `
local found = redis.call('GET', KEYS[1])
if not found then
  found = ARGV[1]
  redis.call('SET', KEYS[1], found)
end
if ARGV[3] and found ~= ARGV[3] then
  redis.call('SADD', KEYS[2], unpack(ARGV, 3))
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
return found`

export async function watchData(fleet: FleetRedis, log: QueueLog): Promise<DataWatch> {
  let name = await readName(fleet, [])
  /** All names that were lost in this process's life: what remembers them in Redis may be lost, too. */
  const lost = new Set<string>()
  return {
    get name() {
      return name
    },
    async check() {
      const found = await readName(fleet, [name, ...lost])
      if (found === name) return
      log.error('Redis lost its data: runs that were under way will be reported as lost', { before: name })
      lost.add(name)
      name = found
    },
  }
}

/** The name of the data; another one than the first of `known` means that these are lost. */
async function readName({ redis, keys }: FleetRedis, known: readonly string[]): Promise<string> {
  const proposal = randomBytes(8).toString('hex')
  const args = [proposal, runRecordSeconds, ...known]
  return String(await redis.eval(checkScript, 2, keys.dataName, keys.lostData, ...args))
}

export async function isLostData({ redis, keys }: FleetRedis, name: string): Promise<boolean> {
  return (await redis.sismember(keys.lostData, name)) === 1
}
