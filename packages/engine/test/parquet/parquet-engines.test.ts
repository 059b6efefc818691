import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { CellBatch } from '../../src/parquet/cell-batch.ts'
import { parquetEngines } from '../../src/parquet/parquet-engines.ts'
import type { ParquetWriterOptions } from '../../src/parquet/parquet-writer.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader, readByHyparquet } from './read-back.ts'
import { readByArrow } from './read-by-arrow.ts'

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

const safe = fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n })
/** Cells that every engine writes. */
const cells: Record<string, fc.Arbitrary<CellValue>> = {
  VARCHAR: fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.constant('x'.repeat(3_000)),
  ),
  BOOLEAN: fc.boolean(),
  INTEGER: fc.integer(),
  BIGINT: safe,
  DOUBLE: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  DATE: fc.integer({ min: -719_162, max: 2_932_896 }),
  TIMESTAMP: fc.bigInt({ min: 0n, max: 253_402_300_799_999_999n }),
}

describe.each(['columnar', 'parquetjs-lite'] as const)('the engine %s', (engine) => {
  const open = parquetEngines[engine]
  const columns = Object.keys(cells).map((type) => columnSpec(type, { name: type.toLowerCase() }))
  const row = fc.tuple(...Object.values(cells).map((cell) => fc.option(cell)))
  const snappy: ParquetWriterOptions = { codec: 'snappy' }

  async function file(
    rows: readonly (readonly CellValue[])[],
    options: ParquetWriterOptions,
    asColumns = false,
    of = columns,
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    const writer = open(of, async (bytes) => void parts.push(bytes), options)
    if (asColumns)
      await writer.appendColumns(
        of.map((_, index) => new CellBatch(rows.map((cells) => cells[index] ?? null))),
        rows.length,
      )
    else for (const cells of rows) await writer.appendRow(cells)
    expect(await writer.finish({ outcome: 'complete' })).toEqual({ rows: rows.length })
    return Buffer.concat(parts)
  }

  test('writes rows that are read back as they were, in their order, however they came', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.constantFrom('snappy' as const, 'gzip' as const, 'none' as const),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        async (rows, codec, rowGroupRows, asColumns) => {
          const path = duckdb.file(await file(rows, { codec, rowGroupRows }, asColumns))
          expect(await duckdb.query(`FROM ${path}`)).toEqual(rows)
        },
      ),
      { numRuns: 30 },
    )
  })

  test.each(Object.keys(cells))('writes %s that all readers read', async (type) => {
    const values = fc.sample(fc.option(cells[type] ?? fc.constant(null)), { numRuns: 50, seed: 7 })
    const bytes = await file(
      values.map((cell) => [cell]),
      { ...snappy, rowGroupRows: 20 },
      false,
      [columnSpec(type)],
    )
    const path = duckdb.file(bytes)
    expect(await duckdb.query(`SELECT column_type FROM (DESCRIBE FROM ${path})`)).toEqual([[type]])
    expect(await duckdb.query(`FROM ${path}`)).toEqual(values.map((cell) => [cell]))
    expect(await readByHyparquet(bytes)).toEqual(values)
    expect(readByArrow(bytes)).toEqual(values)
  })

  test('writes a file without rows, and its metadata', async () => {
    const bytes = await file([], snappy)
    const path = duckdb.file(bytes)
    expect(await duckdb.query(`FROM ${path}`)).toEqual([])
    expect(readByArrow(bytes, 'varchar')).toEqual([])
    expect(
      await duckdb.query(`SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata(${path})`),
    ).toEqual([['outcome', 'complete']])
  })

  test('loses no row to a filter by what the file says of its bounds', async () => {
    const texts = ['😀', '\uffee', 'a', 'é', '\u{10ffff}']
    const rows = texts.flatMap((text) => [[text], [text], [null]])
    const path = duckdb.file(await file(rows, { ...snappy, rowGroupRows: 4 }, false, [columnSpec('VARCHAR')]))
    for (const text of texts)
      expect(await duckdb.query(`SELECT count(*) FROM ${path} WHERE c = '${text}'`)).toEqual([[2n]])
  })

  test('ends a row group after so many rows, or so many bytes', async () => {
    const groups = async (rows: CellValue[][], options: ParquetWriterOptions) => {
      const path = duckdb.file(await file(rows, { ...snappy, ...options }, false, [columnSpec('VARCHAR')]))
      return duckdb.query(`SELECT row_group_num_rows FROM parquet_metadata(${path}) ORDER BY row_group_id`)
    }
    const narrow = Array.from({ length: 25 }, () => ['x'])
    expect(await groups(narrow, { rowGroupRows: 10 })).toEqual([[10n], [10n], [5n]])
    const wide = Array.from({ length: 5 }, () => ['x'.repeat(1_000)])
    expect(await groups(wide, { rowGroupBytes: 2_000 })).toEqual([[2n], [2n], [1n]])
  })

  test('is of no use after an error of the sink, and keeps saying why', async () => {
    const full = new Error('disk full')
    const writer = open([columnSpec('INTEGER')], () => Promise.reject(full), { ...snappy, rowGroupRows: 1 })
    await expect(writer.appendRow([1])).rejects.toBe(full)
    expect(() => writer.appendRow([2])).toThrow(full)
    await expect(writer.finish({})).rejects.toBe(full)
  })

  test('holds the caller back, and refuses one that does not wait', async () => {
    const released: (() => void)[] = []
    const sink = () => new Promise<void>((resolve) => released.push(resolve))
    const writer = open([columnSpec('INTEGER')], sink, { ...snappy, rowGroupRows: 1 })
    const pending = writer.appendRow([1])
    expect(() => writer.appendRow([2])).toThrow('the previous call has not ended')
    await expect.poll(() => released.length).toBe(1)
    released[0]?.()
    await pending
    expect(() => writer.appendRow([1, 2])).toThrow('a row of 2 cells for a table of 1 columns')
  })
})

