import { type ErrorCode, RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideRetry } from '../src/retry.ts'

const retry = { attempts: 4, baseMs: 1_000, maxMs: 5_000 }
const decide = (code: ErrorCode, failures: number, random = 1, retryAfterMs?: number, rules = retry) =>
  decideRetry(new RunError(code, 'x', { retryAfterMs }), failures, rules, () => random)

describe('decideRetry', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
  ])('doubles the longest wait with each failure: %i', (failures, waitMs) => {
    expect(decide('SOURCE_ERROR', failures)).toEqual({ retry: true, waitMs })
  })

  test('never waits longer than max by itself', () => {
    const rules = { ...retry, attempts: 100 }
    expect(decide('SOURCE_ERROR', 90, 1, undefined, rules)).toEqual({ retry: true, waitMs: 5_000 })
  })

  test('gives up after so many attempts', () => {
    expect(decide('SOURCE_ERROR', 4)).toEqual({ retry: false })
  })

  test.each<[ErrorCode, boolean]>([
    ['SOURCE_UNREACHABLE', true],
    ['SOURCE_TIMEOUT', true],
    ['SOURCE_ERROR', true],
    ['SOURCE_RATE_LIMITED', true],
    ['SERVER_EXITED', true],
    ['SOURCE_DENIED', false],
    ['TOOL_FAILED', false],
    ['PARSE_FAILED', false],
    ['ITEMS_NOT_FOUND', false],
    ['TOOL_UNKNOWN', false],
    ['SERVER_UNKNOWN', false],
    ['SECRET_UNSET', false],
    ['BUDGET_SPENT', false],
    ['SINK_UNREACHABLE', false],
    ['CANCELLED', false],
    ['SHUTDOWN', false],
    ['INTERNAL', false],
  ])('%s is tried again: %s', (code, expected) => {
    expect(decide(code, 1).retry).toBe(expected)
  })

  test('honours Retry-After, and never undercuts its own back-off with it', () => {
    expect(decide('SOURCE_RATE_LIMITED', 1, 1, 60_000)).toEqual({ retry: true, waitMs: 60_000 })
    expect(decide('SOURCE_RATE_LIMITED', 3, 1, 10)).toEqual({ retry: true, waitMs: 4_000 })
  })

  test('opens a lost session again at once, once, even where no second attempt is allowed', () => {
    expect(decide('SESSION_LOST', 1)).toEqual({ retry: true, waitMs: 0 })
    expect(decide('SESSION_LOST', 1, 1, undefined, { ...retry, attempts: 1 })).toEqual({
      retry: true,
      waitMs: 0,
    })
    expect(decide('SESSION_LOST', 2)).toEqual({ retry: true, waitMs: 2_000 })
    expect(decide('SESSION_LOST', 2, 1, undefined, { ...retry, attempts: 1 })).toEqual({ retry: false })
  })

  test('spreads waits over the whole span', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 3 }),
        (random, failures) => {
          const decision = decide('SOURCE_ERROR', failures, random)
          expect(decision).toEqual({ retry: true, waitMs: Math.ceil(random * 1_000 * 2 ** (failures - 1)) })
        },
      ),
    )
  })
})
