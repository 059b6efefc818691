import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type IntegerKind, integerRanges } from '../../src/coerce/integer.ts'
import { ExactNumber } from '../../src/json/exact.ts'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

describe('integers', () => {
  testRules('INTEGER', [
    ['42', 42],
    ['42.0', 42],
    ['4.20e1', 42],
    ['42000E-3', 42],
    ['"42"', 42],
    ['" +7 "', 7],
    ['"\\t-7\\n"', -7],
    ['"007"', 7],
    ['"-007"', -7],
    ['"42.0"', 42],
    ['-0', 0],
    ['-0.0', 0],
    ['"-0"', 0],
    ['0e999999999999999999999', 0],
    ['2147483647', 2147483647],
    ['-2147483648', -2147483648],
    ['""', null],
    ['"  "', null],
    ['null', null],
    ['2147483648', rejected('2147483648 is out of range for INTEGER (-2147483648 to 2147483647)')],
    ['"-2147483649"', rejected('"-2147483649" is out of range for INTEGER')],
    ['1.5', rejected('1.5 has a fraction')],
    ['"1.5"', rejected('has a fraction')],
    ['1e-400', rejected('has a fraction')],
    ['1e400', rejected('1e400 is out of range')],
    ['1e99999999999999999999', rejected('out of range')],
    ['"12abc"', rejected('"12abc" is not a whole number')],
    ['"1,234"', rejected('is not a whole number')],
    ['"0x10"', rejected('is not a whole number')],
    ['"1_000"', rejected('is not a whole number')],
    ['"- 7"', rejected('is not a whole number')],
    ['"+"', rejected('is not a whole number')],
    ['"."', rejected('is not a whole number')],
    ['"e5"', rejected('is not a whole number')],
    ['"NaN"', rejected('is not a whole number')],
    ['"\u0664\u0662"', rejected('is not a whole number')],
    ['true', rejected('true is not a whole number')],
    ['{}', rejected('an object is not a whole number')],
    ['[1]', rejected('a list is not a whole number')],
  ])
  testRules('TINYINT', [
    ['127', 127],
    ['-128', -128],
    ['128', rejected('(-128 to 127)')],
    ['-129', rejected()],
  ])
  testRules('SMALLINT', [
    ['32767', 32767],
    ['-32768', -32768],
    ['32768', rejected('(-32768 to 32767)')],
  ])
  testRules('UTINYINT', [
    ['255', 255],
    ['256', rejected('(0 to 255)')],
    ['-1', rejected()],
    ['-0', 0],
  ])
  testRules('USMALLINT', [
    ['65535', 65535],
    ['70000', rejected('(0 to 65535)')],
  ])
  testRules('UINTEGER', [
    ['4294967295', 4294967295],
    ['4294967296', rejected()],
  ])
  testRules('BIGINT', [
    ['0', 0n],
    ['-0', 0n],
    ['9007199254740993', 9007199254740993n],
    ['"9007199254740993"', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775807.00', 9223372036854775807n],
    ['9.223372036854775807e18', 9223372036854775807n],
    ['1e18', 10n ** 18n],
    ['"000000000000000000000000000009"', 9n],
    ['9223372036854775808', rejected('9223372036854775808 is out of range for BIGINT')],
    ['-9223372036854775809', rejected()],
    ['1e19', rejected()],
    ['9007199254740993.5', rejected('fraction')],
  ])
  testRules('UBIGINT', [
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', rejected('(0 to 18446744073709551615)')],
    ['-1', rejected()],
  ])

  test('takes a plain number whose decimal spelling is not the number itself by its spelling', () => {
    // 1e23 is stored as 99999999999999991611392; the source said 10^23.
    expect(coerced(columnSpec('HUGEINT'), 1e23)).toBe(10n ** 23n)
  })

  const kinds: IntegerKind[] = [
    'TINYINT',
    'SMALLINT',
    'INTEGER',
    'BIGINT',
    'UTINYINT',
    'USMALLINT',
    'UINTEGER',
    'UBIGINT',
  ]
  test.each(kinds)('%s: every value in range comes back from its text', (kind) => {
    const { min, max } = integerRanges[kind]
    fc.assert(
      fc.property(fc.bigInt({ min, max }), (value) => {
        expect(BigInt(String(coerced(columnSpec(kind), String(value))))).toBe(value)
        expect(BigInt(String(coerced(columnSpec(kind), new ExactNumber(`${value}.0`))))).toBe(value)
      }),
    )
  })

  test.each(kinds)('%s: the neighbours of its range are rejects', (kind) => {
    const { min, max } = integerRanges[kind]
    expect(coerced(columnSpec(kind), String(min))).not.toHaveProperty('rejected')
    expect(coerced(columnSpec(kind), String(min - 1n))).toHaveProperty('rejected')
    expect(coerced(columnSpec(kind), String(max + 1n))).toHaveProperty('rejected')
  })

  test('reads a million digits, or what looks like them, in linear time', () => {
    const spent = cpuTime()
    for (const tail of ['', 'x', 'e', '.']) coerced(columnSpec('BIGINT'), '1'.repeat(1_000_000) + tail)
    expect(spent()).toBeLessThan(1_000)
  })
})
