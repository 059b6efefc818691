import type { ColumnSpec } from '@huntfleet/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { createParquetWriter, type SealedRowGroups } from '../../src/parquet/parquet-writer.ts'
import { packMemory, unpackMemory } from '../../src/part-memory.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader } from './read-back.ts'

const columns: readonly ColumnSpec[] = [
  { ...columnSpec('DOUBLE'), name: 'd' },
  { ...columnSpec('BIGINT'), name: 'b' },
  { ...columnSpec('VARCHAR'), name: 'v' },
  { ...columnSpec('DECIMAL(38,10)'), name: 'm' },
  { ...columnSpec('BLOB'), name: 'x' },
  { ...columnSpec('VARCHAR[]'), name: 'l' },
  { ...columnSpec('JSON'), name: 'j' },
]
const doubles = [-0, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5, null]

const rowOf = (n: number): CellValue[] => [
  doubles[n % doubles.length] ?? null,
  n % 5 === 0 ? null : 2n ** 63n - 1n - BigInt(n),
  n % 4 === 0 ? null : `${'x'.repeat(n % 70)}é${n}`,
  n % 3 === 0 ? null : -(10n ** 37n) + BigInt(n),
  n % 6 === 0 ? null : Uint8Array.of(255, n % 256, 0),
  n % 2 === 0 ? null : ['a', null, `${n}`],
  n % 7 === 0 ? null : `{"n":${n}}`,
]

/** What went through the memory of a part in storage. */
async function remembered(groups: SealedRowGroups): Promise<SealedRowGroups> {
  const rejects = { total: 0, byColumn: [], kept: [] }
  const stage = { rows: 0, dropped: 0, duplicates: 0, keyless: 0, nulls: [], keys: [], rejects }
  return (await unpackMemory(await packMemory({ ledger: [], stage, groups }))).groups
}

/** The file of so many rows, sealed before each of `seals`; a new writer goes on each time, if `replaced`. */
async function sealedFile(rows: number, seals: ReadonlySet<number>, replaced: boolean): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const write = async (bytes: Uint8Array) => void parts.push(bytes)
  const open = () => createParquetWriter(columns, write, { rowGroupRows: 13, codec: 'snappy' })
  const sealed: SealedRowGroups[] = []
  let writer = open()
  for (let n = 0; n < rows; n++) {
    if (seals.has(n)) {
      sealed.push(await remembered(await writer.seal()))
      if (replaced) writer = open()
      if (replaced) writer.restore(sealed)
    }
    await writer.appendRow(rowOf(n))
  }
  await writer.finish({ key: 'value' })
  return Buffer.concat(parts)
}

test('a file that several writers wrote is, byte for byte, what one would have written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.nat(60), { maxLength: 5 }),
      async (rows, at) => {
        const seals = new Set(at)
        expect(await sealedFile(rows, seals, true)).toEqual(await sealedFile(rows, seals, false))
      },
    ),
    { numRuns: 60 },
  )
})

test('a file in parts is read by DuckDB as one, statistics and all', async () => {
  await using duckdb = await DuckDbReader.open()
  const file = duckdb.file(await sealedFile(60, new Set([5, 6, 30]), true))
  const rows = await duckdb.query(`FROM ${file}`)
  expect(rows).toEqual(Array.from({ length: 60 }, (_, n) => rowOf(n)))
  for (const n of [1, 7, 29, 59]) {
    const found = await duckdb.query(`SELECT count(*) FROM ${file} WHERE b = ${2n ** 63n - 1n - BigInt(n)}`)
    expect(found).toEqual(n % 5 === 0 ? [[0n]] : [[1n]])
  }
})

test('a writer that has rows does not go on behind others', async () => {
  const writer = createParquetWriter(columns, async () => {})
  const sealed = await writer.seal()
  await writer.appendRow(rowOf(1))
  expect(() => writer.restore([sealed])).toThrow('cannot go on behind others')
})
