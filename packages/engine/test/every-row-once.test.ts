import type { PaginationSpec } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { epoch, pagedSource } from './paged-source.ts'
import { ScriptedSessions } from './scripted-sessions.ts'
import { budgetSpec, fetchSpec, type PagedMode, pagedBy, tableSpec } from './spec-fixture.ts'
import { idsOf, run } from './table-run.ts'

interface World {
  total: number
  pageSize: number
  /** A server's clamp is a round number: 5, 10, 15 … */
  clamp: number | undefined
  tellsTotal: boolean
  maxRows: number
  /** Which page fails; 0: none. */
  failingPage: number
  isForGood: boolean
}

const worlds: fc.Arbitrary<World> = fc.record({
  total: fc.integer({ min: 0, max: 60 }),
  pageSize: fc.integer({ min: 1, max: 25 }),
  clamp: fc.option(
    fc.integer({ min: 1, max: 4 }).map((n) => n * 5),
    { nil: undefined },
  ),
  tellsTotal: fc.boolean(),
  maxRows: fc.integer({ min: 1, max: 70 }),
  failingPage: fc.integer({ min: 0, max: 6 }),
  isForGood: fc.boolean(),
})

function specOf(mode: PagedMode, world: World): PaginationSpec {
  const { pageSize } = world
  if (mode !== 'time_window')
    return { ...pagedBy(mode), pageSize, totalPath: world.tellsTotal ? 'total' : null }
  const end = new Date(epoch + world.total * 1_000).toISOString()
  // One row a second, and slices of less than two are not halved: three rows never fill one.
  return { ...pagedBy(mode, { end, windowMs: 7_000 }), pageSize: pageSize + 2 }
}

/** Runs a table against a source like this and compares what came with the truth. */
async function expectTruth(mode: PagedMode, world: World): Promise<void> {
  const { total, clamp, maxRows, failingPage, isForGood } = world
  const times = isForGood ? Number.POSITIVE_INFINITY : 2
  const source = pagedSource({
    total,
    tellsTotal: world.tellsTotal && mode !== 'time_window',
    ...(clamp !== undefined && mode !== 'time_window' && { clamp }),
    ...(failingPage > 0 && { failure: { page: failingPage, times } }),
  })
  const pagination = specOf(mode, world)
  const spec = tableSpec([fetchSpec({ pagination })], { budget: budgetSpec({ maxRows }) })
  const result = await run(spec, new ScriptedSessions(source.answer))
  const { entry } = result
  const ids = idsOf(result)

  // The law: the first n rows, each once, in their order; and the manifest counts them.
  expect(ids).toEqual(ids.map((_, index) => index))
  expect(entry.rows).toBe(ids.length)
  expect(entry.whole).toBe(entry.outcome === 'complete')

  if (source.failed && isForGood) {
    expect(entry.outcome).toBe(entry.ledger.length === 0 ? 'failed' : 'page_error')
    if (mode !== 'time_window') {
      const perPage = Math.min(world.pageSize, clamp ?? world.pageSize)
      expect(ids.length).toBe(Math.min((failingPage - 1) * perPage, total, maxRows))
    }
    return
  }
  expect(ids.length).toBe(Math.min(total, maxRows))
  if (total < maxRows) expect(entry.outcome).toBe('complete')
  if (total > maxRows) expect(entry.outcome).toBe('row_cap')
  // At the cap exactly, only a source that proves its end makes the table complete.
  if (total === maxRows) expect(['complete', 'row_cap']).toContain(entry.outcome)
  if (total === maxRows && pagination.mode !== 'none' && pagination.totalPath !== null)
    expect(entry.outcome).toBe('complete')
}

describe('every row of a source, once and in order', () => {
  test.each(['offset', 'page', 'cursor', 'keyset', 'time_window'] as const)(
    'by %s, whatever total, page size, clamp, cap and failing page',
    async (mode) => {
      await fc.assert(
        fc.asyncProperty(worlds, (world) => expectTruth(mode, world)),
        { numRuns: 300 },
      )
    },
  )
})
