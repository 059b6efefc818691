import { describe, expect, test } from 'vitest'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

describe('floats', () => {
  testRules('DOUBLE', [
    ['1.5', 1.5],
    ['1', 1],
    ['-0', -0],
    ['"-0.0"', -0],
    ['0.1', 0.1],
    ['".5"', 0.5],
    ['"5."', 5],
    ['" +1.50 "', 1.5],
    ['"007.5"', 7.5],
    ['"1e-7"', 1e-7],
    ['1e308', 1e308],
    ['1e-400', 0],
    ['9007199254740993', 9007199254740992],
    ['"NaN"', Number.NaN],
    ['"nan"', Number.NaN],
    ['"Infinity"', Number.POSITIVE_INFINITY],
    ['"-INF"', Number.NEGATIVE_INFINITY],
    ['" +inf "', Number.POSITIVE_INFINITY],
    ['""', null],
    ['" "', null],
    ['null', null],
    ['1e400', rejected('1e400 is out of range for DOUBLE')],
    ['"-1e400"', rejected('out of range')],
    ['"abc"', rejected('"abc" is not a number')],
    ['"12abc"', rejected()],
    ['"0x10"', rejected()],
    ['"1,5"', rejected()],
    ['"infinite"', rejected()],
    ['"constructor"', rejected()],
    ['false', rejected('false is not a number')],
    ['[]', rejected()],
    ['{}', rejected()],
  ])
  testRules('FLOAT', [
    ['1.5', 1.5],
    ['0.1', Math.fround(0.1)],
    ['3.4028234e38', Math.fround(3.4028234e38)],
    ['"Infinity"', Number.POSITIVE_INFINITY],
    ['3.5e38', rejected('3.5e38 is out of range for FLOAT')],
    ['-1e39', rejected('out of range for FLOAT')],
  ])
  testRules('REAL', [['1.5', 1.5]])

  test('takes what an adapter already has as NaN or Infinity', () => {
    expect(coerced(columnSpec('DOUBLE'), Number.NaN)).toBe(Number.NaN)
    expect(coerced(columnSpec('FLOAT'), Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY)
  })
})
