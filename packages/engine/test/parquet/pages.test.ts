import { parquetMetadata, readColumnIndex, readOffsetIndex } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader, written } from './read-back.ts'

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

const column = (type: string, cells: readonly CellValue[]) =>
  written(
    [columnSpec(type)],
    cells.map((cell) => [cell]),
  )

/** The page indexes of the only column's first chunk. */
function indexes(bytes: Uint8Array) {
  const buffer = Uint8Array.from(bytes).buffer
  const { row_groups, schema } = parquetMetadata(buffer)
  const chunk = row_groups[0]?.columns[0]
  const reader = (offset: bigint, length: number) => ({
    view: new DataView(buffer, Number(offset), length),
    offset: 0,
  })
  const { column_index_offset, column_index_length, offset_index_offset, offset_index_length } = chunk ?? {}
  const element = schema[1]
  return {
    chunk,
    columns:
      column_index_offset === undefined || column_index_length === undefined || element === undefined
        ? undefined
        : readColumnIndex(reader(column_index_offset, column_index_length), element),
    offsets:
      offset_index_offset === undefined || offset_index_length === undefined
        ? undefined
        : readOffsetIndex(reader(offset_index_offset, offset_index_length)),
  }
}

async function encodings(bytes: Uint8Array): Promise<string> {
  const rows = await duckdb.query(`SELECT encodings FROM parquet_metadata(${duckdb.file(bytes)})`)
  return rows.join('; ')
}

async function expectCells(bytes: Uint8Array, cells: readonly CellValue[]): Promise<void> {
  expect(await duckdb.query(`FROM ${duckdb.file(bytes)}`)).toEqual(cells.map((cell) => [cell]))
}

describe('the pages of a column', () => {
  test('are indexed: where they stand, their first row, bounds and nulls', async () => {
    const cells = Array.from({ length: 45_000 }, (_, index) =>
      index >= 20_000 && (index < 40_000 || index % 2 === 0) ? null : index,
    )
    const bytes = await column('INTEGER', cells)
    await expectCells(bytes, cells)
    const { chunk, columns, offsets } = indexes(bytes)
    expect(columns).toMatchObject({
      null_pages: [false, true, false],
      null_counts: [0n, 20_000n, 2_500n],
      boundary_order: 'UNORDERED',
    })
    expect([columns?.min_values[0], columns?.max_values[0]]).toEqual([0, 19_999])
    expect([columns?.min_values[2], columns?.max_values[2]]).toEqual([40_001, 44_999])
    expect(offsets?.page_locations.map((page) => page.first_row_index)).toEqual([0n, 20_000n, 40_000n])
    expect(offsets?.page_locations[0]?.offset).toBe(chunk?.meta_data?.data_page_offset)
    expect(chunk?.meta_data?.statistics).toMatchObject({
      min_value: 0,
      max_value: 44_999,
      null_count: 22_500n,
    })
  })

  test('end at about a megabyte, however long the values are', async () => {
    const cells = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(300_000, '.'))
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    expect(indexes(bytes).offsets?.page_locations.map((page) => Number(page.first_row_index))).toEqual([
      0, 4, 8,
    ])
  })

  test('have no bounds where a NaN is among the values, in the index neither', async () => {
    const cells = Array.from({ length: 30_000 }, (_, index) => (index === 25_000 ? Number.NaN : index))
    const bytes = await column('DOUBLE', cells)
    await expectCells(bytes, cells)
    const { chunk, columns, offsets } = indexes(bytes)
    expect(columns).toBeUndefined()
    expect(offsets?.page_locations).toHaveLength(2)
    expect(chunk?.meta_data?.statistics).toMatchObject({ null_count: 0n })
    expect(chunk?.meta_data?.statistics?.max_value).toBeUndefined()
    const found = `SELECT count(*) FROM ${duckdb.file(bytes)} WHERE c = 'NaN'::DOUBLE`
    expect(await duckdb.query(found)).toEqual([[1n]])
  })

  test('have cut bounds of long texts that still enclose them, in the order of UTF-8', async () => {
    const texts = ['\uffee', '😀', 'é'.repeat(20), `${'z'.repeat(30)}`, '\u{10ffff}'.repeat(5)]
    const cells = Array.from({ length: 25_000 }, (_, index) => texts[index % texts.length] ?? null)
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    const { chunk } = indexes(bytes)
    expect(chunk?.meta_data?.statistics?.min_value).toBe('z'.repeat(16))
    for (const text of texts) {
      const found = `SELECT count(*) FROM ${duckdb.file(bytes)} WHERE c = '${text}'`
      expect(await duckdb.query(found)).toEqual([[5_000n]])
    }
  })

  test('of JSON leave long bounds out', async () => {
    const long = JSON.stringify('x'.repeat(1_000))
    const { chunk, columns } = indexes(await column('JSON', ['1', long]))
    expect(chunk?.meta_data?.statistics?.max_value).toBeUndefined()
    expect(columns).toBeUndefined()
  })
})

describe('the dictionary of a text column', () => {
  test('is used where values come again', async () => {
    const cells = Array.from({ length: 45_000 }, (_, index) =>
      index % 11 === 0 ? null : `value ${index % 300}`,
    )
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    expect(await encodings(bytes)).toBe('RLE, PLAIN, RLE_DICTIONARY')
    expect(bytes.length).toBeLessThan(60_000)
  })

  test('of one value costs next to nothing', async () => {
    const cells = Array.from({ length: 45_000 }, () => 'same')
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    expect(bytes.length).toBeLessThan(800)
  })

  test.each([
    ['at once where no value comes twice', 2_000, (index: number) => `${index}`],
    ['after more values where few come twice', 20_000, (index: number) => `${index % 15_000}`],
    ['for a small file where it would not pay', 10, (index: number) => `${index}`],
  ])('is given up %s', async (_, rows, cellAt) => {
    const cells = Array.from({ length: rows }, (_, index) => (index % 5 === 0 ? null : cellAt(index)))
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    expect(await encodings(bytes)).toBe('RLE, PLAIN')
  })

  test('is kept for its pages when it grows too large for those that follow', async () => {
    const wide = (index: number) => `${index}`.padStart(400, '.')
    const cells = Array.from({ length: 45_000 }, (_, index) =>
      index < 21_000 ? `value ${index % 300}` : wide(index % 5_000),
    )
    const bytes = await column('VARCHAR', cells)
    await expectCells(bytes, cells)
    const { chunk, columns } = indexes(bytes)
    expect(chunk?.meta_data?.encodings).toEqual(['RLE', 'PLAIN', 'RLE_DICTIONARY'])
    expect(columns?.null_pages.length).toBeGreaterThan(2)
    expect(chunk?.meta_data?.statistics?.max_value).toBe('value 99')
    const found = `SELECT count(*) FROM ${duckdb.file(bytes)} WHERE c = 'value 7' OR c = '${wide(22_000 % 5_000)}'`
    expect(await duckdb.query(found)).toEqual([
      [BigInt(cells.filter((cell) => cell === 'value 7' || cell === wide(2_000)).length)],
    ])
  })

  test('starts anew in each row group', async () => {
    const cells = Array.from({ length: 30 }, (_, index) => (index < 10 ? 'a' : index < 20 ? `${index}` : 'b'))
    const bytes = await written(
      [columnSpec('VARCHAR')],
      cells.map((cell) => [cell]),
      { rowGroupRows: 10 },
    )
    await expectCells(bytes, cells)
    expect(await encodings(bytes)).toBe('RLE, PLAIN, RLE_DICTIONARY; RLE, PLAIN; RLE, PLAIN, RLE_DICTIONARY')
  })
})
