import type { ColumnSpec, FieldSource } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileFastRows, type FastTable } from '../../src/json/fast-rows.ts'
import { protectedCoercer } from '../../src/sensitive.ts'
import { columnSpec } from '../coerce/column-spec.ts'
import { comparable, exactPage, wholePage } from './exact-page.ts'

const types = [
  ...['VARCHAR', 'BOOLEAN', 'TINYINT', 'INTEGER', 'BIGINT', 'UINTEGER', 'UBIGINT', 'FLOAT', 'DOUBLE'],
  ...['DECIMAL(9,2)', 'DECIMAL(38,10)', 'DECIMAL(38,0)', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMPTZ'],
  ...['UUID', 'BLOB', 'JSON', 'VARCHAR[]', 'BIGINT[]', 'DOUBLE[]', 'TIMESTAMP[]', 'JSON[]'],
]

const path = (text: string): FieldSource[] => [{ from: 'path', path: text }]

function table(columns: [ColumnSpec, readonly FieldSource[]][], more: Partial<FastTable> = {}): FastTable {
  return {
    columns: columns.map(([spec, sources]) => ({ spec, sources, coerce: protectedCoercer(spec) })),
    nullValues: [],
    itemsKey: null,
    ...more,
  }
}

/** A table with one column for the field `v`. */
const single = (type: string, more: Partial<ColumnSpec> = {}) => table([[columnSpec(type, more), path('v')]])

/** All rows on the fast way; null when not all of them can take it. */
function fast(of: FastTable, text: string) {
  const page = compileFastRows(of)?.(text) ?? null
  if (page === null) return null
  const whole = wholePage(page)
  return whole.rows < page.rows ? null : { ...whole, root: page.root }
}

/** JSON values as a source may spell them. */
const spelling: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('null', 'true', 'false', '0', '1', '-0', '1.0', '42', '1e2', '1e400'),
  },
  fc.constantFrom('9007199254740993', '12345678901234567890', '0.99999999999999999999', '1e-400', '4.20'),
  fc.constantFrom('1700000000', '1700000000.5', '1700000000123', '1700000000.123456', '20260102', '{}', '[]'),
  fc.constantFrom(
    '"2026-02-03T04:05:06Z"',
    '"2026-02-03 04:05"',
    '"04:05:06"',
    '"1.5"',
    '" 7 "',
    '"yes"',
    '""',
  ),
  fc.constantFrom(
    '"\\ud800"',
    '"\ud800"',
    '"\ud83d\\ude00"',
    '"NaN"',
    '"-"',
    '"0x1f"',
    '"[1,\\"a\\"]"',
    '"{}"',
  ),
  fc.constantFrom(
    '["a",null,"\\udc00"]',
    '[1,2.50]',
    '[1,9007199254740993]',
    '[[1]]',
    '{"a":1.0}',
    '[true,1e3]',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.uuid().map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
)

const keys = ['a', 'b', 'c', '10', '__proto__', 'toString', 'n.x', 'n', '\ufffd']

const rowText: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...keys.map((key) => JSON.stringify(key)), '"\\ud800"'),
      fc.oneof(
        spelling,
        fc.tuple(fc.constantFrom('"x"', '"y"'), spelling).map((pair) => `{${pair.join(':')}}`),
      ),
    ),
    { maxLength: 7 },
  )
  .map((members) => `{${members.map((pair) => pair.join(': ')).join(',')}}`)

function formatFor(type: string, format: string | null): string | null {
  if (!/^(?:DATE|TIME)/.test(type)) return null
  if (format !== 'pattern') return format
  return type === 'TIME' ? 'HHmmss' : 'yyyyMMdd'
}

const column: fc.Arbitrary<ColumnSpec> = fc
  .record({
    type: fc.constantFrom(...types),
    required: fc.boolean(),
    format: fc.constantFrom(null, null, null, 'ms', 'pattern'),
    round: fc.constantFrom('reject' as const, 'half_even' as const),
    sensitive: fc.constantFrom('none' as const, 'none' as const, 'drop' as const),
  })
  .map(({ type, format, ...more }) => columnSpec(type, { ...more, format: formatFor(type, format) }))

const source: fc.Arbitrary<FieldSource[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...keys, 'n.x', 'n.y', 'missing').map(path) },
  fc.constantFrom<FieldSource[]>([...path('a'), ...path('n.x')], [...path('missing'), ...path('b')]),
)

