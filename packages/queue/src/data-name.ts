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

export async function watchData(fleet: FleetRedis, log: QueueLog): Promise<DataWatch> {
  const { redis, keys } = fleet
  let name = await readName(fleet)
  /** All names that were lost in this process's life: what remembers them in Redis may be lost, too. */
  const lost = new Set<string>()
  return {
    get name() {
      return name
    },
    async check() {
      const found = await readName(fleet)
      if (found === name) return
      log.error('Redis lost its data: runs that were under way will be reported as lost', { before: name })
      lost.add(name)
      await redis
        .multi()
        .sadd(keys.lostData, ...lost)
        .expire(keys.lostData, runRecordSeconds)
        .exec()
      name = found
    },
  }
}

/** The name of the data; a Redis without one gets one. */
async function readName({ redis, keys }: FleetRedis): Promise<string> {
  const proposal = randomBytes(8).toString('hex')
  return (await redis.set(keys.dataName, proposal, 'NX', 'GET')) ?? proposal
}

export async function isLostData({ redis, keys }: FleetRedis, name: string): Promise<boolean> {
  return (await redis.sismember(keys.lostData, name)) === 1
}
