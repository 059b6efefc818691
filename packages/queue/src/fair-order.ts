import type { Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'

/**
 * Fair order between the runs of a source: start-time fair queuing, with BullMQ's priorities as start tags. The tables of
 * a run get one turn after the other, beginning with the turn that the source has reached; jobs of a smaller turn go
 * first, and of the same turn the one that came first. So a run of 2 tables that comes after one of 100 waits for a table
 * or two of it, and since turns only grow, no number of small runs holds back the last tables of a large one.
 */

/**
 * Half of BullMQ's priorities are for runs of low priority (backfills), which wait for all others. A source that is never
 * idle for so many turns falls back to first come, first served.
 */
const turns = 2 ** 20

type Band = 'normal' | 'low'
const bandOf = (isLow: boolean): Band => (isLow ? 'low' : 'normal')

/** Priorities of the tables of a run, one turn after the other from the one that the source has reached. */
export async function nextTurns(
  { redis, keys }: FleetRedis,
  queue: Queue,
  server: string,
  isLow: boolean,
): Promise<(index: number) => number> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed')
  const isIdle = Object.values(counts).every((count) => count === 0)
  if (isIdle) await redis.del(keys.turn(server, 'normal'), keys.turn(server, 'low'))
  const reached = Number((await redis.get(keys.turn(server, bandOf(isLow)))) ?? 0)
  const base = isLow ? turns : 0
  return (index) => base + Math.min(reached + 1 + index, turns - 1)
}

const reachScript = `
if tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[1]) or '0') then redis.call('SET', KEYS[1], ARGV[1]) end`

/** A table of this priority is being fetched: later runs begin at its turn. */
export async function reachTurn(
  { redis, keys }: FleetRedis,
  server: string,
  priority: number,
): Promise<void> {
  const turn = priority % turns
  if (turn > 0) await redis.eval(reachScript, 1, keys.turn(server, bandOf(priority >= turns)), turn)
}
