import { FakeClock } from '@huntfleet/testing'
import { describe, expect, test } from 'vitest'
import { Budget } from '../src/budget.ts'
import { budgetSpec } from './spec-fixture.ts'

const clock = new FakeClock()
const never = new AbortController().signal
const budgetOf = (more: Parameters<typeof budgetSpec>[0] = {}, spentBeforeMs = 0) =>
  new Budget(budgetSpec({ timeMs: 10_000, ...more }), clock, {
    timeMs: spentBeforeMs,
    pages: 0,
    calls: 0,
    retries: 0,
    bytes: 0,
  })

describe('Budget', () => {
  test('counts time from its beginning, and what earlier attempts have used', async () => {
    const budget = budgetOf({}, 3_000)
    await clock.advance(2_000)
    expect(budget.spentMs).toBe(5_000)
    expect(budget.leftMs).toBe(5_000)
    await clock.advance(60_000)
    expect(budget.leftMs).toBe(0)
    expect(() => budget.refuseWhenSpent()).toThrow('the time budget of 10 s is spent')
  })

  test('does not count the time of storing, done or failed', async () => {
    const budget = budgetOf()
    await budget.uncounted(() => clock.advance(8_000))
    const failing = budget.uncounted(async () => {
      await clock.advance(8_000)
      throw new Error('full')
    })
    await expect(failing).rejects.toThrow('full')
    await clock.advance(1_000)
    expect(budget.leftMs).toBe(9_000)
  })

  test.each<[string, Parameters<typeof budgetSpec>[0], Partial<Budget>]>([
    ['max_bytes (10) is reached: 11 bytes came', { maxBytes: 10 }, { bytes: 11 }],
    ['max_pages (2) is reached', { maxPages: 2 }, { pages: 2 }],
    ['max_calls (3) is reached', { maxCalls: 3 }, { calls: 3 }],
  ])('%s', (message, limits, used) => {
    const budget = budgetOf(limits)
    expect(budget.limitReached()).toBeUndefined()
    budget.refuseAtLimit()
    Object.assign(budget, used)
    expect(budget.limitReached()).toBe(message)
    expect(() => budget.refuseAtLimit()).toThrow(message)
  })

  test('has no limits but time where none are set', () => {
    const budget = budgetOf()
    Object.assign(budget, { bytes: 1e12, pages: 1e9, calls: 1e9 })
    expect(budget.limitReached()).toBeUndefined()
  })

  test('aborts work when the time is up', async () => {
    const { signal, release } = budgetOf().deadline(never)
    await clock.advance(9_999)
    expect(signal.aborted).toBe(false)
    await clock.advance(1)
    expect(signal.reason).toMatchObject({ code: 'BUDGET_SPENT' })
    release()
  })

  test('forwards the reason of whoever cancels, before and during the work', () => {
    const caller = new AbortController()
    const during = budgetOf().deadline(caller.signal)
    caller.abort('enough')
    const before = budgetOf().deadline(caller.signal)
    expect([during.signal.reason, before.signal.reason]).toEqual(['enough', 'enough'])
    during.release()
    before.release()
  })

  test('leaves no timer behind', () => {
    const quiet = new FakeClock()
    const { release } = new Budget(budgetSpec(), quiet).deadline(never)
    expect(quiet.pending).toBe(1)
    release()
    expect(quiet.pending).toBe(0)
  })
})
