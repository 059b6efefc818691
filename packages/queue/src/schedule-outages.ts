import { randomBytes } from 'node:crypto'
import type { FleetRedis } from './connection.ts'
import { runRecordSeconds } from './job-catalog.ts'

/** When no worker looked at the schedules, because none lived or Redis was away. Redis counts the time. */

/** How often a worker looks, in milliseconds. */
export const lookMs = 5_000
/** Without a look for so long, nobody was there. */
const outageMs = 3 * lookMs

/** KEYS: last look, outages. ARGV: milliseconds that make an outage, seconds to keep. */
const script = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local seen = tonumber(redis.call('GET', KEYS[1]) or now)
if now > seen then redis.call('SET', KEYS[1], string.format('%.0f', now)) end
if now - seen > tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[2], now, string.format('%.0f-%.0f', seen, now))
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2] * 1000)
end
return now`

/** Says that a worker looks now, and notes the outage that has ended with it. Returns the time by Redis' clock. */
export async function noteLook({ redis, keys }: FleetRedis): Promise<number> {
  return Number(
    await redis.eval(script, 2, keys.scheduleSeen, keys.scheduleOutages, outageMs, runRecordSeconds),
  )
}

/**
 * A name that Redis has as long as it keeps its data: another one than before means that all is gone, schedules and
 * ledgers too.
 */
export async function dataEpoch({ redis, keys }: FleetRedis): Promise<string> {
  await redis.set(keys.scheduleEpoch, randomBytes(8).toString('hex'), 'NX')
  return (await redis.get(keys.scheduleEpoch)) ?? ''
}

/** Whether no worker looked at the schedules at a time, as far back as runs are remembered. */
export async function readOutages({ redis, keys }: FleetRedis): Promise<(at: number) => boolean> {
  const spans = (await redis.zrange(keys.scheduleOutages, '0', '-1')).map((span) =>
    span.split('-').map(Number),
  )
  return (at) => spans.some(([from = 0, to = 0]) => at > from && at <= to)
}
