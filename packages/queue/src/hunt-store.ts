import type { FleetRedis } from './connection.ts'
import { type HuntState, huntStateSchema } from './hunt-state.ts'
import { runRecordSeconds } from './job-catalog.ts'
import { parseJson } from './parse-json.ts'
import { type SlotEntry, slotEntrySchema } from './slot-entry.ts'

/** Reads and writes what is remembered of hunts, and their ledgers. */

/** A state with the number of its revision; 0 and null: the hunt is not scheduled. */
export interface StoredHunt {
  revision: number
  state: HuntState | null
}

export async function readHunt({ redis, keys }: FleetRedis, name: string): Promise<StoredHunt> {
  const [revision, text] = await redis.hmget(keys.hunt(name), 'revision', 'state')
  const parsed = huntStateSchema.safeParse(parseJson(text))
  return { revision: Number(revision ?? 0), state: parsed.success ? parsed.data : null }
}

/** The names of all hunts that are scheduled, sorted. */
export async function scheduledHunts({ redis, keys }: FleetRedis): Promise<string[]> {
  return (await redis.smembers(keys.hunts)).sort()
}

/**
 * State and ledger change together or not at all, and only if nobody else has changed them since they were read.
 * KEYS: state, lines, order, age, names. ARGV: revision, state ('' ends the hunt), name, now in ms, seconds to keep,
 * then id, time and text of each line.
 */
const commitScript = `
if tonumber(redis.call('HGET', KEYS[1], 'revision') or '0') ~= tonumber(ARGV[1]) then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[5], ARGV[3])
  for i = 2, 4 do redis.call('EXPIRE', KEYS[i], ARGV[5]) end
  return 1
end
redis.call('HSET', KEYS[1], 'revision', ARGV[1] + 1, 'state', ARGV[2])
redis.call('SADD', KEYS[5], ARGV[3])
for i = 6, #ARGV, 3 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  redis.call('ZADD', KEYS[3], ARGV[i + 1], ARGV[i])
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[i])
end
for i = 2, 4 do redis.call('PERSIST', KEYS[i]) end
local old = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', ARGV[4] - ARGV[5] * 1000, 'LIMIT', 0, 1000)
for _, id in ipairs(old) do
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZREM', KEYS[4], id)
end
return 1`

/** false: somebody else was quicker, and nothing was written. A state of null ends the hunt; its ledger stays. */
export async function commitHunt(
  { redis, keys }: FleetRedis,
  name: string,
  revision: number,
  state: HuntState | null,
  entries: readonly SlotEntry[],
  now: number,
): Promise<boolean> {
  const lines = entries.flatMap((entry) => [entry.slot, Date.parse(entry.slot), JSON.stringify(entry)])
  const text = state === null ? '' : JSON.stringify(state)
  const args = [revision, text, name, now, runRecordSeconds, ...lines]
  const names = [keys.hunt(name), keys.slots(name), keys.slotOrder(name), keys.slotAge(name), keys.hunts]
  return (await redis.eval(commitScript, names.length, ...names, ...args)) === 1
}

/** The newest lines of a hunt's ledger, oldest first. */
export async function readSlots(
  { redis, keys }: FleetRedis,
  name: string,
  limit: number,
): Promise<SlotEntry[]> {
  const ids = await redis.zrange(keys.slotOrder(name), String(-limit), '-1')
  return readLines({ redis, keys }, name, ids)
}

/** The lines of these slots (epoch milliseconds), where there are any. */
export async function readSlotsAt(
  fleet: FleetRedis,
  name: string,
  slots: readonly number[],
): Promise<SlotEntry[]> {
  return readLines(
    fleet,
    name,
    slots.map((slot) => new Date(slot).toISOString()),
  )
}

async function readLines({ redis, keys }: FleetRedis, name: string, ids: string[]): Promise<SlotEntry[]> {
  if (ids.length === 0) return []
  const texts = await redis.hmget(keys.slots(name), ...ids)
  return texts.flatMap((text) => {
    const parsed = slotEntrySchema.safeParse(parseJson(text))
    return parsed.success ? [parsed.data] : []
  })
}

/** The time by Redis' clock, in epoch milliseconds: the only one that all machines of a fleet share. */
export async function redisNow({ redis }: FleetRedis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
}
