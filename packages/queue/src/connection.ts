import { RunError } from '@huntfleet/contract'
import { Redis, type RedisOptions } from 'ioredis'
import { type FleetKeys, fleetKeys } from './fleet-keys.ts'
import { parseRedisUrl, type RedisAddress } from './redis-url.ts'

/** The `redis` setting of the project file. */
export interface RedisSettings {
  url: string
  /** Default: `{huntfleet}`. */
  prefix?: string
}

/** A connection and the fleet it looks at. */
export interface FleetRedis {
  readonly redis: Redis
  readonly keys: FleetKeys
}

/** How long a producer waits for a first answer, and for each answer after it. */
const connectTimeoutMs = 3_000
const commandTimeoutMs = 5_000

/**
 * A cap of 1 s on reconnects: with the default (up to 20 s) a fleet idles 13 to 18 s after an outage of 45 s, with the
 * cap 0.5 s (measured).
 */
const reconnect = {
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1_000),
} satisfies RedisOptions

/**
 * A connection for workers: commands wait out an outage, because BullMQ's own loops do; no command timeout, because
 * they block on purpose. Errors go to `onError` and never end the process.
 */
export function connectConsumer(settings: RedisSettings, onError: (error: Error) => void): FleetRedis {
  const redis = new Redis(parseRedisUrl(settings.url).url, { ...reconnect, maxRetriesPerRequest: null })
  redis.on('error', onError)
  return { redis, keys: fleetKeys(settings.prefix) }
}

/**
 * A connection for producers and readers: commands fail within seconds when Redis is away.
 * Throws `RunError` QUEUE_UNREACHABLE when there is no answer to the first command.
 */
export async function connectProducer(settings: RedisSettings): Promise<FleetRedis> {
  const address = parseRedisUrl(settings.url)
  const redis = new Redis(address.url, {
    ...reconnect,
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
  })
  let lastError: Error | null = null
  redis.on('error', (error) => {
    lastError = error
  })
  try {
    await withDeadline(redis.connect(), connectTimeoutMs)
    await redis.ping()
  } catch (thrown) {
    redis.disconnect()
    // `connect` rejects with "Connection is closed."; why it was closed comes as an event before.
    throw queueUnreachable(address, lastError ?? thrown)
  }
  return { redis, keys: fleetKeys(settings.prefix) }
}

/** What a Redis command threw, as QUEUE_UNREACHABLE when Redis was the reason; anything else is given back. */
export function asQueueError(settings: RedisSettings, thrown: unknown): unknown {
  return isConnectionError(thrown) ? queueUnreachable(parseRedisUrl(settings.url), thrown) : thrown
}

function queueUnreachable(address: RedisAddress, cause: unknown): RunError {
  const refused = /NOAUTH|WRONGPASS|NOPERM/.test(wordsOf(cause))
  return new RunError(
    'QUEUE_UNREACHABLE',
    `Redis at ${address.shown} does not answer: ${wordsOf(cause)}`,
    {
      hint: refused
        ? 'check user and password in the redis setting'
        : 'start Redis (docker compose up -d redis) or correct the redis setting or REDIS_URL; `huntfleet run` needs none',
    },
    cause,
  )
}

/** ioredis has an AggregateError without words for a name with several addresses. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return wordsOf(thrown.errors[0])
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const connectionWords =
  /ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOENT|Connection is closed|Command timed out|Stream isn't writeable|max retries per request|NOAUTH|WRONGPASS|NOPERM|LOADING|MASTERDOWN|READONLY|OOM command/

function isConnectionError(thrown: unknown): boolean {
  return !(thrown instanceof RunError) && thrown instanceof Error && connectionWords.test(wordsOf(thrown))
}

function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
