import type { FieldSource } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { compactJson } from '../src/json/compact.ts'
import { isExactObject } from '../src/json/exact.ts'
import { parseExact } from '../src/json/parse-exact.ts'
import { compileMapping, sourceName } from '../src/mapping.ts'

/** What a column with these sources is read as, as JSON text; undefined when the row has nothing. */
function read(text: string, sources: FieldSource[], nullValues: string[] = []): string | undefined {
  const row = parseExact(text)
  if (!isExactObject(row)) throw new Error('not a row')
  const value = compileMapping([sources], nullValues)[0]?.(row)
  return value === undefined ? undefined : compactJson(value)
}

const path = (text: string): FieldSource => ({ from: 'path', path: text })

describe('compileMapping', () => {
  test.each<[string, string, FieldSource[], string | undefined]>([
    ['a path', '{"a":{"b":1}}', [path('a.b')], '1'],
    ['the key with dots before the nested one', '{"a.b":2,"a":{"b":1}}', [path('a.b')], '2'],
    ['nothing where the row has none', '{}', [path('a')], undefined],
    ['the first of several that is not null', '{"a":null,"b":"x"}', [path('a'), path('b')], '"x"'],
    ['false and 0 and "" as values', '{"a":false,"b":1}', [path('a'), path('b')], 'false'],
    ['null where all are null', '{"a":null}', [path('a'), path('b')], 'null'],
    ['a constant', '{}', [{ from: 'value', value: { k: [1] } }], '{"k":[1]}'],
    ['a constant as the last resort', '{}', [path('a'), { from: 'value', value: 7 }], '7'],
    [
      'the whole row, with its numbers as spelled',
      '{"b":1.50,"a":9007199254740993}',
      [{ from: 'row' }],
      '{"b":1.50,"a":9007199254740993}',
    ],
    ['a key like a prototype’s', '{"x":1}', [path('constructor')], undefined],
  ])('reads %s', (_, row, sources, expected) => {
    expect(read(row, sources)).toBe(expected)
  })

  test('reads texts that null_values lists as null, and goes on to the next source', () => {
    expect(read('{"a":"N/A","b":"-"}', [path('a')], ['N/A', '-'])).toBe('null')
    expect(read('{"a":"N/A","b":"x"}', [path('a'), path('b')], ['N/A'])).toBe('"x"')
    expect(read('{"a":"n/a"}', [path('a')], ['N/A'])).toBe('"n/a"')
  })

  test('reads a column without sources as null', () => {
    expect(read('{"a":1}', [])).toBe('null')
  })
})

describe('sourceName', () => {
  test('names what a mapping reads', () => {
    expect(sourceName([path('a.b'), { from: 'value', value: 'x' }, { from: 'row' }])).toBe(
      'a.b | value "x" | $',
    )
  })
})
