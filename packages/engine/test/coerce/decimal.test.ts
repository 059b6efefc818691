import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

describe('decimals', () => {
  testRules('DECIMAL(6,2)', [
    ['1.5', 150n],
    ['"1.5"', 150n],
    ['1.50', 150n],
    ['1.500000', 150n],
    ['19.99', 1999n],
    ['-9999.99', -999999n],
    ['9999.99', 999999n],
    ['-0.00', 0n],
    ['"  7 "', 700n],
    ['".5"', 50n],
    ['"0007"', 700n],
    ['1e3', 100000n],
    ['12345e-2', 12345n],
    ['""', null],
    ['null', null],
    ['10000', rejected('10000 is out of range for DECIMAL(6,2): at most 4 digits before the point')],
    ['"3.14159"', rejected('"3.14159" has more than the 2 decimal places of DECIMAL(6,2)')],
    ['0.001', rejected('decimal places')],
    ['1e400', rejected('out of range')],
    ['1e-400', rejected('decimal places')],
    ['"x"', rejected('"x" is not a decimal number')],
    ['"NaN"', rejected('not a decimal number')],
    ['true', rejected('not a decimal number')],
  ])
  testRules(
    'DECIMAL(4,2)',
    [
      ['1.005', 100n],
      ['1.015', 102n],
      ['1.0150000001', 102n],
      ['1.0050000001', 101n],
      ['1.004999', 100n],
      ['-1.015', -102n],
      ['-1.005', -100n],
      ['0.005', 0n],
      ['0.0051', 1n],
      ['0.015', 2n],
      ['0.0009', 0n],
      ['1e-400', 0n],
      ['99.994', 9999n],
      ['99.995', rejected('out of range')],
      ['-99.996', rejected('out of range')],
      ['100', rejected('out of range')],
    ],
    { round: 'half_even' },
  )
  testRules('HUGEINT', [
    ['99999999999999999999999999999999999999', 10n ** 38n - 1n],
    ['-99999999999999999999999999999999999999', -(10n ** 38n) + 1n],
    ['100000000000000000000000000000000000000', rejected('DECIMAL(38,0)')],
    ['1.5', rejected()],
  ])
  testRules('DECIMAL(38,38)', [
    ['0.12345678901234567890123456789012345678', 12345678901234567890123456789012345678n],
    ['1', rejected('at most 0 digits before the point')],
  ])
  testRules('DECIMAL(18,4)', [['99999999999999.9999', 999999999999999999n]])

  test('every decimal that fits is the same number as its text', () => {
    const column = columnSpec('DECIMAL(38,10)')
    const limit = 10n ** 38n - 1n
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), (unscaled) => {
        const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(11, '0')
        const text = `${unscaled < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`
        expect(coerced(column, text)).toBe(unscaled)
      }),
    )
  })
})
