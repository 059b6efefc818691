import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { RunError } from '@huntfleet/contract'
import { connectConsumer, type FleetRedis, type RedisSettings } from './connection.ts'
import { throwRefusal } from './redis-refusal.ts'
import { untilAborted } from './until-aborted.ts'

/** The limits of a server's calls; nulls: none. */
export interface CallLimits {
  callsPerMinute: number | null
  /** By days of UTC, as vendors count. */
  callsPerDay: number | null
}

/** Keeps the calls of all workers to each server within its limits; the engine's `CallLimiter`, over Redis. */
export interface SharedLimiter {
  /** Resolves when the next call to the server is due, and counts it. */
  acquire(server: string, signal: AbortSignal): Promise<void>
  /** The server said that it was called too often; it may have said for how long to leave it alone (milliseconds). */
  rateLimited(server: string, retryAfterMs: number | null): void
}

/** After a rate limit calls are spaced out: at first by so much, then twice as much each time, and at most so much. */
const firstIntervalMs = 250
const longestIntervalMs = 30_000
/** Every call that is let through shortens the interval by a tenth; below this it is gone. */
const shortestIntervalMs = 20
/** A wait is looked at again this often at least, so that a shorter pause set elsewhere is noticed. */
const longestSleepMs = 5_000

/**
 * Returns 0 and counts the call, or how many milliseconds to wait, or -1 when the day's calls are spent. Redis' own time
 * is the only clock that all workers share.
 * KEYS: calls of the last minute, pause, calls of the day, pace. ARGV: limit a minute, limit a day (0: none), member.
 */
const acquireScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local pause = redis.call('PTTL', KEYS[2])
if pause > 0 then return pause end
local interval = tonumber(redis.call('HGET', KEYS[4], 'interval') or '0')
if interval > 0 then
  local due = tonumber(redis.call('HGET', KEYS[4], 'due') or '0')
  if due > now then return due - now end
end
local perDay = tonumber(ARGV[2])
if perDay > 0 and tonumber(redis.call('GET', KEYS[3]) or '0') >= perDay then return -1 end
local perMinute = tonumber(ARGV[1])
if perMinute > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
  if redis.call('ZCARD', KEYS[1]) >= perMinute then
    local oldest = redis.call('ZRANGE', KEYS[1], -perMinute, -perMinute, 'WITHSCORES')
    return math.max(1, tonumber(oldest[2]) + 60000 - now)
  end
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], 60000)
end
if perDay > 0 then
  redis.call('INCR', KEYS[3])
  redis.call('EXPIRE', KEYS[3], 172800)
end
if interval > 0 then
  local shorter = interval * 0.9
  if shorter < ${shortestIntervalMs} then redis.call('DEL', KEYS[4])
  else redis.call('HSET', KEYS[4], 'interval', shorter, 'due', now + interval) redis.call('PEXPIRE', KEYS[4], 600000) end
end
return 0`

const rateLimitedScript = `
local interval = tonumber(redis.call('HGET', KEYS[2], 'interval') or '0')
local longer = math.min(${longestIntervalMs}, math.max(${firstIntervalMs}, interval * 2))
local t = redis.call('TIME')
redis.call('HSET', KEYS[2], 'interval', longer, 'due', t[1] * 1000 + math.floor(t[2] / 1000) + longer)
redis.call('PEXPIRE', KEYS[2], 600000)
local ms = tonumber(ARGV[1])
if ms > 0 and redis.call('PTTL', KEYS[1]) < ms then redis.call('SET', KEYS[1], '1', 'PX', ms) end
return longer`

export function createSharedLimiter(
  fleet: FleetRedis,
  limitsOf: (server: string) => CallLimits,
): SharedLimiter {
  const { redis, keys } = fleet
  const day = () => new Date().toISOString().slice(0, 10)
  return {
    async acquire(server, signal) {
      const { callsPerMinute, callsPerDay } = limitsOf(server)
      for (;;) {
        signal.throwIfAborted()
        const member = randomBytes(8).toString('hex')
        const asked = redis.eval(
          acquireScript,
          4,
          keys.calls(server),
          keys.pause(server),
          keys.callsOfDay(server, day()),
          keys.pace(server),
          callsPerMinute ?? 0,
          callsPerDay ?? 0,
          member,
        )
        const waitMs = Number(await untilAborted(asked.catch(throwRefusal), signal))
        if (waitMs === 0) return
        if (waitMs < 0) throw daySpent(server, callsPerDay ?? 0)
        await wait(Math.min(waitMs, longestSleepMs), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        )
      }
    },
    rateLimited(server, retryAfterMs) {
      const ms = Math.max(0, Math.ceil(retryAfterMs ?? 0))
      // Losing this only means that another worker finds out by itself.
      redis.eval(rateLimitedScript, 2, keys.pause(server), keys.pace(server), ms).catch(() => {})
    },
  }
}

function daySpent(server: string, limit: number): RunError {
  return new RunError(
    'SOURCE_RATE_LIMITED',
    `the ${limit} calls a day of server "${server}" (limits.calls_per_day) are spent until 00:00 UTC`,
    {
      server,
      hint: `raise mcp_servers.${server}.limits.calls_per_day, or fetch less or larger pages`,
    },
  )
}

/** The limiter of a worker, over a connection of its own. */
export function openSharedLimiter(
  settings: RedisSettings,
  limitsOf: (server: string) => CallLimits,
  onError: (error: Error) => void,
): SharedLimiter & { close(): void } {
  const fleet = connectConsumer(settings, onError)
  return { ...createSharedLimiter(fleet, limitsOf), close: () => fleet.redis.disconnect() }
}
