import { RunError } from '@huntfleet/contract'
import type { Redis } from 'ioredis'

/** Oldest Redis that BullMQ 6.7 takes without a warning. */
const oldest = [6, 2] as const

/** What a Redis says of itself. */
export interface RedisReport {
  version: string
  maxmemoryPolicy: string
  /** Sentences for the log and for `/healthz`. */
  warnings: string[]
}

/**
 * Asks a Redis whether it is fit for a fleet: it answers, it is new enough and it never evicts keys.
 * Throws `RunError` PROJECT_INVALID when it is too old.
 */
export async function checkRedis(redis: Redis): Promise<RedisReport> {
  await redis.ping()
  const info = await redis.info()
  const version = field(info, 'redis_version') ?? 'unknown'
  if (isOlder(version)) {
    throw new RunError('PROJECT_INVALID', `Redis ${version} is too old for the queue`, {
      hint: `run Redis ${oldest.join('.')} or newer, or Valkey`,
    })
  }
  const maxmemoryPolicy = field(info, 'maxmemory_policy') ?? 'unknown'
  const warnings: string[] = []
  if (maxmemoryPolicy !== 'noeviction') {
    warnings.push(
      `Redis has maxmemory-policy ${maxmemoryPolicy} and may drop jobs and run records; set maxmemory-policy noeviction`,
    )
  }
  return { version, maxmemoryPolicy, warnings }
}

function field(info: string, name: string): string | null {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
}

function isOlder(version: string): boolean {
  const [major = Number.NaN, minor = 0] = version.split('.').map(Number)
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1])
}
