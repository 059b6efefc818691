import { describe, expect, it } from 'vitest'
import { retryAfterOf } from '../src/retry-after.ts'

const now = Date.UTC(2026, 1, 3, 4, 5, 0)

describe('retryAfterOf', () => {
  const texts: [text: string, ms: number | undefined][] = [
    ['retry after 30 seconds', 30_000],
    ['{"retry_after": 2.5}', 2_500],
    ['"Retry-After": "7"', 7_000],
    ['retryAfter: 1s', 1_000],
    ['{"retry_after_ms": 1500}', 1_500],
    ['Please try again in 2 minutes', 120_000],
    ['retry in 250ms', 250],
    ['wait for 1 hour', 3_600_000],
    ['"X-Ratelimit-Retryafter": "1770091560"', 60_000],
    ['"retry_after": 1770091500123', 123],
    ['"retry_after": 1000000000', 0],
    ['retry later', undefined],
    ['wait a little', undefined],
    ['', undefined],
  ]
  it.each(texts)('%j asks for %s ms', (text, ms) => {
    expect(retryAfterOf(text, now)).toBe(ms)
  })
})
