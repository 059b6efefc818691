import { describe, expect, test } from 'vitest'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { Rejection } from '../../src/coerce/rejection.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

describe('lists', () => {
  testRules('VARCHAR[]', [
    ['["a","b"]', ['a', 'b']],
    ['[]', []],
    ['["a",null,""]', ['a', null, '']],
    ['[1.50,true,{"a":1},[2]]', ['1.50', 'true', '{"a":1}', '[2]']],
    ['"[\\"a\\", 1.50]"', ['a', '1.50']],
    ['""', null],
    ['null', null],
    ['"a"', rejected('"a" is not a list of VARCHAR')],
    ['"{\\"a\\":1}"', rejected('is not a list')],
    ['17', rejected('17 is not a list')],
    ['{}', rejected('an object is not a list')],
  ])
  testRules('BIGINT[]', [
    ['[443,"8080",null]', [443n, 8080n, null]],
    ['[9007199254740993,""]', [9007199254740993n, null]],
    ['[1,"x",2.5]', rejected('element 2: "x" is not a whole number; element 3: 2.5 has a fraction')],
  ])
  testRules('TIMESTAMP[]', [['[1000]', [1_000_000n]]], { format: 'ms' })

  test('keeps the good elements of a list with bad ones and counts each bad one', () => {
    const cell = compileCoercer(columnSpec('INTEGER[]'))(parseExact('[1,"x",3,{}]'))
    expect(cell).toBeInstanceOf(Rejection)
    expect(cell).toMatchObject({ stored: [1, null, 3, null], count: 2 })
  })

  test('counts all bad elements of a long list and keeps the reasons of the first thousand', () => {
    const cell = compileCoercer(columnSpec('INTEGER[]'))(Array.from({ length: 5_000 }, () => 'x'))
    expect(cell).toMatchObject({ count: 5_000, reasons: { length: 1_000 } })
  })
})
