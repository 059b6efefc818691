import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { CellBatch, form } from '../../src/parquet/cell-batch.ts'
import { createParquetWriter, type ParquetWriterOptions } from '../../src/parquet/parquet-writer.ts'
import { hashOf } from '../../src/parquet/text-index.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader } from './read-back.ts'

const columns = [
  columnSpec('BIGINT', { name: 'n' }),
  columnSpec('VARCHAR', { name: 't' }),
  columnSpec('BOOLEAN', { name: 'b' }),
  columnSpec('INTEGER[]', { name: 'l' }),
]

type Row = readonly CellValue[]
/** Rows that come as columns, or one by one. */
interface Step {
  asColumns: boolean
  rows: readonly Row[]
}

const transposed = (rows: readonly Row[]) =>
  columns.map(({ type }, index) =>
    batchOf(
      rows.map((row) => row[index] ?? null),
      type === 'VARCHAR',
    ),
  )

/** A batch of cells, where it can in another form: numbers as numbers, every other text as its bytes. */
function batchOf(cells: CellValue[], isText = false): CellBatch {
  const batch = new CellBatch([...cells], cells.length)
  const bytes = Buffer.from(cells.map((cell) => (typeof cell === 'string' ? cell : '')).join(''))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  batch.texts = { view, gather: () => null }
  let at = 0
  for (const [index, cell] of cells.entries()) {
    const length = typeof cell === 'string' ? Buffer.byteLength(cell) : 0
    if (typeof cell === 'number') {
      batch.forms[index] = form.number
      batch.numbers[index] = cell
    } else if (isText && typeof cell === 'string' && index % 2 === 0) {
      batch.forms[index] = form.text
      batch.starts[index] = at
      batch.ends[index] = at + length
      batch.hashes[index] = hashOf(view, at, at + length)
    }
    at += length
  }
  return batch
}

async function file(steps: readonly Step[], options: ParquetWriterOptions): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const writer = createParquetWriter(
    columns,
    async (bytes) => {
      parts.push(bytes)
    },
    options,
  )
  for (const { asColumns, rows } of steps) {
    if (asColumns) await writer.appendColumns(transposed(rows), rows.length)
    else
      for (const [number, ...others] of rows)
        await writer.appendRow([typeof number === 'number' ? BigInt(number) : (number ?? null), ...others])
  }
  await writer.finish({})
  return Buffer.concat(parts)
}

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

describe('rows that come as columns', () => {
  const integer: fc.Arbitrary<CellValue> = fc.oneof(
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  )
  const text: fc.Arbitrary<CellValue> = fc.oneof(
    fc.constantFrom('a', 'b', 'long '.repeat(100)),
    fc.string({ unit: 'binary' }),
  )
  const truth: fc.Arbitrary<CellValue> = fc.boolean()
  const list: fc.Arbitrary<CellValue> = fc.array(fc.option(fc.integer({ min: -5, max: 5 })), { maxLength: 3 })
  const row: fc.Arbitrary<Row> = fc.tuple<CellValue[]>(
    fc.option(integer),
    fc.option(text),
    fc.option(truth),
    fc.option(list),
  )

  test('stand behind those that came one by one, in their order, in row groups of the same size', async () => {
    const step: fc.Arbitrary<Step> = fc.record({
      asColumns: fc.boolean(),
      rows: fc.array(row, { maxLength: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        async (steps, rowGroupRows) => {
          const rows = steps.flatMap(({ rows }) => rows)
          const path = duckdb.file(await file(steps, { rowGroupRows }))
          expect(await duckdb.query(`FROM ${path}`)).toEqual(
            rows.map(([number, ...others]) => [
              typeof number === 'number' ? BigInt(number) : number,
              ...others,
            ]),
          )
          const groups = await duckdb.query(
            `SELECT row_group_num_rows FROM parquet_metadata(${path}) WHERE path_in_schema = 'n' ORDER BY row_group_id`,
          )
          const full = Math.floor(rows.length / rowGroupRows)
          const rest = rows.length % rowGroupRows
          expect(groups.map(([size]) => Number(size))).toEqual([
            ...Array.from({ length: full }, () => rowGroupRows),
            ...(rest > 0 ? [rest] : []),
          ])
        },
      ),
      { numRuns: 60 },
    )
  })

  test('end a row group at about so many bytes', async () => {
    const rows: Row[] = Array.from({ length: 4_096 }, (_, index) => [
      index,
      `${index}`.repeat(100),
      null,
      null,
    ])
    const path = duckdb.file(await file([{ asColumns: true, rows }], { rowGroupBytes: 100_000 }))
    const groups = await duckdb.query(
      `SELECT row_group_num_rows FROM parquet_metadata(${path}) WHERE path_in_schema = 'n'`,
    )
    expect(groups).toEqual([[1_024n], [1_024n], [1_024n], [1_024n]])
  })

  test('hold the caller back while a row group is being written', async () => {
    const released: (() => void)[] = []
    const writer = createParquetWriter(columns, () => new Promise((resolve) => released.push(resolve)), {
      rowGroupRows: 2,
    })
    expect(
      writer.appendColumns([batchOf([1]), batchOf(['a']), batchOf([true]), batchOf([null])], 1),
    ).toBeUndefined()
    const pending = writer.appendColumns(
      [batchOf([1, 2]), batchOf(['a', 'b']), batchOf([true, null]), batchOf([null, [1]])],
      2,
    )
    expect(pending).toBeInstanceOf(Promise)
    expect(() => writer.appendColumns(transposed([]), 0)).toThrow('the previous call has not ended')
    released[0]?.()
    await pending
    expect(released).toHaveLength(1)
  })

  test('must fit the table', () => {
    const writer = createParquetWriter(columns, async () => {})
    expect(() => writer.appendColumns(transposed([[1]]).slice(1), 1)).toThrow('for a table of 4 columns')
    expect(() => writer.appendColumns([...transposed([[1]]).slice(1), batchOf([])], 1)).toThrow(
      'for a table of 4 columns',
    )
  })

  test.each<[string, CellValue]>([
    ['BIGINT', 2n ** 63n],
    ['BIGINT', 2 ** 53],
    ['BIGINT', 1.5],
    ['UBIGINT', -1],
    ['UBIGINT', -1n],
    ['INTEGER', 2 ** 31],
    ['INTEGER', 1.5],
    ['INTEGER', Number.NaN],
    ['TINYINT', 128],
    ['DOUBLE', '1'],
    ['BOOLEAN', 1],
    ['VARCHAR', 1],
    ['BLOB', 'text'],
    ['UUID', 'text'],
    ['DECIMAL(9,2)', 10n ** 9n],
    ['DECIMAL(18,2)', -(10n ** 18n)],
    ['DECIMAL(38,2)', 10n ** 38n],
  ])('are refused with a cell that is no %s (%s), and so is all that follows', async (type, cell) => {
    const writer = createParquetWriter([columnSpec(type)], async () => {})
    const reason = `a cell that is no ${type.replace(/\(.*/, '')} reached the Parquet file`
    expect(() => writer.appendColumns([batchOf([cell])], 1)).toThrow(reason)
    expect(() => writer.appendColumns([batchOf([null])], 1)).toThrow(reason)
    await expect(writer.finish({})).rejects.toThrow(reason)
  })
})
