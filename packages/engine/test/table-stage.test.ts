import type { PageEntry, TableSpec } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CellValue } from '../src/coerce/cell-value.ts'
import { isExactObject } from '../src/json/exact.ts'
import { toExact } from '../src/json/to-exact.ts'
import type { CellBatch } from '../src/parquet/cell-batch.ts'
import type { AnswerPage } from '../src/read-answer.ts'
import type { RowReject, SourceRow } from '../src/source-row.ts'
import { TableStage } from '../src/table-stage.ts'
import { budgetSpec, columnSpec, fetchSpec, tableSpec } from './spec-fixture.ts'
import { errorOf, readRows } from './table-run.ts'

function sourceRow(value: unknown): SourceRow {
  const row = toExact(value)
  if (!isExactObject(row)) throw new Error('not a row')
  return row
}

function pageOf(values: readonly unknown[], rejects: RowReject[] = []): AnswerPage {
  return {
    rows: values.map(sourceRow),
    rejects,
    items: values.length + rejects.filter((reject) => !reject.stored).length,
    bytes: 0,
    lookups: [],
    text: '',
    cursorText: '',
    notes: [],
    header: null,
    truncation: null,
    fingerprint: '',
  }
}

const entry = (page: number, part = 0): PageEntry => ({
  page,
  part,
  at: null,
  items: 0,
  bytes: 0,
  ms: 0,
  attempt: 1,
})
const reject = (row: number, stored = false): RowReject => ({ row, reason: 'odd', raw: '"x"', stored })

function stageOf(more: Partial<TableSpec> = {}) {
  const spec = tableSpec([fetchSpec()], more)
  const stored: (readonly CellValue[])[] = []
  const writer = {
    appendRow(cells: readonly CellValue[]) {
      stored.push([...cells])
    },
    appendColumns(batches: readonly CellBatch[], rows: number) {
      for (let row = 0; row < rows; row++) stored.push(batches.map((batch) => batch.value(row)))
    },
    finish: async () => ({ rows: stored.length }),
  }
  const stage = new TableStage(spec, writer)
  return { stage, ids: () => stored.map(([id]) => id), stored }
}

const columns = [columnSpec('id'), columnSpec('note', 'VARCHAR')]

