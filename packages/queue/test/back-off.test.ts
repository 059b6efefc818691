import { RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backOffMs } from '../src/back-off.ts'

test('waits 30 s before the second attempt and 2 min before the third, without jitter', () => {
  expect(backOffMs(1, null, () => 0)).toBe(30_000)
  expect(backOffMs(2, null, () => 0)).toBe(120_000)
})

test('takes off at most half of the wait', () => {
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), share, (made, random) => {
      const full = 30_000 * 4 ** (made - 1)
      const wait = backOffMs(made, null, () => random)
      return wait >= full / 2 && wait <= full
    }),
  )
})

test('waits as long as the source asks, never shorter than by itself and never longer than an hour', () => {
  const asking = (retryAfterMs: number) => new RunError('SOURCE_RATE_LIMITED', 'slow down', { retryAfterMs })
  expect(backOffMs(1, asking(77_000))).toBe(77_000)
  expect(backOffMs(1, asking(10), () => 0)).toBe(30_000)
  expect(backOffMs(1, asking(86_400_000))).toBe(3_600_000)
})
