import { cpuTime } from '@huntfleet/testing'
import { describe, expect, it } from 'vitest'
import { RunError } from '../src/run-error.ts'
import { overlaidFile, parseYamlFile } from '../src/yaml-file.ts'

const parse = (text: string, file = 'f.yaml') => parseYamlFile(file, text, 'CONTRACT_INVALID')

function errorOf(text: string): RunError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  }
  throw new Error('the text was accepted')
}

const numbered = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i))

describe('a YAML file', () => {
  it('is read as JSON', () => {
    expect(
      parse('a: 1\nb: [x, 2.5, true, null, ~]\nc: {d: 0o17, e: 0x10, f: 2026-01-01, g: yes}\n').value,
    ).toEqual({
      a: 1,
      b: ['x', 2.5, true, null, null],
      c: { d: 15, e: 16, f: '2026-01-01', g: 'yes' },
    })
  })

  it('is null when it is empty or a comment', () => {
    expect(parse('').value).toBeNull()
    expect(parse('# nothing\n').value).toBeNull()
    expect(parse('').locate(['a'])).toEqual({ file: 'f.yaml', line: 1, column: 1 })
  })

  it('may be a list or a scalar', () => {
    expect(parse('- a\n').value).toEqual(['a'])
    expect(parse('just words').value).toBe('just words')
  })

  it('has keys that are texts, whatever they look like', () => {
    expect(parse('1: a\ntrue: b\n~: c\n').value).toEqual({ '1': 'a', true: 'b', '~': 'c' })
  })

  it('may have CRLF line ends and a BOM, which places do not count', () => {
    expect(parse('\uFEFFa: 1\r\nb: 2\r\n').value).toEqual({ a: 1, b: 2 })
    expect(parse('\uFEFFa: 1\r\nb: 2\r\n').locate(['a'])).toMatchObject({ line: 1, column: 4 })
    expect(parse('\uFEFFa: 1\r\nb: 2\r\n').locate(['b'])).toMatchObject({ line: 2, column: 4 })
  })

  it('keeps brackets and blanks in texts', () => {
    const text = `a: |\n  ${'['.repeat(300)}\n  ${' '.repeat(500)}x\n`
    expect(parse(text).value).toEqual({ a: `${'['.repeat(300)}\n${' '.repeat(500)}x\n` })
  })
})

describe('places', () => {
  const file = parse(
    'base: &b\n  x: 1\n  y: [p, q]\nuse:\n  <<: *b\n  z: 3\nalias: *b\nboth:\n  <<: [{w: 1}, *b]\n',
  )

  it.each<[string, (string | number)[], 'key' | 'value', number, number]>([
    ['of a value', ['base', 'x'], 'value', 2, 6],
    ['of a key', ['base', 'x'], 'key', 2, 3],
    ['of a list element', ['base', 'y', 1], 'value', 3, 10],
    ['of the parent when the key is missing', ['base', 'nope', 'deeper'], 'value', 1, 1],
    ['of a merged entry, where it is written', ['use', 'x'], 'value', 2, 6],
    ['of an own entry beside a merge', ['use', 'z'], 'value', 6, 6],
    ['behind an alias, where it is written', ['alias', 'y', 0], 'value', 3, 7],
    ['in a list of merged maps', ['both', 'w'], 'value', 9, 12],
    ['in the second of a list of merged maps', ['both', 'x'], 'value', 2, 6],
  ])('%s', (_, path, what, line, column) => {
    expect(file.locate(path, what)).toEqual({ file: 'f.yaml', line, column })
  })

  it('merges maps, own entries first', () => {
    expect(parse('b: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3\n').value).toMatchObject({ c: { x: 1, y: 3 } })
  })

  it('takes << in quotes for a key like any other', () => {
    const file = parse('a: {"<<": 5}\nb: {"<<": {x: 1}}\n')
    expect(file.value).toEqual({ a: { '<<': 5 }, b: { '<<': { x: 1 } } })
    expect(file.locate(['b', 'x'])).toEqual({ file: 'f.yaml', line: 2, column: 1 })
  })
})

