import { RunError } from '@huntfleet/contract'
import { FakeClock } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { RateLimiter } from '../../src/mcp/rate-limiter.ts'

const never = new AbortController().signal

function started(limit: number | null) {
  const clock = new FakeClock(0)
  const limiter = new RateLimiter(clock, () => ({ callsPerMinute: limit, callsPerDay: null }))
  const times: number[] = []
  const acquire = (server = 'a') => limiter.acquire(server, never).then(() => void times.push(clock.now()))
  return { clock, limiter, times, acquire }
}

describe('RateLimiter', () => {
  it('lets no more calls through in any minute than allowed', async () => {
    const { clock, times, acquire } = started(3)
    const all = Promise.all(Array.from({ length: 8 }, () => acquire()))
    await clock.advance(180_000)
    await all
    expect(times).toEqual([0, 0, 0, 60_000, 60_000, 60_000, 120_000, 120_000])
  })

  it('counts calls where they fell, not per full minute', async () => {
    const { clock, times, acquire } = started(2)
    await acquire()
    await clock.advance(50_000)
    await acquire()
    const third = acquire()
    await clock.advance(20_000)
    await third
    expect(times).toEqual([0, 50_000, 60_000])
  })

  it('does not hold up servers without a limit, nor one for another', async () => {
    const { clock, limiter, times, acquire } = started(null)
    limiter.rateLimited('b', 10_000)
    await Promise.all(Array.from({ length: 100 }, () => acquire('a')))
    expect(times).toHaveLength(100)
    expect(clock.pending).toBe(0)
  })

  it('keeps everyone waiting while a server is to be left alone', async () => {
    const { clock, limiter, times, acquire } = started(null)
    limiter.rateLimited('a', 5000)
    limiter.rateLimited('a', 1000)
    const both = Promise.all([acquire(), acquire()])
    await clock.advance(2000)
    limiter.rateLimited('a', 6000)
    await clock.advance(7000)
    await both
    expect(times).toEqual([8000, 9000])
  })

  it('gives up with the reason of the signal, and without a timer', async () => {
    const { clock, limiter } = started(1)
    const controller = new AbortController()
    await limiter.acquire('a', controller.signal)
    const waiting = limiter.acquire('a', controller.signal)
    controller.abort(new RunError('BUDGET_SPENT', 'no time left'))
    await expect(waiting).rejects.toMatchObject({ code: 'BUDGET_SPENT' })
    await expect(limiter.acquire('a', controller.signal)).rejects.toMatchObject({ code: 'BUDGET_SPENT' })
    expect(clock.pending).toBe(0)
  })

  it('spaces calls out after rate limits and comes back to full speed call by call', async () => {
    const { clock, limiter, times, acquire } = started(null)
    limiter.rateLimited('a', null)
    limiter.rateLimited('a', null)
    const all = Promise.all(Array.from({ length: 40 }, () => acquire()))
    await clock.advance(60_000)
    await all
    const gaps = times.map((time, i) => time - (times[i - 1] ?? 0))
    expect(gaps[0]).toBe(500)
    expect(gaps.slice(1, 30)).toEqual([...gaps.slice(1, 30)].sort((a, b) => b - a))
    expect(gaps.at(-1)).toBe(0)
  })

  it('refuses the call after the last one of the day, and takes the first one of the next', async () => {
    const clock = new FakeClock(0)
    const limiter = new RateLimiter(clock, () => ({ callsPerMinute: null, callsPerDay: 1 }))
    await limiter.acquire('a', never)
    await expect(limiter.acquire('a', never)).rejects.toMatchObject({ code: 'SOURCE_RATE_LIMITED' })
    await clock.advance(86_400_000)
    await limiter.acquire('a', never)
  })
})
