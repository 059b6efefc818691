import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { Rejection } from '../../src/coerce/rejection.ts'
import type { Exact } from '../../src/json/exact.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { DuckDbReader, written } from './read-back.ts'

let duckdb: DuckDbReader
beforeAll(async () => {
  duckdb = await DuckDbReader.open()
})
afterAll(async () => {
  await duckdb[Symbol.asyncDispose]()
})

/** What DuckDB says of values that went through coercion and a file, as text. */
async function throughFile(
  type: string,
  values: readonly Exact[],
  expression = 'c::VARCHAR',
): Promise<CellValue[]> {
  const coerce = compileCoercer(columnSpec(type))
  const rows = values.map((value): CellValue[] => {
    const cell = coerce(value)
    if (cell instanceof Rejection) throw new Error(cell.reasons.join())
    return [cell]
  })
  const file = duckdb.file(await written([columnSpec(type)], rows, { rowGroupRows: 64 }))
  return (await duckdb.query(`SELECT ${expression} FROM ${file}`)).map(([cell]) => cell ?? null)
}

const runs = { numRuns: 15 }
const many = { minLength: 1, maxLength: 200 }

describe('text that was coerced and written', () => {
  test.each([
    [9, 2],
    [18, 4],
    [38, 10],
    [38, 0],
  ])('is the same DECIMAL(%i,%i) in DuckDB', async (precision, scale) => {
    const limit = 10n ** BigInt(precision) - 1n
    const text = fc.bigInt({ min: -limit, max: limit }).map((unscaled) => {
      const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
      const point = digits.length - scale
      return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? '.' : ''}${digits.slice(point)}`
    })
    await fc.assert(
      fc.asyncProperty(fc.array(text, many), async (texts) => {
        expect(await throughFile(`DECIMAL(${precision},${scale})`, texts)).toEqual(texts)
      }),
      runs,
    )
  })

  test.each(['TIMESTAMP', 'TIMESTAMPTZ'])('is the same %s in DuckDB, from year 1 to 9999', async (type) => {
    const day = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    const text = fc.tuple(day, fc.integer({ min: 0, max: 999_999 })).map(([date, micros]) => {
      return `${date.toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}`
    })
    await fc.assert(
      fc.asyncProperty(fc.array(text, many), async (texts) => {
        const read = await throughFile(
          type,
          texts,
          `strftime(make_timestamp(epoch_us(c)), '%Y-%m-%dT%H:%M:%S.%f')`,
        )
        expect(read.map((cell) => String(cell).padStart(26, '0'))).toEqual(texts)
      }),
      runs,
    )
  })

  test('is the same VARCHAR in DuckDB, whatever its characters', async () => {
    const text = fc.string({ unit: 'binary' })
    await fc.assert(
      fc.asyncProperty(fc.array(text, many), async (texts) => {
        expect(await throughFile('VARCHAR', texts, 'c')).toEqual(texts)
      }),
      runs,
    )
  })

  test('is the same DOUBLE in DuckDB', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double(), many), async (numbers) => {
        const texts = numbers.map((number) => (Object.is(number, -0) ? '-0' : String(number)))
        expect(await throughFile('DOUBLE', texts, 'c')).toEqual(numbers)
      }),
      runs,
    )
  })
})
