import { describe } from 'vitest'
import { rejected, testRules } from './coercion-table.ts'

describe('booleans', () => {
  testRules('BOOLEAN', [
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    ['1.0', true],
    ['-0', false],
    ...['true', 'TRUE', 't', 'T', 'yes', 'Yes', 'y', 'on', 'ON', '1', ' true '].map(
      (word) => [JSON.stringify(word), true] as const,
    ),
    ...['false', 'f', 'no', 'NO', 'n', 'off', '0', 'False'].map(
      (word) => [JSON.stringify(word), false] as const,
    ),
    ['""', null],
    ['"  "', null],
    ['null', null],
    ['2', rejected('2 is not a boolean (true, t, yes, y, on, 1, false, f, no, n, off, 0 in any case)')],
    ['-1', rejected()],
    ['0.5', rejected()],
    ['1e400', rejected()],
    ['"maybe"', rejected('"maybe" is not a boolean')],
    ['"1.0"', rejected()],
    ['"tr ue"', rejected()],
    ['[true]', rejected()],
    ['{}', rejected()],
  ])
})
