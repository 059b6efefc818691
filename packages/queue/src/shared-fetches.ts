import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type TableEntry, tableEntrySchema } from '@huntfleet/contract'
import { z } from 'zod'
import { connectConsumer, type FleetRedis, type RedisSettings } from './connection.ts'
import { redisNow } from './hunt-store.ts'
import { parseJson } from './parse-json.ts'

/** A table that a run has fetched and that others may take. */
const sharedTableSchema = z.strictObject({
  /** The run that fetched it. */
  runId: z.string(),
  /** When its fetch began, epoch milliseconds by Redis' clock. */
  fetchedAt: z.number(),
  entry: tableEntrySchema,
})
export type SharedTable = z.infer<typeof sharedTableSchema>

/** Tables that runs share, by the fingerprint of everything that their fetch depends on. */
export interface SharedFetches {
  /** The table, if its fetch began at most `freshnessMs` ago; null: there is none. */
  find(fingerprint: string, freshnessMs: number): Promise<SharedTable | null>
  /** Says that we fetch it now, until it is released or this process is gone; null: somebody else does. */
  claim(fingerprint: string): Promise<SharedClaim | null>
}

export interface SharedClaim {
  /** Offers the table to others for so long. */
  offer(runId: string, entry: TableEntry, freshnessMs: number): Promise<void>
  release(): Promise<void>
}

/** A claim whose process does not renew it is over after so long. */
const claimMs = 15_000

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`

export function createSharedFetches(fleet: FleetRedis, signingKey: string | null): SharedFetches {
  const { redis, keys } = fleet
  const sign = (fingerprint: string, text: string): string =>
    signingKey === null
      ? ''
      : createHmac('sha256', signingKey).update(`shared\n${fingerprint}\n${text}`).digest('hex')
  return {
    async find(fingerprint, freshnessMs) {
      const stored = await redis.get(keys.sharedTable(fingerprint))
      const at = stored?.indexOf('\n') ?? -1
      if (stored === null || at < 0) return null
      const text = stored.slice(at + 1)
      if (!isEqual(stored.slice(0, at), sign(fingerprint, text))) return null
      const parsed = sharedTableSchema.safeParse(parseJson(text))
      if (!parsed.success) return null
      return (await redisNow(fleet)) - parsed.data.fetchedAt <= freshnessMs ? parsed.data : null
    },
    async claim(fingerprint) {
      const key = keys.sharedClaim(fingerprint)
      const owner = randomBytes(8).toString('hex')
      if ((await redis.set(key, owner, 'PX', claimMs, 'NX')) === null) return null
      const fetchedAt = await redisNow(fleet)
      // One that is not renewed in time costs a second fetch, nothing else.
      const timer = setInterval(() => void redis.pexpire(key, claimMs).catch(() => {}), claimMs / 3)
      return {
        async offer(runId, entry, freshnessMs) {
          const text = JSON.stringify({ runId, fetchedAt, entry })
          const value = `${sign(fingerprint, text)}\n${text}`
          await redis.set(keys.sharedTable(fingerprint), value, 'PX', freshnessMs)
        },
        async release() {
          clearInterval(timer)
          await redis.eval(releaseScript, 1, key, owner)
        },
      }
    },
  }
}

function isEqual(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

/** The same over a connection of its own. */
export function openSharedFetches(
  settings: RedisSettings,
  signingKey: string | null,
  onError: (error: Error) => void,
): SharedFetches & { close(): void } {
  const fleet = connectConsumer(settings, onError)
  return { ...createSharedFetches(fleet, signingKey), close: () => fleet.redis.disconnect() }
}
