import { RunError } from '@huntfleet/contract'
import { startRedis } from '@huntfleet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectProducer, type FleetRedis } from '../src/connection.ts'
import { type CallLimits, createSharedLimiter } from '../src/shared-limiter.ts'

const redis = await startRedis()
const given = 'skipped' in redis ? test.skip : test

describe('shared limiter', () => {
  const fleets: FleetRedis[] = []
  const worker = async () => {
    if ('skipped' in redis) throw new Error(redis.skipped)
    const fleet = await connectProducer({ url: redis.url, prefix: '{limits}' })
    fleets.push(fleet)
    return fleet
  }
  let one: FleetRedis
  let other: FleetRedis
  beforeAll(async () => {
    if ('skipped' in redis) return
    one = await worker()
    other = await worker()
  })
  afterAll(async () => {
    for (const fleet of fleets) fleet.redis.disconnect()
    if (!('skipped' in redis)) await redis.stop()
  })
  const limits = (more: Partial<CallLimits>) => (): CallLimits => ({
    callsPerMinute: null,
    callsPerDay: null,
    ...more,
  })
  const soon = (ms: number) => AbortSignal.timeout(ms)

  given('lets no more calls a minute through than the limit, over two workers', async () => {
    const a = createSharedLimiter(one, limits({ callsPerMinute: 5 }))
    const b = createSharedLimiter(other, limits({ callsPerMinute: 5 }))
    const tries = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? a : b).acquire('minute', soon(400)))
    const settled = await Promise.allSettled(tries)
    expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(5)
  })

  given('refuses the call after the last one of the day, and says until when', async () => {
    const limiter = createSharedLimiter(one, limits({ callsPerDay: 2 }))
    await limiter.acquire('day', soon(1_000))
    await limiter.acquire('day', soon(1_000))
    const refused = await limiter.acquire('day', soon(1_000)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RunError)
    expect(refused).toMatchObject({
      code: 'SOURCE_RATE_LIMITED',
      message: expect.stringContaining('00:00 UTC'),
    })
  })

  given('keeps the other worker away from a server that asked one of them to wait', async () => {
    const a = createSharedLimiter(one, limits({}))
    const b = createSharedLimiter(other, limits({}))
    a.rateLimited('paused', 600)
    // The pause is on its way: wait until it is there.
    await expect.poll(() => one.redis.pttl(one.keys.pause('paused'))).toBeGreaterThan(0)
    const before = Date.now()
    await b.acquire('paused', soon(5_000))
    expect(Date.now() - before).toBeGreaterThanOrEqual(400)
  })

  given('spaces calls out after rate limits and comes back to full speed call by call', async () => {
    const limiter = createSharedLimiter(one, limits({}))
    limiter.rateLimited('paced', null)
    const intervalOf = async () => Number(await one.redis.hget(one.keys.pace('paced'), 'interval'))
    await expect.poll(intervalOf).toBe(250)
    limiter.rateLimited('paced', null)
    await expect.poll(intervalOf).toBe(500)
    await limiter.acquire('paced', soon(5_000))
    expect(await intervalOf()).toBe(450)
    const before = Date.now()
    await limiter.acquire('paced', soon(5_000))
    expect(Date.now() - before).toBeGreaterThanOrEqual(400)
    expect(await intervalOf()).toBeCloseTo(405)
  })

  given('ends a wait with the reason of the signal', async () => {
    const limiter = createSharedLimiter(one, limits({}))
    limiter.rateLimited('aborted', 60_000)
    await expect.poll(() => one.redis.pttl(one.keys.pause('aborted'))).toBeGreaterThan(0)
    const controller = new AbortController()
    const waiting = limiter.acquire('aborted', controller.signal)
    controller.abort(new RunError('CANCELLED', 'stop'))
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
