import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { createParquetWriter } from '../../src/parquet/parquet-writer.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader, readByHyparquet, written } from './read-back.ts'
import { readByArrow } from './read-by-arrow.ts'
import { readByPolars } from './read-by-polars.ts'

/** Values of each type, the edges among them; the first is an ordinary one. */
const cells: Record<string, readonly CellValue[]> = {
  VARCHAR: ['abc', '', '😀', '\uffee', '\u{10ffff}', 'nul\u0000', 'x'.repeat(100_000), `${'x'.repeat(30)}y`],
  BOOLEAN: [true, false],
  TINYINT: [1, -128, 127],
  SMALLINT: [1, -32768, 32767],
  INTEGER: [1, -2147483648, 2147483647],
  BIGINT: [1n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n],
  UTINYINT: [1, 0, 255],
  USMALLINT: [1, 0, 65535],
  UINTEGER: [1, 0, 2147483648, 4294967295],
  UBIGINT: [1n, 0n, 2n ** 63n, 2n ** 64n - 1n],
  FLOAT: [1.5, -0, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Math.fround(3.4e38)],
  DOUBLE: [1.5, -0, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, -1.7e308],
  'DECIMAL(9,2)': [1234n, 0n, -1n, 999999999n, -999999999n],
  'DECIMAL(11,11)': [1n, 99999999999n, -99999999999n],
  'DECIMAL(18,4)': [12345n, 999999999999999999n, -999999999999999999n],
  'DECIMAL(19,0)': [12345n, 9999999999999999999n, -9999999999999999999n, -1n],
  'DECIMAL(38,10)': [12345n, 10n ** 38n - 1n, -(10n ** 38n) + 1n, -1n, 0n],
  'DECIMAL(38,0)': [1n, 10n ** 38n - 1n, -128n, 128n, -129n],
  DATE: [20_487, 0, -1, -719_162, 2_932_896],
  TIME: [1n, 0n, 86_399_999_999n],
  TIMESTAMP: [1_770_091_506_789_012n, 0n, -1n, -62_135_596_800_000_000n, 253_402_300_799_999_999n],
  TIMESTAMPTZ: [1_770_091_506_789_012n, 0n, -1n, -62_135_596_800_000_000n, 253_402_300_799_999_999n],
  UUID: [
    '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '80000000-0000-4000-8000-000000000001',
  ],
  BLOB: [
    Uint8Array.of(1, 2),
    Uint8Array.of(),
    Uint8Array.of(0xff, 0xff),
    Uint8Array.of(0x80),
    new Uint8Array(1000).fill(255),
  ],
  JSON: ['{"a":12345678901234567890}', 'null', '"text"', '[]', '1.50'],
  'VARCHAR[]': [['a', 'b'], [], [null], ['a', null, '']],
  'DOUBLE[]': [[1.5, -0], [], [null, 0]],
  'DECIMAL(38,10)[]': [[1n, -(10n ** 38n) + 1n], [null]],
  'TIMESTAMP[]': [[-62_135_596_800_000_000n], []],
  'UUID[]': [['6f9619ff-8b86-d011-b42d-00cf4fc964ff', null]],
  'JSON[]': [['{"a":1}', 'null'], []],
  'BOOLEAN[]': [[true, false, null], []],
  'BLOB[]': [[Uint8Array.of(0xff), null], []],
  'BIGINT[]': [[2n ** 63n - 1n, null], []],
}

