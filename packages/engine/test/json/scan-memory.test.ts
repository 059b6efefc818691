import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrayScanner, scannedRowsOf } from '../../src/json/scanned-array.ts'
import type { ScannedRows } from '../../src/json/scanned-rows.ts'
import { CellBatch, form } from '../../src/parquet/cell-batch.ts'
import { hashOf } from '../../src/parquet/text-index.ts'

function scanned(values: readonly unknown[]): ScannedRows {
  const text = JSON.stringify(values.map((value) => (value === undefined ? {} : { v: value })))
  const rows = scannedRowsOf(arrayScanner(text.toWellFormed())(0)?.value ?? [])
  if (rows === undefined) throw new Error('objects in an array are scanned')
  return rows
}

/** The texts of the rows under `v`, and how many others there are. */
function textsOf(rows: ScannedRows): { batch: CellBatch; others: number } {
  const field = rows.fields.get('v')
  if (field === undefined) throw new Error('no row has a value')
  const batch = new CellBatch(new Array(rows.length).fill(null), rows.length)
  const first = rows.places + 2 * field.place
  return { batch, others: rows.memory.texts(first, rows.stride, rows.length, batch) }
}

/** What `gather` gives, as texts. */
function separated(piece: Uint8Array): string[] {
  const texts: string[] = []
  const bytes = Buffer.from(piece)
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readInt32LE(at)
    texts.push(bytes.toString('utf8', at + 4, end))
    at = end
  }
  return texts
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((any) => any.toWellFormed()),
  fc.constantFrom(
    '',
    'a',
    'ab',
    'abc',
    'abcd',
    'x'.repeat(15),
    'x'.repeat(16),
    'x'.repeat(17),
    'C:\\x "y"',
    'ä€😀',
  ),
)
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constantFrom(undefined, null, true, 7, -1.5),
  fc.constantFrom([], {}),
)

describe('texts of scanned rows', () => {
  test('are found with their hashes, and all else is left to the caller', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 256 }), (values) => {
        if (values.every((one) => one === undefined)) return
        const rows = scanned(values)
        const { batch, others } = textsOf(rows)
        const expected = values.map((one) => (one === null || typeof one === 'object' ? undefined : one))
        batch.texts = rows.memory
        const texts = values.map((_, at) => (batch.forms[at] === form.text ? batch.value(at) : undefined))
        expect(texts).toEqual(expected.map((one) => (one === undefined ? undefined : String(one))))
        expect(others).toBe(expected.filter((one) => one === undefined).length)
        const { view } = rows.memory
        for (const at of values.keys()) {
          if (batch.forms[at] !== form.text) continue
          expect(batch.hashes[at]).toBe(hashOf(view, batch.starts[at] ?? 0, batch.ends[at] ?? 0))
        }
        rows.release()
      }),
    )
  })

  test('come in one piece, from any row to any other', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.nat(), fc.nat(), (values, a, b) => {
        if (values.every((one) => one === undefined)) return
        const rows = scanned(values)
        const { batch } = textsOf(rows)
        const [from = 0, to = 0] = [a, b].map((at) => at % (values.length + 1)).sort((x, y) => x - y)
        const wanted = values
          .slice(from, to)
          .filter((one) => one !== undefined && one !== null && typeof one !== 'object')
        const piece = rows.memory.gather(batch, from, to)
        expect(separated(piece ?? Buffer.from('none'))).toEqual(wanted.map(String))
        rows.release()
      }),
    )
  })

  test('come in none where they are too long, and leave what is behind them as it was', () => {
    const rows = scanned(['x'.repeat(100_000), 'y'.repeat(31_000), 'z'.repeat(60)])
    const { batch } = textsOf(rows)
    const before = Buffer.from(rows.memory.bytes)
    expect(rows.memory.gather(batch, 0, 3)).toBe(null)
    expect(separated(rows.memory.gather(batch, 0, 2) ?? Buffer.from('none'))).toHaveLength(2)
    expect(rows.row(2)).toEqual(new Map([['v', 'z'.repeat(60)]]))
    const begin = before.indexOf('[{"v"')
    expect(Buffer.compare(before.subarray(begin), rows.memory.bytes.subarray(begin))).toBe(0)
    rows.release()
  })
})
