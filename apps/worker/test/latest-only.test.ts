import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { latestOnly } from '../src/latest-only.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('passes the first value on at once, and then the latest once in a while', () => {
  const passed: number[] = []
  const latest = latestOnly<number>(500, (value) => void passed.push(value))
  latest.say(1)
  latest.say(2)
  latest.say(3)
  expect(passed).toEqual([1])
  vi.advanceTimersByTime(500)
  expect(passed).toEqual([1, 3])
  vi.advanceTimersByTime(5_000)
  expect(passed).toEqual([1, 3])
  latest.say(4)
  expect(passed).toEqual([1, 3, 4])
  latest.say(5)
  latest.stop()
  vi.advanceTimersByTime(5_000)
  expect(passed).toEqual([1, 3, 4])
})
