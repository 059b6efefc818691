import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../src/coerce/cell-value.ts'
import { Rejection, reject } from '../src/coerce/rejection.ts'
import { ExactNumber } from '../src/json/exact.ts'
import { keptRejects, RejectsFile } from '../src/rejects.ts'
import { columnSpec } from './coerce/column-spec.ts'
import { DuckDbReader } from './parquet/read-back.ts'

const columns = [
  columnSpec('INTEGER', { name: 'port' }),
  columnSpec('VARCHAR', { name: 'user', sensitive: 'mask' }),
]
const plain = columns.slice(0, 1)

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

async function rowsOf(file: RejectsFile): Promise<CellValue[][]> {
  return duckdb.query(`FROM ${duckdb.file(await file.toParquet())}`)
}

describe('the rejects of a table', () => {
  test('hold no secret, neither in a value nor in a row that could not be read', async () => {
    const file = new RejectsFile(plain, (text) => text.replaceAll('hunter2', '***'))
    file.addCell(1, 1, 'port', reject('"hunter2" is not a number'), 'hunter2')
    file.addRow(1, { row: 2, reason: 'unclosed quote: hunter2', raw: 'a,"hunter2', stored: false })
    expect(await rowsOf(file)).toEqual([
      [1, 1n, 'port', '"***" is not a number', '"***"'],
      [1, 2n, null, 'unclosed quote: ***', 'a,"***'],
    ])
  })

  test('are rows of page, row, column, reason and the raw value as JSON', async () => {
    const file = new RejectsFile(plain)
    file.addCell(1, 2, 'port', reject('x is not a number'), 'x "quoted"')
    file.addCell(2, 1, 'port', reject('too large'), new ExactNumber('1e400'))
    file.addCell(2, 3, 'port', reject('null'), null)
    file.addCell(2, 4, 'port', reject('missing'), undefined)
    file.addRow(3, { row: 7, reason: 'unclosed quote', raw: 'a,"b', stored: false })
    expect(await rowsOf(file)).toEqual([
      [1, 2n, 'port', 'x is not a number', '"x \\"quoted\\""'],
      [2, 1n, 'port', 'too large', '1e400'],
      [2, 3n, 'port', 'null', 'null'],
      [2, 4n, 'port', 'missing', null],
      [3, 7n, null, 'unclosed quote', 'a,"b'],
    ])
    const described = await duckdb.query(`DESCRIBE FROM ${duckdb.file(await file.toParquet())}`)
    expect(described.map(([name, type]) => [name, type])).toEqual([
      ['page', 'INTEGER'],
      ['row', 'BIGINT'],
      ['column', 'VARCHAR'],
      ['reason', 'VARCHAR'],
      ['raw', 'VARCHAR'],
    ])
    expect(file.total).toBe(5)
    expect([...file.byColumn]).toEqual([['port', 4]])
  })

  test('are all counted, and the first thousand kept', async () => {
    const file = new RejectsFile(plain)
    for (let row = 1; row <= 1_500; row++) file.addCell(1, row, 'port', reject(`reason ${row}`), row)
    file.addRow(2, { row: 1, reason: 'r', raw: '', stored: false })
    expect({ total: file.total, kept: file.kept }).toEqual({ total: 1_501, kept: keptRejects })
    expect(file.byColumn.get('port')).toBe(1_500)
    const rows = await rowsOf(file)
    expect(rows).toHaveLength(1_000)
    expect(rows.at(-1)).toEqual([1, 1_000n, 'port', 'reason 1000', '1000'])
  })

  test('have one row for each bad element of a list', async () => {
    const file = new RejectsFile(plain)
    file.addCell(1, 1, 'port', new Rejection(['element 1: a', 'element 3: b'], 2, [null, 1, null]), [
      'a',
      1,
      'b',
    ])
    expect(file.total).toBe(2)
    expect(await rowsOf(file)).toEqual([
      [1, 1n, 'port', 'element 1: a', '["a",1,"b"]'],
      [1, 1n, 'port', 'element 3: b', '["a",1,"b"]'],
    ])
  })

  test('hold the beginning of a long value, cut between characters', async () => {
    const file = new RejectsFile(plain)
    file.addCell(1, 1, 'port', reject('long'), '😀'.repeat(10_000))
    const [[, , , , raw] = []] = await rowsOf(file)
    expect(raw).toBe(`"${'😀'.repeat(2_047)}\ufffd…`)
  })

  test('hold nothing of a sensitive column, nor of a row that may contain one', async () => {
    const file = new RejectsFile(columns)
    file.addCell(1, 1, 'port', reject('17 is bad'), 17)
    file.addCell(1, 1, 'user', reject('withheld'), 'hunter2')
    file.addRow(1, { row: 2, reason: 'near "hunter2"', raw: 'hunter2,17', stored: false })
    const rows = await rowsOf(file)
    expect(rows).toEqual([
      [1, 1n, 'port', '17 is bad', '17'],
      [1, 1n, 'user', 'withheld', '***'],
      [1, 2n, null, expect.stringContaining('withheld'), '***'],
    ])
    expect(file.byColumn.get('user')).toBe(1)
  })

  test('can be none', async () => {
    const file = new RejectsFile(columns)
    expect(file.total).toBe(0)
    expect([...file.byColumn]).toEqual([
      ['port', 0],
      ['user', 0],
    ])
    expect(await rowsOf(file)).toEqual([])
  })
})
