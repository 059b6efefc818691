import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPythonLiteral } from '../../src/adapters/python-literal.ts'
import { plainValue } from '../formats/parsed-page.ts'

const read = (text: string) => {
  const result = readPythonLiteral(text)
  if (result.fault !== undefined) return `fault: ${result.fault}`
  return result.end === text.length ? plainValue(result.value) : `rest: ${text.slice(result.end)}`
}

describe('readPythonLiteral', () => {
  test.each<[string, unknown]>([
    ['None', null],
    ['True', true],
    ['False', false],
    ['0', 0],
    ['-17', -17],
    ['9007199254740993', { number: '9007199254740993' }],
    ['12.0', { number: '12.0' }],
    ['0.875', 0.875],
    ['1e-07', { number: '1e-07' }],
    ['1e+16', { number: '1e+16' }],
    ['-0.0', { number: '-0.0' }],
    ['nan', 'NaN'],
    ['inf', 'Infinity'],
    ['-inf', '-Infinity'],
    ["'it''", "rest: '"],
    ["'O\\'Brien'", "O'Brien"],
    ['"it\'s"', "it's"],
    ["'C:\\\\tmp\\\\'", 'C:\\tmp\\'],
    ["'a\\nb\\r\\tc'", 'a\nb\r\tc'],
    ["'\\x41\\xa0\\u00e9\\u200b\\U0001f600'", 'A\u00a0é\u200b😀'],
    ["'\\0\\101\\x00'", '\0A\0'],
    ["'\\d\\q'", '\\d\\q'],
    ["'\\ud800x'", '\ufffdx'],
    ["'é漢😀 [\"{'", 'é漢😀 ["{'],
    ['[]', []],
    ['()', []],
    ['{}', {}],
    ["['a', 1, None, ]", ['a', 1, null]],
    ['(1,)', [1]],
    [
      "[[1, [2]], (3, {'k': [4]})]",
      [
        [1, [2]],
        [3, { k: [4] }],
      ],
    ],
    ["{'b': 1, 'a': {'x': None}}", { b: 1, a: { x: null } }],
    ['{1: 2, True: 3, None: 4, 1.5: 5}', { '1': 2, true: 3, null: 4, '1.5': 5 }],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}')],
  ])('reads %s', (text, value) => {
    expect(read(text)).toEqual(value)
  })

  test.each([
    ["['a', 'cut", 'the text ends inside a string'],
    ["['a', ", 'the text ends where a value should stand'],
    ["['a'", 'the text ends where "," or "]" should stand'],
    ["['a' 'b']", '"," or "]" should stand at character 6'],
    ['[1, 2)', '"," or "]" should stand'],
    ['[,]', 'a value should stand at character 2'],
    ['007', 'rest'],
    ["{'a'}", 'a ":" is missing'],
    ["{'a': }", 'a value should stand'],
    ['{[1]: 2}', 'no scalar'],
    ["{1: 'a', '1': 'b'}", 'two keys of a dict'],
    ['datetime.datetime(2026, 1, 2)', '"datetime.datetime" is no Python literal'],
    ["b'x'", '"b" is no Python literal'],
    ['null', '"null" is no Python literal'],
    ["'\\x4'", 'the escape \\x is broken'],
    ["'\\N{DASH}'", 'the escape \\N is broken'],
    ["'\\U00110000'", 'beyond Unicode'],
    ['...', 'a value should stand'],
    ['', 'the text ends'],
  ])('refuses %s', (text, reason) => {
    expect(read(text)).toMatch(reason.startsWith('rest') ? /^rest: / : /^fault: /)
    if (!reason.startsWith('rest')) expect(read(text)).toContain(reason)
  })

  test('refuses a hundred thousand levels and reads a thousand', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(readPythonLiteral(nested(100_000))).toEqual({ fault: 'nested deeper than 1000 levels' })
    expect(readPythonLiteral(nested(1000))).toMatchObject({ end: 2000 })
  })

  test('gives back any JSON value that Python prints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(withoutExactNumbers(read(repr(value)))).toEqual(withoutExactNumbers(value))
      }),
      { numRuns: 500 },
    )
  })
})

/** Python's repr of a JSON value; every other character of a string is written as an escape. */
function repr(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return `'${[...value].map(escaped).join('')}'`
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, member]) => `${repr(key)}: ${repr(member)}`)
      .join(', ')}}`
  return String(value)
}

function escaped(character: string, index: number): string {
  if (index % 2 === 0 && /[^\\'\n\r]/.test(character)) return character
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}

/** Numbers compare by value here; their spelling has its own rows above. */
function withoutExactNumbers(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    const isNumber = typeof member === 'object' && member !== null && Object.keys(member).join() === 'number'
    return isNumber
      ? Number(Object.values(member)[0])
      : typeof member === 'string'
        ? member.toWellFormed()
        : member
  })
}
