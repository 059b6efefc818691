import { expect, test } from 'vitest'
import { workerTiming } from '../src/worker-timing.ts'

test('leaves the defaults alone without HUNTFLEET_LOCK_MS', () => {
  expect(workerTiming({})).toEqual({})
  expect(workerTiming({ HUNTFLEET_LOCK_MS: '' })).toEqual({})
})

test('shortens all times in proportion', () => {
  expect(workerTiming({ HUNTFLEET_LOCK_MS: '20000' })).toEqual({
    lockMs: 20_000,
    stalledMs: 5_000,
    backOffMs: 30_000,
  })
  expect(workerTiming({ HUNTFLEET_LOCK_MS: '2000' })).toEqual({
    lockMs: 2_000,
    stalledMs: 500,
    backOffMs: 3_000,
  })
})

test.each(['2s', '99', '1.5', '-1', 'Infinity'])('refuses %s', (text) => {
  expect(() => workerTiming({ HUNTFLEET_LOCK_MS: text })).toThrow(
    expect.objectContaining({ code: 'USAGE_INVALID', message: expect.stringContaining(text) }),
  )
})