/** What each type has to be in DuckDB. */
const readAs: Record<string, string> = { TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE' }

function scenarios(type: string): Record<string, readonly CellValue[]> {
  const values = cells[type] ?? []
  const ordinary = values[0] ?? null
  return {
    'its edge values': values,
    'one null': [ordinary, null, ordinary],
    'nulls only': Array<CellValue>(10).fill(null),
    'no rows': [],
    'few values often': Array.from({ length: 2_000 }, (_, index) => values[index % values.length] ?? null),
    // With 100 rows a group: values, nulls only, both.
    'nulls in some of its row groups': Array.from({ length: 300 }, (_, index) =>
      index >= 100 && (index < 200 || index % 3 === 0) ? null : (values[index % values.length] ?? null),
    ),
  }
}

const types = Object.keys(cells)
const cases = types.flatMap((type) =>
  Object.entries(scenarios(type)).map(([scenario, rows]) => ({ type, scenario, rows })),
)

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

describe('a Parquet file', () => {
  test.each(cases)('$type with $scenario is read back as it was', async ({ type, rows }) => {
    const bytes = await written(
      [columnSpec(type)],
      rows.map((cell) => [cell]),
      { rowGroupRows: 100 },
    )
    const file = duckdb.file(bytes)
    expect(await duckdb.query(`SELECT column_type FROM (DESCRIBE FROM ${file})`)).toEqual([
      [readAs[type] ?? type],
    ])
    expect(await duckdb.query(`FROM ${file}`)).toEqual(rows.map((cell) => [cell]))
    expect(await readByHyparquet(bytes)).toEqual(rows.map((cell) => asHyparquet(type, cell)))
    expect(readByArrow(bytes)).toEqual(rows)
    expect(readByPolars(bytes, type)).toEqual(rows)
  })

  test.each(types.filter((type) => !type.endsWith('[]')))(
    '%s: a filter finds every value by the statistics of its row group',
    async (type) => {
      const values = cells[type] ?? []
      const rows = values.flatMap((cell) => [cell, null, cell, cell])
      const file = duckdb.file(
        await written(
          [columnSpec(type)],
          rows.map((cell) => [cell]),
          { rowGroupRows: 8 },
        ),
      )
      const counts = await duckdb.query(
        `SELECT count(*) FROM ${file} AS a JOIN ${file} AS b ON a.c IS NOT DISTINCT FROM b.c`,
      )
      expect(counts).toEqual(
        await duckdb.query(`SELECT sum(n * n)::BIGINT FROM (SELECT count(*) n FROM ${file} GROUP BY c)`),
      )
      for (const value of await duckdb.query(`SELECT DISTINCT c::VARCHAR FROM ${file} WHERE c IS NOT NULL`)) {
        const literal = `'${String(value[0]).replaceAll("'", "''").replaceAll('\u0000', "' || chr(0) || '")}'`

        const equal = `c = (${literal})::${type}`
        const [found] = await duckdb.query(`SELECT count(*) FROM ${file} WHERE ${equal}`)
        const [there] = await duckdb.query(`SELECT count(*) FILTER (${equal}) FROM ${file}`)
        expect([literal.slice(0, 50), found]).toEqual([literal.slice(0, 50), there])
      }
      const [nulls] = await duckdb.query(`SELECT count(*) FROM ${file} WHERE c IS NULL`)
      expect(nulls).toEqual([BigInt(values.length)])
    },
  )

  test.each(types.filter((type) => !type.endsWith('[]')))(
    '%s: a row group says its bounds and its nulls',
    async (type) => {
      // DuckDB does not show infinite bounds.
      const rows = [...(cells[type] ?? []), null]
        .filter((cell) => typeof cell !== 'number' || Number.isFinite(cell))
        .map((cell) => [cell])
      const file = duckdb.file(await written([columnSpec(type)], rows))
      const columns = 'stats_min_value IS NOT NULL, stats_max_value IS NOT NULL, stats_null_count'
      expect(await duckdb.query(`SELECT ${columns} FROM parquet_metadata(${file})`)).toEqual([
        [true, true, 1n],
      ])
    },
  )

  test.each(['zstd', 'snappy', 'gzip', 'none'] as const)(
    'is read back with the compression %s',
    async (codec) => {
      const rows: CellValue[][] = Array.from({ length: 500 }, (_, index) => [
        `row ${index}`,
        index % 3 === 0 ? null : BigInt(index),
      ])
      const columns = [columnSpec('VARCHAR', { name: 'text' }), columnSpec('BIGINT', { name: 'number' })]
      const file = duckdb.file(await written(columns, rows, { codec, rowGroupRows: 200 }))
      expect(await duckdb.query(`FROM ${file}`)).toEqual(rows)
      const nothing = duckdb.file(
        await written(
          columns,
          rows.map(() => [null, null]),
          { codec },
        ),
      )
      expect(await duckdb.query(`SELECT count(*), count(text), count(number) FROM ${nothing}`)).toEqual([
        [500n, 0n, 0n],
      ])
      const name = { zstd: 'ZSTD', snappy: 'SNAPPY', gzip: 'GZIP', none: 'UNCOMPRESSED' }[codec]
      expect(await duckdb.query(`SELECT DISTINCT compression FROM parquet_metadata(${file})`)).toEqual([
        [name],
      ])
    },
  )

  test('has its columns in the given order, with and without rows, whatever their names are', async () => {
    const names = ['zulu', '__proto__', 'constructor', 'a1', 'root', 'list', 'element']
    const columns = names.map((name) => columnSpec('INTEGER[]', { name }))
    for (const rows of [[], [names.map((_, index) => [index])]]) {
      const file = duckdb.file(await written(columns, rows))
      expect(await duckdb.query(`SELECT column_name FROM (DESCRIBE FROM ${file})`)).toEqual(
        names.map((name) => [name]),
      )
      expect(await duckdb.query(`FROM ${file}`)).toEqual(rows)
    }
  })

  test('without rows lists no row groups as structs do, so that strict readers take it', async () => {
    const bytes = Buffer.from(await written([columnSpec('DECIMAL(11,11)')], [], {}, { key: 'value' }))
    expect(bytes.includes(Buffer.of(0x16, 0x00, 0x19, 0x0c))).toBe(true)
    expect(bytes.includes(Buffer.of(0x16, 0x00, 0x19, 0x00))).toBe(false)
  })

  test('carries its key-value metadata', async () => {
    for (const rows of [[], [[1]]]) {
      const file = duckdb.file(
        await written([columnSpec('INTEGER')], rows, {}, { outcome: 'complete', note: 'é' }),
      )
      expect(
        await duckdb.query(`SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata(${file})`),
      ).toEqual([
        ['outcome', 'complete'],
        ['note', '\\xC3\\xA9'],
      ])
    }
  })

  test('starts a row group after so many rows or so many bytes', async () => {
    const columns = [columnSpec('VARCHAR')]
    const groups = async (rows: CellValue[][], options: object): Promise<CellValue[][]> => {
      const file = duckdb.file(await written(columns, rows, options))
      return duckdb.query(`SELECT row_group_num_rows FROM parquet_metadata(${file}) ORDER BY row_group_id`)
    }
    const narrow = Array.from({ length: 25 }, () => ['x'])
    expect(await groups(narrow, { rowGroupRows: 10 })).toEqual([[10n], [10n], [5n]])
    const wide = Array.from({ length: 5 }, () => ['x'.repeat(1_000)])
    expect(await groups(wide, { rowGroupBytes: 2_000 })).toEqual([[2n], [2n], [1n]])
  })
})

describe('a Parquet writer', () => {
  const columns = [columnSpec('INTEGER')]

  test('holds a row back until the sink has taken the row group before it', async () => {
    const released: (() => void)[] = []
    const writer = createParquetWriter(columns, () => new Promise((resolve) => released.push(resolve)), {
      rowGroupRows: 2,
    })
    expect(writer.appendRow([1])).toBeUndefined()
    const pending = writer.appendRow([2])
    expect(pending).toBeInstanceOf(Promise)
    expect(() => writer.appendRow([3])).toThrow('the previous call has not ended')
    expect(released).toHaveLength(1)
    released[0]?.()
    await pending
    expect(writer.appendRow([3])).toBeUndefined()
    const finished = writer.finish({})
    await expect.poll(() => released.length).toBe(2)
    released[1]?.()
    await expect.poll(() => released.length).toBe(3)
    released[2]?.()
    expect(await finished).toEqual({ rows: 3 })
    expect(() => writer.appendRow([4])).toThrow('the file is finished')
  })

  test('hands the bytes over and does not touch them again', async () => {
    const parts: { bytes: Uint8Array; copy: Uint8Array }[] = []
    const writer = createParquetWriter(
      columns,
      async (bytes) => {
        parts.push({ bytes, copy: Uint8Array.from(bytes) })
      },
      { rowGroupRows: 1 },
    )
    for (let row = 0; row < 5; row++) await writer.appendRow([row])
    await writer.finish({})
    expect(parts).toHaveLength(6)
    for (const { bytes, copy } of parts) expect(bytes).toEqual(copy)
  })

  test('is of no use after an error of the sink, and keeps saying why', async () => {
    const full = new Error('disk full')
    const writer = createParquetWriter(columns, () => Promise.reject(full), { rowGroupRows: 1 })
    await expect(writer.appendRow([1])).rejects.toBe(full)
    expect(() => writer.appendRow([2])).toThrow(full)
    await expect(writer.finish({})).rejects.toBe(full)
  })

  test('is of no use after a cell of another type, and writes no footer', async () => {
    const parts: Uint8Array[] = []
    const writer = createParquetWriter(columns, async (bytes) => {
      parts.push(bytes)
    })
    await writer.appendRow(['no integer'])
    await expect(writer.finish({})).rejects.toThrow('no INTEGER reached the Parquet file: string no integer')
    await expect(writer.finish({})).rejects.toThrow('no INTEGER reached the Parquet file: string no integer')
    expect(Buffer.concat(parts).subarray(-4).toString()).not.toBe('PAR1')
  })

  test('refuses a row of another width', async () => {
    const writer = createParquetWriter(columns, async () => {})
    expect(() => writer.appendRow([1, 2])).toThrow('a row of 2 cells for a table of 1 columns')
    expect(await writer.finish({})).toEqual({ rows: 0 })
  })
})

/** A cell as hyparquet reads it. */
function asHyparquet(type: string, cell: CellValue): unknown {
  if (cell === null) return null
  if (Array.isArray(cell)) return cell.map((element) => asHyparquet(type.slice(0, -2), element))
  const scale = /^DECIMAL\(\d+,(\d+)\)$/.exec(type)?.[1]
  if (scale !== undefined) return expect.closeTo(Number(cell) / 10 ** Number(scale), -30)
  return cell
}
