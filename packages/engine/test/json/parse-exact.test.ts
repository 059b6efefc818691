import { RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactJson } from '../../src/json/compact.ts'
import { type Exact, type ExactArray, ExactNumber, type ExactObject } from '../../src/json/exact.ts'
import type { Span } from '../../src/json/json-reader.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { toPlain } from '../../src/json/to-plain.ts'

function failureOf(action: () => unknown): RunError {
  try {
    action()
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  }
  throw new Error('expected a RunError')
}

describe('parseExact', () => {
  const numbers: [text: string, value: Exact][] = [
    ['0', 0],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', new ExactNumber('9007199254740993')],
    ['12345678901234567890', new ExactNumber('12345678901234567890')],
    ['0.875', 0.875],
    ['1.50', new ExactNumber('1.50')],
    ['1e5', new ExactNumber('1e5')],
    ['1e400', new ExactNumber('1e400')],
    ['-0', new ExactNumber('-0')],
    ['-0.0', new ExactNumber('-0.0')],
    ['1E+2', new ExactNumber('1E+2')],
  ]
  it.each(numbers)('reads the number %s without changing a digit', (text, value) => {
    expect(parseExact(text)).toEqual(value)
    expect(compactJson(parseExact(`[${text}]`))).toBe(`[${text}]`)
  })

  const invalid = [
    '',
    '  ',
    '{',
    '[',
    '[1,]',
    '[1 2]',
    '{"a"}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '01',
    '-',
    '1.',
    '.5',
    '1e',
    '+1',
    'NaN',
    'Infinity',
    '-Infinity',
    'tru',
    'nul',
    'undefined',
    '"a',
    '"\\x41"',
    '"\\u12"',
    '"a\nb"',
    '"\u0000"',
    '[1]]',
    '{} {}',
    ']',
    '[}',
    '{]',
    '[1}',
    '\u00a0[]',
  ]
  it.each(invalid.map((text) => [text]))('refuses %j', (text) => {
    expect(failureOf(() => parseExact(text)).code).toBe('PARSE_FAILED')
  })

  it('agrees with JSON.parse on what is JSON, for any text of JSON characters', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}[],:"\\ntrufalse019.-+eE \n\tu') })
    fc.assert(
      fc.property(text, (sample) => {
        expect(parses(() => parseExact(sample))).toBe(parses(() => JSON.parse(sample)))
      }),
      { numRuns: 3_000 },
    )
  })

  it('agrees with JSON.parse on every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(toPlain(parseExact(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('gives back every value through compactJson', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value = parseExact(text)
        expect(parseExact(compactJson(value))).toEqual(value)
      }),
    )
  })

  it('says where the fault is and shows what stands there', () => {
    const error = failureOf(() => parseExact('{\n  "a": 1,\n  "b": nope\n}'))
    expect(error.context).toMatchObject({ line: 3, column: 8 })
    expect(error.message).toContain('nope')
    expect(error.context.hint).toContain('response_format')
  })

  it('points at the bad escape itself', () => {
    expect(failureOf(() => parseExact('["ok \\n", "bad \\q"]')).context.column).toBe(16)
  })

  it('drops a byte order mark at the start only', () => {
    expect(parseExact('\ufeff["\ufeffx"]')).toEqual(['\ufeffx'])
  })

  it('makes lone surrogates U+FFFD and leaves pairs, NUL and control escapes alone', () => {
    expect(parseExact('["\\ud83d end", "\\ud83d\\ude00", "\ud83d", "\\u0000", "\\u202e"]')).toEqual([
      '\ufffd end',
      '😀',
      '\ufffd',
      '\0',
      '\u202e',
    ])
  })

  it('keeps the order of keys, also of digits, and the last value of a doubled key', () => {
    const value = parseExact('{"b":1,"10":2,"2":3,"b":4}')
    expect(value).toEqual(
      new Map([
        ['b', 4],
        ['10', 2],
        ['2', 3],
      ]),
    )
    expect(compactJson(value)).toBe('{"b":4,"10":2,"2":3}')
  })

  it('takes __proto__ and constructor for keys', () => {
    const value = parseExact('{"__proto__":{"polluted":"yes"},"constructor":1}')
    expect(value instanceof Map && [...value.keys()]).toEqual(['__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('tells keys apart whose hashes collide', () => {
    // "Aa" and "BB" have the same hash in base 31.
    expect(compactJson(parseExact('[{"Aa":1,"BB":2},{"BB":3,"Aa":4}]'))).toBe(
      '[{"Aa":1,"BB":2},{"BB":3,"Aa":4}]',
    )
  })

  it('reads a million levels of nesting', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
    expect(compactJson(parseExact(deep)) === deep).toBe(true)
    expect(failureOf(() => parseExact('{"a":'.repeat(100_000))).code).toBe('PARSE_FAILED')
  })

  it('reads Python’s words for numbers as strings when asked to', () => {
    const value = parseExact('[NaN, Infinity, -Infinity, "NaN"]', { lenientNumbers: true })
    expect(value).toEqual(['NaN', 'Infinity', '-Infinity', 'NaN'])
    expect(parses(() => parseExact('[Nan]', { lenientNumbers: true }))).toBe(false)
  })

  it('records the places of containers down to the depth asked for', () => {
    const text = ' {"a": [ {"b": []} ], "c": {}} '
    const spans = new Map<ExactArray | ExactObject, Span>()
    parseExact(text, { spans, spanDepth: 1 })
    const pieces = [...spans.values()].map(([start, end]) => text.slice(start, end))
    expect(pieces).toEqual(['[ {"b": []} ]', '{}', text.trim()])
  })
})

function parses(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
