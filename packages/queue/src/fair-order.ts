import type { Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'

/**
 * Fair order between the runs of a source: start-time fair queuing, with BullMQ's priorities as start tags. The tables of
 * a run get one turn after the other, beginning with the turn that the source has reached; jobs of a smaller turn go
 * first, and of the same turn the one that came first. So a run of 2 tables that comes after one of 100 waits for a table
 * or two of it, and since turns only grow, no number of small runs holds back the last tables of a large one.
 */

/**
 * Turns of regular runs are smaller than this, those of background runs (backfills) are counted from here: BullMQ's
 * priorities end at 2,097,151. A source that is never idle for so many turns falls back to first come, first served.
 */
const backgroundTurns = 2 ** 20

/** The turn of a run's first table; those after it follow. */
export async function nextTurn(
  { redis, keys }: FleetRedis,
  queue: Queue,
  server: string,
  inBackground: boolean,
): Promise<number> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed')
  const isIdle = Object.values(counts).every((count) => count === 0)
  if (isIdle) await redis.del(keys.turn(server), keys.backgroundTurn(server))
  const key = inBackground ? keys.backgroundTurn(server) : keys.turn(server)
  return Number((await redis.get(key)) ?? (inBackground ? backgroundTurns : 0)) + 1
}

export function turnOf(first: number, index: number): number {
  const end = first > backgroundTurns ? 2 * backgroundTurns : backgroundTurns
  return Math.min(first + index, end - 1)
}

const reachScript = `
if tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[1]) or '0') then redis.call('SET', KEYS[1], ARGV[1]) end`

/** A table of this turn is being fetched: later runs begin here. */
export async function reachTurn({ redis, keys }: FleetRedis, server: string, turn: number): Promise<void> {
  const key = turn > backgroundTurns ? keys.backgroundTurn(server) : keys.turn(server)
  if (turn > 0) await redis.eval(reachScript, 1, key, turn)
}