describe('the fast way from JSON text to cells', () => {
  test('gives the cells and rejects of the exact way, or none at all', () => {
    let taken = 0
    fc.assert(
      fc.property(
        fc.array(fc.tuple(column, source), { minLength: 1, maxLength: 3 }),
        fc.array(rowText, { maxLength: 6 }),
        fc.constantFrom([], ['-', '']),
        fc.boolean(),
        (columns, rows, nullValues, isObject) => {
          const of = table(columns, { nullValues, itemsKey: isObject ? 'items' : null })
          const array = `[${rows.join(', ')}]`
          const text = isObject ? `{"total": 3, "items": ${array}, "next": "x"}` : array
          const page = fast(of, text)
          if (page === null) return
          if (rows.length > 0) taken++
          const { root, ...whole } = page
          if (rows.length > 0) expect(comparable(of, whole)).toEqual(exactPage(of, text))
        },
      ),
      { numRuns: 5_000 },
    )
    // Otherwise nothing has been compared.
    expect(taken).toBeGreaterThan(500)
  })

  test.each(types)('takes the common values of %s', (type) => {
    const text = {
      VARCHAR: '"text"',
      BOOLEAN: 'true',
      DATE: '"2026-02-03"',
      TIME: '"04:05:06"',
      UUID: '"6f9619ff-8b86-d011-b42d-00cf4fc964ff"',
      BLOB: '"AAEC"',
      JSON: '"{\\"a\\":1}"',
      'VARCHAR[]': '["a",null]',
      'DOUBLE[]': '[1.50]',
      'BIGINT[]': '[1,2]',
      'TIMESTAMP[]': '["2026-02-03T04:05:06Z"]',
      'JSON[]': '["1"]',
    }[type]
    const value = text ?? (type.startsWith('TIMESTAMP') ? '"2026-02-03T04:05:06.789Z"' : '42')
    const of = single(type)
    const page = fast(of, `[{"v":${value}},{"v":null},{}]`)
    expect(page).not.toBeNull()
    expect(page?.columns[0]?.[0]).not.toBeNull()
    expect(page?.columns[0]?.slice(1)).toEqual([null, null])
  })

  test.each([
    ['an integer beyond 2^53', 'BIGINT', '9007199254740993'],
    ['a fraction that a double rounds to an integer', 'INTEGER', '0.99999999999999999999'],
    ['a number too small for a double', 'INTEGER', '1e-400'],
    ['a number too large for a double', 'DOUBLE', '1e400'],
    ['a number for a text', 'VARCHAR', '1.50'],
    ['a number in a list of texts', 'VARCHAR[]', '["a",1.50]'],
    ['a list in a list', 'VARCHAR[]', '[["a"]]'],
    ['an object for a text', 'VARCHAR', '{"a":1.50}'],
    ['an object for JSON', 'JSON', '{"a":1.50}'],
    ['a number that does not fit, since its reject shows it', 'INTEGER', '1.50'],
    ['a decimal of more digits than a double has', 'DECIMAL(38,20)', '1.00000000000000000001'],
    ["Python's NaN", 'DOUBLE', 'NaN'],
  ])('leaves %s to the exact way', (_, type, value) => {
    expect(fast(single(type), `[{"v":${value}}]`)).toBeNull()
  })

  test('keeps exact decimals and times that a double holds', () => {
    expect(fast(single('DECIMAL(38,4)'), '[{"v":0.1},{"v":12345678.25}]')?.columns).toEqual([
      [1_000n, 123_456_782_500n],
    ])
    expect(fast(single('TIMESTAMP'), '[{"v":1700000000.123456}]')?.columns).toEqual([
      [1_700_000_000_123_456n],
    ])
  })

  test('says which texts did not fit, in the order of the rows', () => {
    const of = table([
      [columnSpec('INTEGER'), path('a')],
      [columnSpec('BOOLEAN', { required: true }), path('b')],
    ])
    const rows = Array.from({ length: 600 }, (_, index) =>
      index % 300 === 299 ? '{"a":"x"}' : '{"a":1,"b":true}',
    )
    const page = fast(of, `[${rows.join(',')}]`)
    expect(page?.rejects.map(({ row, column, raw }) => [row, column, raw])).toEqual([
      [300, 0, 'x'],
      [300, 1, undefined],
      [600, 0, 'x'],
      [600, 1, undefined],
    ])
  })

  test('ends before the rows that must be read exactly, and what came before is as if they were not there', () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `{"v":${index === 700 ? '1.50' : index}}`)
    const page = compileFastRows(single('INTEGER'))?.(`[${rows.join(',')}]`)
    expect(page?.rows).toBe(1_000)
    const batches = [...(page?.batches() ?? [])]
    const taken = batches.reduce((sum, batch) => sum + batch.rows, 0)
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThanOrEqual(700)
    expect(batches.flatMap((batch) => batch.columns[0])).toEqual(
      Array.from({ length: taken }, (_, index) => index),
    )
  })

  test('reads no member that every object inherits', () => {
    const of = table([
      [columnSpec('VARCHAR'), path('toString')],
      [columnSpec('VARCHAR'), path('__proto__')],
      [columnSpec('VARCHAR'), path('constructor.name')],
    ])
    expect(fast(of, '[{"a":1}]')?.columns).toEqual([[null], [null], [null]])
    expect(fast(of, '[{"__proto__":"p","toString":"t"}]')?.columns).toEqual([['t'], ['p'], [null]])
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
  })

  test.each([
    '',
    'prose',
    '{"items":[]}',
    '[1]',
    '[{},1]',
    '[null]',
    '[[1]]',
    '[{"a":1}',
    '1',
    '"text"',
    'null',
  ])('leaves the page %j to the exact way', (text) => {
    expect(fast(single('VARCHAR'), text)).toBeNull()
  })

  test('gives an object beside its rows back, unless a number of it lost digits', () => {
    const of = { ...single('VARCHAR'), itemsKey: 'items' }
    expect(fast(of, '{"items":[{"v":"a"}],"next":7}')).toMatchObject({
      columns: [['a']],
      root: { next: 7 },
    })
    expect(fast(of, '{"items":[{"v":"a"}],"next":9007199254740993}')).toBeNull()
    expect(fast(of, '{"other":[]}')).toBeNull()
  })

  test('drops a byte order mark and survives any nesting', () => {
    expect(fast(single('VARCHAR'), '\ufeff[{"v":"a"}]')?.columns).toEqual([['a']])
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(fast(single('VARCHAR'), `[{"other":${deep},"v":"a"}]`)?.columns).toEqual([['a']])
    expect(fast(single('JSON'), `[{"v":${deep}}]`)).toBeNull()
  })

  test.each<FieldSource[]>([
    [{ from: 'row' }],
    [{ from: 'value', value: 1 }],
    [{ from: 'path', path: 'list[0]' }],
    [{ from: 'path', path: '\ufffd' }],
  ])('is not there for a table with the mapping %j', (one) => {
    expect(compileFastRows(table([[columnSpec('VARCHAR'), [one]]]))).toBeNull()
  })
})
