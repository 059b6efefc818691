import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasFile, isSettled, type Outcome, outcomes, statusOf, worse } from '../src/outcome.ts'

const outcome = fc.constantFrom(...outcomes)

describe('an outcome', () => {
  it.each<[Outcome, boolean, boolean]>([
    ['complete', true, true],
    ['row_cap', true, false],
    ['time_budget', true, false],
    ['page_error', true, false],
    ['cursor_repeated', true, false],
    ['page_repeated', true, false],
    ['source_capped', true, false],
    ['limit_reached', true, false],
    ['failed', false, false],
    ['cancelled', true, false],
    ['awaiting_agent', false, false],
    ['native', false, true],
    ['skipped', false, true],
  ])('%s: file %s, settled %s', (word, file, settled) => {
    expect(hasFile(word)).toBe(file)
    expect(isSettled(word)).toBe(settled)
  })

  it.each<[Outcome, Outcome, Outcome]>([
    ['complete', 'row_cap', 'row_cap'],
    ['row_cap', 'source_capped', 'source_capped'],
    ['time_budget', 'page_error', 'page_error'],
    ['cancelled', 'failed', 'failed'],
    ['page_error', 'cancelled', 'cancelled'],
    ['complete', 'awaiting_agent', 'awaiting_agent'],
    ['native', 'complete', 'complete'],
  ])('of %s and %s, %s is worse', (a, b, expected) => {
    expect(worse(a, b)).toBe(expected)
    expect(worse(b, a)).toBe(expected)
  })

  it('is worse in one order, and nothing with a gap is ever outweighed by what is whole', () => {
    fc.assert(
      fc.property(outcome, outcome, outcome, (a, b, c) => {
        expect(worse(a, worse(b, c))).toBe(worse(worse(a, b), c))
        if (!isSettled(a)) expect(isSettled(worse(a, b))).toBe(false)
      }),
    )
  })
})

describe('the status of a run', () => {
  const table = (text: string) => {
    const [word = '', optional] = text.split('?')
    const known = outcomes.find((one) => one === word)
    if (known === undefined) throw new Error(`no outcome ${word}`)
    return { outcome: known, optional: optional !== undefined }
  }

  it.each<[string, string, string]>([
    ['complete complete', 'complete', 'complete'],
    ['complete native skipped?', 'complete', 'complete'],
    ['', 'complete', 'complete'],
    ['complete row_cap', 'partial', 'partial'],
    ['complete row_cap?', 'partial', 'partial'],
    ['complete failed', 'partial', 'partial'],
    ['complete failed?', 'partial', 'partial'],
    ['failed', 'failed', 'failed'],
    ['failed failed', 'failed', 'failed'],
    ['failed native', 'failed', 'failed'],
    ['failed complete?', 'failed', 'failed'],
    ['failed awaiting_agent', 'failed', 'failed'],
    ['failed?', 'partial', 'partial'],
    ['complete awaiting_agent', 'partial', 'pending'],
    ['awaiting_agent', 'partial', 'pending'],
    ['complete awaiting_agent?', 'partial', 'partial'],
    ['complete failed awaiting_agent', 'partial', 'partial'],
    ['complete cancelled', 'cancelled', 'cancelled'],
    ['failed cancelled', 'cancelled', 'cancelled'],
  ])('with "%s" (? is optional) is %s here and %s in the fleet', (text, here, fleet) => {
    const tables = text
      .split(' ')
      .filter((word) => word !== '')
      .map(table)
    expect(statusOf(tables, false)).toBe(here)
    expect(statusOf(tables, true)).toBe(fleet)
  })

  it('is complete only when every table is settled', () => {
    const tables = fc.array(fc.record({ outcome, optional: fc.boolean() }))
    fc.assert(
      fc.property(tables, fc.boolean(), (list, waits) => {
        expect(statusOf(list, waits) === 'complete').toBe(list.every((one) => isSettled(one.outcome)))
      }),
    )
  })
})
