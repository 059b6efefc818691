import { RunError } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { localRunBudget } from '../src/local-run-budget.ts'
import { pagedSource } from './paged-source.ts'
import { ScriptedSessions } from './scripted-sessions.ts'
import { fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { run } from './table-run.ts'

const none = { maxBytes: null, maxPages: null, maxCalls: null }
const table = tableSpec([fetchSpec({ pagination: pagedBy('offset') })])
/** A source of ten pages of ten rows. */
const source = () => new ScriptedSessions(pagedSource({ total: 100 }).answer)

describe('the budget of a run', () => {
  test.each([
    ['max_calls of the run (3) is reached: 3 calls over all of its tables', { maxCalls: 3 }, [20, 10]],
    ['max_pages of the run (3) is reached: 3 pages over all of its tables', { maxPages: 3 }, [20, 10]],
  ])('ends both of two tables: %s', async (reason, limits, rows) => {
    const runBudget = localRunBudget({ ...none, ...limits })
    // The other table spends the rest.
    const first = await run(tableSpec([fetchSpec({ pagination: pagedBy('offset') })], twoPages), source(), {
      runBudget,
    })
    const second = await run(table, source(), { runBudget })
    const third = await run(table, source(), { runBudget })
    expect([first.entry.rows, second.entry.rows]).toEqual(rows)
    expect(first.entry.outcome).toBe('row_cap')
    for (const { entry, rows: stored } of [second, third]) {
      expect(entry).toMatchObject({ outcome: 'limit_reached', whole: false, reason })
      expect(entry.error).toMatchObject({ code: 'BUDGET_SPENT', hint: expect.stringContaining('run_limits') })
      expect(stored).toHaveLength(entry.rows)
    }
    expect(third.entry.rows).toBe(0)
  })

  test('counts bytes, those of answers that were no page included', async () => {
    const runBudget = localRunBudget({ ...none, maxBytes: 1 })
    const { entry } = await run(table, source(), { runBudget })
    expect(entry).toMatchObject({ outcome: 'limit_reached', rows: 10 })
    expect(entry.reason).toMatch(/^max_bytes of the run \(1\) is reached: \d+ bytes over all of its tables$/)
  })

  test('counts calls that are tried again', async () => {
    const runBudget = localRunBudget({ ...none, maxCalls: 4 })
    const unwell = pagedSource({ total: 100, failure: { page: 2, times: 2 } })
    const { entry } = await run(table, new ScriptedSessions(unwell.answer), { runBudget })
    expect(entry).toMatchObject({ outcome: 'limit_reached', rows: 20, calls: 4, retries: 2 })
  })
})

const twoPages = { budget: { ...table.budget, maxRows: 20 } }

describe('the deadline of a run', () => {
  test('keeps the rows that a table has, in a file', async () => {
    const controller = new AbortController()
    const paged = pagedSource({ total: 100 })
    const sessions = new ScriptedSessions((call) => {
      if (call.args['from'] === 30)
        controller.abort(new RunError('BUDGET_SPENT', 'the deadline of the run has passed'))
      return paged.answer(call)
    })
    const { entry, rows } = await run(table, sessions, { signal: controller.signal })
    expect(entry).toMatchObject({ outcome: 'time_budget', reason: 'the deadline of the run has passed' })
    expect(entry.rows).toBeGreaterThanOrEqual(30)
    expect(rows).toHaveLength(entry.rows)
  })
})