describe('the engine parquetjs-lite', () => {
  const open = parquetEngines['parquetjs-lite']
  const sink = async () => {}

  test.each([
    'TINYINT',
    'UBIGINT',
    'FLOAT',
    'DECIMAL(9,2)',
    'TIME',
    'TIMESTAMPTZ',
    'UUID',
    'BLOB',
    'JSON',
    'VARCHAR[]',
  ])('refuses a column of %s', (type) => {
    expect(() =>
      open([columnSpec('VARCHAR', { name: 'a' }), columnSpec(type)], sink, { codec: 'none' }),
    ).toThrow(`column c is ${type}, which storage.parquet_engine: parquetjs-lite cannot write`)
  })

  test('names every column that it refuses', () => {
    const columns = [
      columnSpec('UUID', { name: 'a' }),
      columnSpec('VARCHAR', { name: 'b' }),
      columnSpec('JSON'),
    ]
    expect(() => open(columns, sink, { codec: 'none' })).toThrow(
      'cannot write the columns a (UUID), c (JSON)',
    )
  })

  test('refuses zstd, which it cannot write', () => {
    expect(() => open([columnSpec('INTEGER')], sink, { codec: 'zstd' })).toThrow(
      'parquetjs-lite cannot write storage.compression: zstd',
    )
  })

  test.each<[string, CellValue]>([
    ['BIGINT', 2n ** 53n],
    ['BIGINT', -(2n ** 63n)],
    ['DOUBLE', Number.NaN],
    ['DOUBLE', Number.POSITIVE_INFINITY],
    ['DOUBLE', -0],
    ['TIMESTAMP', -1n],
    ['INTEGER', '1'],
    ['BOOLEAN', 'false'],
  ])('refuses the %s %s, which it would alter, and all that follows', async (type, cell) => {
    const writer = open([columnSpec(type)], sink, { codec: 'none' })
    await expect(writer.appendRow([cell])).rejects.toThrow('parquetjs-lite would refuse or alter')
    expect(() => writer.appendRow([null])).toThrow('parquetjs-lite would refuse or alter')
  })

  test('takes no inherited member for a value', async () => {
    const columns = ['constructor', 'toString', 'value'].map((name) => columnSpec('VARCHAR', { name }))
    const parts: Uint8Array[] = []
    const writer = open(columns, async (bytes) => void parts.push(bytes), { codec: 'none' })
    await writer.appendRow([null, 'a', null])
    await writer.finish({})
    expect(await duckdb.query(`FROM ${duckdb.file(Buffer.concat(parts))}`)).toEqual([[null, 'a', null]])
    expect(() => open([columnSpec('VARCHAR', { name: '__proto__' })], sink, { codec: 'none' })).toThrow(
      'cannot write',
    )
  })

  test('says what its library says as an error', async () => {
    const writer = open([], sink, { codec: 'none' })
    await expect(writer.finish({})).rejects.toThrow(
      'parquetjs-lite: cannot write parquet file with zero fieldList',
    )
  })
})