describe('is refused with its place', () => {
  it.each<[string, string, number, number, RegExp]>([
    ['a duplicate key', 'a: 1\nb:\n  c: 1\n  c: 2\n', 4, 3, /the key "c" stands twice/],
    ['a duplicate quoted key', '"a b": 1\n"a b": 2\n', 2, 1, /the key "a b" stands twice/],
    ['a key that is the same text', '1: a\n"1": b\n', 2, 1, /the key "1" stands twice/],
    ['a second merge', 'b: &b {x: 1}\nc:\n  <<: *b\n  <<: *b\n', 4, 3, /"<<" stands twice/],
    ['a merge of what is no map', 'a: {<<: 5}', 1, 5, /<< takes a map/],
    ['__proto__', 'a:\n  __proto__: {x: 1}\n', 2, 3, /"__proto__" is not allowed/],
    ['a second document', 'a: 1\n---\nb: 2\n', 3, 1, /a second document/],
    ['an unknown tag', 'a: !env HOME\n', 1, 4, /Unresolved tag: !env/],
    ['a binary', 'a: 1\nb: !!binary aGk=\n', 2, 13, /b: not a text, number, list or map/],
    ['an unknown anchor', 'a: 1\nb: *nope\n', 2, 4, /no anchor &nope/],
    ['an anchor that holds itself', 'a: &a [*a]\n', 1, 8, /no anchor &a/],
    ['a map as a key', '? {a: b}\n: 1\n', 1, 3, /keys must be strings/],
    ['an unclosed bracket', 'a: [1, 2\nb: 3\n', 2, 1, /not valid YAML: .*end with a \]/],
    ['a tab as indentation', 'a:\n\tb: 1\n', 2, 1, /Tabs are not allowed/],
    ['an integer beyond 2^53', 'a:\n  b: 12345678901234567890\n', 2, 6, /a\.b: .*would lose digits.*quotes/],
    ['infinity', 'a: .inf\n', 1, 4, /a: Infinity is no number/],
    ['a number beyond all numbers', 'a: 1e999\n', 1, 4, /a: Infinity is no number/],
  ])('%s', (_, text, line, column, words) => {
    const error = errorOf(text)
    expect(error.code).toBe('CONTRACT_INVALID')
    expect(error.message).toMatch(words)
    expect(error.context).toMatchObject({ file: 'f.yaml', line, column })
  })

  it('every mistake at once, sorted by place', () => {
    const { message, context } = errorOf('a: 1\na: 2\nb: 1\nb: 2\nb: 3\n')
    expect(message).toBe('the key "a" stands twice; keep one of the two (and 2 more)')
    expect(context.issues?.map((issue) => issue.line)).toEqual([2, 4, 5])
  })

  it('keeps integers up to 2^53 exactly', () => {
    expect(parse('a: 9007199254740991\nb: -9007199254740991\n').value).toEqual({
      a: Number.MAX_SAFE_INTEGER,
      b: -Number.MAX_SAFE_INTEGER,
    })
    expect(errorOf('a: 9007199254740993\n').context.line).toBe(1)
  })

  it('does not repeat the digits, which may be a secret', () => {
    expect(errorOf('value: 12345678901234567890').message).not.toContain('1234567890')
  })
})

describe('an attack', () => {
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...numbered(8, (i) => {
      const [name, before] = ['bcdefghi'[i], 'abcdefgh'[i]]
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`
    }),
  ].join('\n')

  it.each<[string, string, RegExp]>([
    ['a billion laughs', laughs, /expanded more than 1000 times/],
    [
      'a billion merges',
      laughs.replace('[x,x,x,x,x,x,x,x,x]', '{x: 1}').replaceAll(/\[(\*.*)\]/g, '{<<: [$1]}'),
      /expanded more than 1000 times/,
    ],
    [
      'a hundred copies of a long list',
      `a: &a [${'x,'.repeat(5_000)}]\nb: [${Array(50).fill('*a').join(',')}]`,
      /more than 100000 values/,
    ],
    ['100,000 open brackets', '['.repeat(100_000), /nests deeper than 100 levels/],
    ['brackets behind quoted brackets', '["}",'.repeat(100_000), /nests deeper than 100 levels/],
    ['100,000 dashes in a line', '- '.repeat(100_000), /nests deeper than 100 levels/],
    ['100,000 question marks in a line', `a:\n  ${'? '.repeat(100_000)}`, /nests deeper than 100 levels/],
    [
      'deep indentation',
      numbered(1_000, (i) => `${' '.repeat(i)}a:`).join('\n'),
      /nests deeper than 100 levels/,
    ],
    [
      'deep nesting in an anchor that is used deep',
      `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(60)}*a${']'.repeat(60)}`,
      /nests deeper than 100 levels/,
    ],
    ['a million closing braces', '}'.repeat(1_000_000), /more than 100000 words/],
    ['60,000 keys', numbered(60_000, (i) => `k${i}: 1`).join('\n'), /more than 100000 words/],
    ['more than a mebibyte', `a: "${'x'.repeat(1 << 20)}"`, /larger than 1 MiB/],
  ])('%s is refused fast', (_, text, words) => {
    const spent = cpuTime()
    expect(errorOf(text).message).toMatch(words)
    expect(spent()).toBeLessThan(3_000)
  })

  it('a large honest file is read', () => {
    const text = numbered(2_000, (i) => `column_${i}: {type: BIGINT}`).join('\n')
    expect(Object.keys(parse(text).value ?? {})).toHaveLength(2_000)
  })

  it('an anchor used many times honestly is expanded', () => {
    const text = `a: &a {x: 1}\nb: [${Array(90).fill('*a').join(', ')}]`
    expect(parse(text).value).toMatchObject({ b: Array(90).fill({ x: 1 }) })
  })
})

describe('an overlay', () => {
  const below = parse('a: 1\nmap:\n  x: 1\n  list: [1, 2]\n', 'base.yaml')
  const above = parse('map:\n  list: [3]\n  new: 4\n', 'over.yaml')
  const both = overlaidFile(below, above)

  it('joins maps key by key and replaces everything else', () => {
    expect(both.value).toEqual({ a: 1, map: { x: 1, list: [3], new: 4 } })
  })

  it('knows which file a value stands in', () => {
    expect(both.locate(['map', 'x'])).toEqual({ file: 'base.yaml', line: 3, column: 6 })
    expect(both.locate(['map', 'list', 0])).toEqual({ file: 'over.yaml', line: 2, column: 10 })
    expect(both.locate(['map', 'new'], 'key')).toEqual({ file: 'over.yaml', line: 3, column: 3 })
  })

  it('over nothing is itself, and nothing over a file changes nothing', () => {
    expect(overlaidFile(parse(''), above).value).toEqual(above.value)
    expect(overlaidFile(below, parse('')).value).toEqual(below.value)
  })
})