describe('TableStage', () => {
  test('maps, coerces and stores rows in their order', async () => {
    const { stage, stored } = stageOf()
    const receipt = await stage.receive(
      pageOf([
        { note: 'a', id: '7' },
        { id: 8, extra: true },
      ]),
      entry(1),
    )
    expect(stored).toEqual([
      [7n, 'a'],
      [8n, null],
    ])
    expect(receipt).toEqual({ cut: false, full: false })
    expect(stage.columns()).toEqual({
      id: { type: 'BIGINT', nulls: 0, rejects: 0 },
      note: { type: 'VARCHAR', nulls: 1, rejects: 0 },
    })
  })

  test('reads each part of a table through its own mapping', async () => {
    const { stage, ids } = stageOf({
      fetches: [fetchSpec(), fetchSpec({ mapping: [[{ from: 'path', path: 'nr' }], []] })],
    })
    await stage.receive(pageOf([{ id: 1, nr: 2 }]), entry(1, 0))
    await stage.receive(pageOf([{ id: 1, nr: 2 }]), entry(2, 1))
    expect(ids()).toEqual([1n, 2n])
  })

  describe('at max_rows', () => {
    const capped = (maxRows: number) => stageOf({ budget: budgetSpec({ maxRows }) })

    test.each([
      [3, { cut: false, full: false }, 2],
      [2, { cut: false, full: true }, 2],
      [1, { cut: true, full: true }, 1],
    ])('of %i tells a page of two: %j', async (maxRows, receipt, count) => {
      const { stage, ids } = capped(maxRows)
      expect(await stage.receive(pageOf([{ id: 1 }, { id: 2 }]), entry(1))).toEqual(receipt)
      expect(ids()).toHaveLength(count)
    })

    test('is not cut by doubles, which are no rows', async () => {
      const { stage } = stageOf({ budget: budgetSpec({ maxRows: 1 }), dedupeKey: ['id'] })
      const page = pageOf([{ id: 1 }, { id: 1 }])
      expect(await stage.receive(page, entry(1))).toEqual({ cut: false, full: true })
      expect(stage.duplicates).toBe(1)
    })
  })

  describe('on_reject', () => {
    const misfit = { id: 'many', note: 'x' }

    test('null: stores the row with null, and counts', async () => {
      const { stage, stored } = stageOf()
      await stage.receive(pageOf([{ id: 1 }, misfit]), entry(4))
      expect(stored[1]).toEqual([null, 'x'])
      expect(stage.rejects.total).toBe(1)
      expect(stage.columns()['id']).toEqual({ type: 'BIGINT', nulls: 1, rejects: 1 })
      expect([stage.rows, stage.dropped]).toEqual([2, 0])
    })

    test('drop_row: leaves the row out, and its nulls too', async () => {
      const { stage, ids } = stageOf({ onReject: 'drop_row' })
      await stage.receive(pageOf([{ id: 'many' }, { id: 2, note: 'y' }]), entry(1))
      expect(ids()).toEqual([2n])
      expect([stage.rows, stage.dropped]).toEqual([1, 1])
      expect(stage.columns()).toEqual({
        id: { type: 'BIGINT', nulls: 0, rejects: 1 },
        note: { type: 'VARCHAR', nulls: 0, rejects: 0 },
      })
    })

    test('fail: stops at the value, and names the column and the page', async () => {
      const { stage } = stageOf({ onReject: 'fail' })
      const error = await errorOf(stage.receive(pageOf([misfit]), entry(3)))
      expect(error).toMatchObject({ code: 'ROW_REJECTED', context: { page: 3, table: 'events' } })
      expect(error.message).toContain('column id')
    })

    test('fail: stops at an element that is no row', async () => {
      const { stage } = stageOf({ onReject: 'fail' })
      expect((await errorOf(stage.receive(pageOf([], [reject(1)]), entry(1)))).code).toBe('ROW_REJECTED')
    })

    test('drops elements that are no rows whatever it says, and keeps rows that only lack a cell', async () => {
      const { stage } = stageOf()
      await stage.receive(pageOf([{ id: 1 }], [reject(2), reject(1, true)]), entry(1))
      expect([stage.rows, stage.dropped, stage.rejects.total]).toEqual([1, 1, 2])
    })

    test('a required column without a value is a reject', async () => {
      const { stage, ids } = stageOf({
        onReject: 'drop_row',
        columns: [columnSpec('id', 'BIGINT', { required: true })],
      })
      await stage.receive(pageOf([{}, { id: null }, { id: 3 }]), entry(1))
      expect([ids(), stage.dropped]).toEqual([[3n], 2])
    })
  })

  describe('dedupe_key', () => {
    test('keeps the first of rows with one key, over pages and parts', async () => {
      const { stage, ids } = stageOf({ dedupeKey: ['id'], fetches: [fetchSpec(), fetchSpec()] })
      await stage.receive(pageOf([{ id: 1, note: 'a' }, { id: 2 }, { id: 1, note: 'b' }]), entry(1))
      await stage.receive(pageOf([{ id: 2 }, { id: 3 }]), entry(2, 1))
      expect(ids()).toEqual([1n, 2n, 3n])
      expect(stage.duplicates).toBe(2)
    })

    test('tells rows apart by all its paths, and types by their spelling', async () => {
      const { stage } = stageOf({ dedupeKey: ['a', 'b.c'] })
      await stage.receive(
        pageOf([{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } }, { a: '1', b: { c: 2 } }, { a: 1 }]),
        entry(1),
      )
      expect([stage.rows, stage.duplicates]).toEqual([4, 0])
    })

    test('compares whole rows where the key is $', async () => {
      const { stage, ids } = stageOf({ dedupeKey: ['$'] })
      await stage.receive(
        pageOf([
          { id: 1, note: 'a' },
          { id: 1, note: 'b' },
          { id: 1, note: 'a' },
        ]),
        entry(1),
      )
      expect([ids(), stage.duplicates]).toEqual([[1n, 1n], 1])
    })

    test('keeps rows that have no key', async () => {
      const { stage } = stageOf({ dedupeKey: ['id'] })
      expect(stage.knowsDoubles).toBe(true)
      await stage.receive(pageOf([{ note: 'x' }, { id: null, note: 'x' }]), entry(1))
      expect([stage.rows, stage.duplicates, stage.knowsDoubles]).toEqual([2, 0, false])
    })

    test('does not take a row for the double of one that was dropped', async () => {
      const { stage, stored } = stageOf({ dedupeKey: ['note'], onReject: 'drop_row' })
      await stage.receive(
        pageOf([
          { id: 'bad', note: 'k' },
          { id: 1, note: 'k' },
          { id: 2, note: 'k' },
        ]),
        entry(1),
      )
      expect(stored).toEqual([[1n, 'k']])
      expect([stage.dropped, stage.duplicates]).toEqual([1, 1])
    })

    test('knows no doubles without a key', () => {
      expect(stageOf().stage.knowsDoubles).toBe(false)
    })
  })

  test('numbers rows by their place among all elements of the page', async () => {
    const { stage } = stageOf()
    await stage.receive(pageOf([{ id: 'x' }, { id: 'y' }], [reject(1), reject(3)]), entry(1))
    const kept = await readRows(await stage.rejects.toParquet())
    expect(kept.map((one) => [Number(one['row']), one['column']])).toEqual([
      [1, null],
      [3, null],
      [2, 'id'],
      [4, 'id'],
    ])
  })

  test('loses no row without counting it', async () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('bad'), fc.constant(null))
    const pages = fc.array(
      fc.record({ ids: fc.array(value, { maxLength: 8 }), odd: fc.integer({ min: 0, max: 2 }) }),
      {
        maxLength: 6,
      },
    )
    const policies = fc.record({
      onReject: fc.constantFrom('null' as const, 'drop_row' as const),
      dedupe: fc.boolean(),
      maxRows: fc.integer({ min: 1, max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(pages, policies, async (sent, { onReject, dedupe, maxRows }) => {
        const { stage, stored } = stageOf({
          columns,
          onReject,
          dedupeKey: dedupe ? ['id'] : [],
          budget: budgetSpec({ maxRows }),
        })
        let came = 0
        for (const [index, { ids, odd }] of sent.entries()) {
          const rejects = Array.from({ length: odd }, (_, n) => reject(ids.length + n + 1))
          const receipt = await stage.receive(
            pageOf(
              ids.map((id) => ({ id })),
              rejects,
            ),
            entry(index + 1),
          )
          came += ids.length + odd
          // Behind the cap rows are neither stored nor counted: the outcome says so.
          if (!receipt.cut) continue
          expect(stored).toHaveLength(maxRows)
          return
        }
        expect(stored).toHaveLength(stage.rows)
        expect(stage.rows + stage.dropped + stage.duplicates).toBe(came)
      }),
    )
  })
})
