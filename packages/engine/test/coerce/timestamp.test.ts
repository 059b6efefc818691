import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { coerced, type Rule, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n

const written: readonly Rule[] = [
  ['"2026-02-03T04:05:06Z"', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03t04:05:06z"', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03 04:05:06"', at('2026-02-03T04:05:06Z')],
  ['" 2026-02-03T04:05:06Z "', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03T04:05Z"', at('2026-02-03T04:05:00Z')],
  ['"2026-02-03 04:05"', at('2026-02-03T04:05:00Z')],
  ['"2026-02-03"', at('2026-02-03T00:00:00Z')],
  ['"2026-02-03T04:05:06.7Z"', at('2026-02-03T04:05:06.700Z')],
  ['"2026-02-03 04:05:06,789"', at('2026-02-03T04:05:06.789Z')],
  ['"2026-02-03T04:05:06.789012Z"', at('2026-02-03T04:05:06.789Z') + 12n],
  ['"2026-02-03T04:05:06.789012999Z"', at('2026-02-03T04:05:06.789Z') + 12n],
  ['"2026-02-03T04:05:06.7890123456789012Z"', at('2026-02-03T04:05:06.789Z') + 12n],
  ['"2026-02-03T04:05:06+05:30"', at('2026-02-02T22:35:06Z')],
  ['"2026-02-03T04:05:06.7-08:00"', at('2026-02-03T12:05:06.700Z')],
  ['"2026-02-03T04:05:06.789+0000"', at('2026-02-03T04:05:06.789Z')],
  ['"2026-02-03 04:05:06+00"', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03 04:05:06 -0330"', at('2026-02-03T07:35:06Z')],
  ['"2026-02-03 04:05:06 UTC"', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03 04:05:06 gmt"', at('2026-02-03T04:05:06Z')],
  ['"2026-02-03T04:05:06-00:00"', at('2026-02-03T04:05:06Z')],
  ['"1969-12-31T23:59:59.5Z"', -500_000n],
  ['"1969-12-31T23:59:59.9999999Z"', -1n],
  ['"0001-01-01T00:00:00Z"', -62_135_596_800_000_000n],
  ['"9999-12-31T23:59:59.999999Z"', 253_402_300_799_999_999n],
  ['"2024-02-29"', at('2024-02-29T00:00:00Z')],
  ['"2000-02-29"', at('2000-02-29T00:00:00Z')],
  ['"2016-12-31T23:59:60Z"', at('2017-01-01T00:00:00Z')],
  ['"1990-12-31T15:59:60.25-08:00"', at('1991-01-01T00:00:00.250Z')],
  ['""', null],
  ['"  "', null],
  ['null', null],
  ['"2026-02-30"', rejected('"2026-02-30" names a day that does not exist')],
  ['"2026-02-29T00:00:00Z"', rejected('names a day that does not exist')],
  ['"1900-02-29"', rejected('names a day')],
  ['"2026-13-01"', rejected('names a day')],
  ['"2026-00-01"', rejected('names a day')],
  ['"2026-01-00"', rejected('names a day')],
  ['"0000-01-01"', rejected('names a day')],
  ['"2026-02-03T24:00:00Z"', rejected('names a time that does not exist')],
  ['"2026-02-03T04:60:00Z"', rejected('names a time')],
  ['"2026-02-03T04:05:61Z"', rejected('names a time')],
  ['"2026-02-03T04:05:60Z"', rejected('has second 60 where there is no leap second')],
  ['"2026-02-03T23:59:60Z"', rejected('no leap second')],
  ['"0001-01-01T00:00:00+00:01"', rejected('is outside the years 0001 to 9999')],
  ['"9999-12-31T23:59:59-00:01"', rejected('is outside the years')],
  ['"2026-02-03T04:05:06+24:00"', rejected('is not a time')],
  ['"2026-02-03T04:05:06+05:60"', rejected('is not a time')],
  ['"2026-02-03T04:05:06.Z"', rejected('is not a time')],
  ['"2026-02-03T04:05:06ZZ"', rejected('is not a time')],
  ['"2026-02-03T04:05:06 CET"', rejected('is not a time')],
  ['"2026-02-03T04"', rejected('is not a time')],
  ['"2026-02-03T4:05:06Z"', rejected('is not a time')],
  ['"2026-2-3"', rejected('is not a time')],
  ['"2026-02-03T"', rejected('is not a time')],
  ['"2026-02-03Z"', rejected('is not a time')],
  ['"+12026-02-03T04:05:06Z"', rejected('is not a time')],
  ['"02/03/2026"', rejected('is not a time')],
  ['"04:05:06"', rejected('"04:05:06" is a time without a date')],
  ['"yesterday"', rejected('is not a time')],
]

describe('timestamps', () => {
  testRules('TIMESTAMP', written)
  testRules('TIMESTAMPTZ', written)

  test('every microsecond of the years 1 to 9999 comes back from RFC 3339 text, in any offset', () => {
    const coerce = compileCoercer(columnSpec('TIMESTAMP'))
    const micros = fc.bigInt({ min: -62_135_510_400_000_000n, max: 253_402_214_400_000_000n })
    fc.assert(
      fc.property(micros, fc.integer({ min: -839, max: 839 }), (value, offset) => {
        const rest = ((value % 1_000_000n) + 1_000_000n) % 1_000_000n
        const local = new Date(Number((value - rest) / 1000n) + offset * 60_000).toISOString().slice(0, 19)
        const minutes = Math.abs(offset)
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
        expect(coerce(`${local}.${String(rest).padStart(6, '0')}${zone}`)).toBe(value)
      }),
    )
  })

  test('refuses a text of a million characters at once', () => {
    const spent = cpuTime()
    for (const text of [
      `2026-02-03T04:05:06.${'1'.repeat(1e6)}x`,
      `2026-02-03T04:05:06${' '.repeat(1e6)}x`,
    ]) {
      expect(coerced(columnSpec('TIMESTAMP'), text)).toHaveProperty('rejected')
    }
    expect(spent()).toBeLessThan(1_000)
  })
})

function two(number: number): string {
  return String(number).padStart(2, '0')
}
