import { describe } from 'vitest'
import { rejected, testRules } from './coercion-table.ts'

describe('JSON', () => {
  testRules('JSON', [
    ['{"b": 1.50, "a": [1, 2]}', '{"b":1.50,"a":[1,2]}'],
    ['[]', '[]'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.50', '1.50'],
    ['true', 'true'],
    ['null', null],
    ['"{\\"b\\": 12345678901234567890, \\"a\\": null}"', '{"b":12345678901234567890,"a":null}'],
    ['" [1, 2] "', '[1,2]'],
    ['"\\"quoted\\""', '"quoted"'],
    ['"null"', 'null'],
    ['"17"', '17'],
    ['"\\"half \\\\ud83d\\""', '"half \ufffd"'],
    ['""', null],
    ['"  "', null],
    ['"plain text"', rejected('"plain text" is not JSON text')],
    ['"{\\"a\\":"', rejected('is not JSON text')],
    ['"{\'a\': 1}"', rejected('is not JSON text')],
    ['"[1,]"', rejected()],
    ['"NaN"', rejected()],
  ])
})
