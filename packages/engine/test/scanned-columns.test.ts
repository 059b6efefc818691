import type { ColumnSpec, FieldSource, PageEntry } from '@huntfleet/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CellValue } from '../src/coerce/cell-value.ts'
import { isExactArray, isExactObject } from '../src/json/exact.ts'
import { parseExact } from '../src/json/parse-exact.ts'
import { scannedRowsOf } from '../src/json/scanned-array.ts'
import type { CellBatch } from '../src/parquet/cell-batch.ts'
import { type AnswerPage, readAnswer } from '../src/read-answer.ts'
import { TableStage } from '../src/table-stage.ts'
import { columnSpec } from './coerce/column-spec.ts'
import { contextOf } from './formats/format-context.ts'
import { rowKeys, rowTexts } from './json/row-texts.ts'
import { answerSpec, budgetSpec, fetchSpec, tableSpec } from './spec-fixture.ts'
import { readRows } from './table-run.ts'

const types = [
  ...['VARCHAR', 'BOOLEAN', 'TINYINT', 'INTEGER', 'BIGINT', 'UINTEGER', 'UBIGINT', 'FLOAT', 'DOUBLE'],
  ...['DECIMAL(9,2)', 'DECIMAL(38,10)', 'DECIMAL(38,0)', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMPTZ'],
  ...['UUID', 'BLOB', 'JSON', 'VARCHAR[]', 'BIGINT[]', 'DOUBLE[]', 'TIMESTAMP[]', 'JSON[]'],
]

/** Types whose cells may be numbers where the coercer makes bigints. */
const wide = /^(?:U?BIGINT|TIMESTAMP(?:TZ)?)$/

function formatFor(type: string, format: string | null): string | null {
  if (!/^(?:DATE|TIME)/.test(type)) return null
  if (format !== 'pattern') return format
  return type === 'TIME' ? 'HHmmss' : 'yyyyMMdd'
}

const column: fc.Arbitrary<ColumnSpec> = fc
  .record({
    type: fc.constantFrom(...types, ...types.slice(0, 5)),
    required: fc.boolean(),
    format: fc.constantFrom(null, null, null, 'ms', 'pattern'),
    round: fc.constantFrom('reject' as const, 'half_even' as const),
    sensitive: fc.constantFrom('none' as const, 'none' as const, 'none' as const, 'drop' as const),
  })
  .map(({ type, format, ...more }) => columnSpec(type, { ...more, format: formatFor(type, format) }))

const path = (text: string): FieldSource => ({ from: 'path', path: text })

const sources: fc.Arbitrary<FieldSource[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...rowKeys, 'n.x', 'n.y', 'missing').map((key) => [path(key)]) },
  fc.constantFrom<FieldSource[]>(
    [path('a'), path('n.x')],
    [path('missing'), path('b')],
    [path('a[0]')],
    [path('a'), { from: 'value', value: 7 }],
    [{ from: 'row' }],
    [{ from: 'value', value: 'constant' }],
  ),
)

const entry: PageEntry = { page: 1, part: 0, at: null, items: 0, bytes: 0, ms: 0, attempt: 1 }

/** Everything that staging a page leaves behind. */
async function staged(spec: ReturnType<typeof tableSpec>, page: AnswerPage) {
  const rows: CellValue[][] = []
  const writer = {
    appendRow(cells: readonly CellValue[]) {
      rows.push([...cells])
    },
    appendColumns(batches: readonly CellBatch[], count: number) {
      for (let row = 0; row < count; row++)
        rows.push(
          batches.map((batch, index) => {
            const cell = batch.value(row)
            const isWide = wide.test(spec.columns[index]?.type ?? '')
            return isWide && typeof cell === 'number' ? BigInt(cell) : cell
          }),
        )
    },
    finish: async () => ({ rows: rows.length }),
  }
  const stage = new TableStage(spec, writer)
  const outcome = await stage.receive(page, entry).catch((error: unknown) => String(error))
  const { dropped, duplicates, rejects } = stage
  return {
    outcome,
    // Of a table that fails nothing is stored.
    rows: typeof outcome === 'string' ? [] : rows,
    counts: typeof outcome === 'string' ? null : [stage.rows, stage.columns(), stage.memory()],
    dropped,
    duplicates,
    rejects: rejects.total,
    kept: rejects.total === 0 ? [] : await readRows(await rejects.toParquet()),
  }
}

test('rows that are not parsed leave behind what parsed rows do: cells, nulls, rejects, counts', async () => {
  let scanned = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(column, sources), { minLength: 1, maxLength: 3 }),
      rowTexts,
      fc.record({
        nullValues: fc.constantFrom<string[]>([], ['-', '', '1.5']),
        onReject: fc.constantFrom('null' as const, 'null' as const, 'drop_row' as const, 'fail' as const),
        maxRows: fc.constantFrom(3, 1_000),
        dedupeKey: fc.constantFrom<string[]>([], [], ['a'], ['b', 'n.x'], ['$']),
      }),
      async (columns, rows, { nullValues, onReject, maxRows, dedupeKey }) => {
        const answer = answerSpec({ nullValues })
        const fetch = fetchSpec({ answer, mapping: columns.map(([, from]) => from) })
        const spec = tableSpec([fetch], {
          columns: columns.map(([spec], index) => ({ ...spec, name: `c${index}` })),
          onReject,
          dedupeKey,
          budget: budgetSpec({ maxRows }),
        })
        const text = `{"total": 3, "rows": [${rows.join(', ')}], "next": "x"}`
        const page = await readAnswer(
          {
            content: [{ type: 'text', text }],
            structuredContent: undefined,
            meta: undefined,
            isError: false,
            bytes: 1,
          },
          { ...contextOf([]), answer, firstPage: true, links: [] },
          { formats: {}, adapters: {} },
        )
        if (scannedRowsOf(page.rows) !== undefined && rows.length > 0) scanned++
        const root = parseExact(text.toWellFormed())
        const parsed = isExactObject(root) ? root.get('rows') : undefined
        const exact = await staged(spec, {
          ...page,
          rows: isExactArray(parsed) ? parsed.filter(isExactObject) : [],
        })
        expect(await staged(spec, page)).toEqual(exact)
      },
    ),
    { numRuns: 1_000 },
  )
  // Otherwise nothing has been compared.
  expect(scanned).toBeGreaterThan(500)
})
