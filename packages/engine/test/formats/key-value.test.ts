import { describe, expect, test } from 'vitest'
import { keyValue } from '../../src/formats/key-value.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows } from './parsed-page.ts'

describeFormat('key_value', {
  format: keyValue,
  context: contextOf(['id', 'note']),
  render: ([first, second], records) =>
    records.map(([a, b]) => `${first}: ${JSON.stringify(a)}\n${second}: ${JSON.stringify(b)}`).join('\n\n'),
  malformed: ['id: "1', 'id: "1"\nnote: {"a":', 'id: "1"\nid: "2"', 'id: "1"\nno field', 'prose'],
})

const context = contextOf(['host'])
const parse = (text: string) => keyValue(text, context)

describe('key_value', () => {
  testGolden('key_value', keyValue)

  test.each([
    [
      'reads JSON values',
      'host: {"name":"web-1"}\nn: 9007199254740993\nok: true',
      [{ host: { name: 'web-1' }, n: { number: '9007199254740993' }, ok: true }],
    ],
    [
      'keeps a text under its name',
      'message (highlighted): <em>a</em>: b\nhost: "x"',
      [{ 'message (highlighted)': '<em>a</em>: b', host: 'x' }],
    ],
    ['reads a missing value as null', 'host:\nuser: "kim"', [{ host: null, user: 'kim' }]],
    [
      'takes a lone wanted field for a record',
      'host: web-1\n\nhost: web-2',
      [{ host: 'web-1' }, { host: 'web-2' }],
    ],
    ['ends a name at the colon before the blank', 'a:b: "x"\nc: 1', [{ 'a:b': 'x', c: 1 }]],
    ['takes lines that are all JSON for a record', 'a: 1\nb: null', [{ a: 1, b: null }]],
  ])('%s', (_, text, rows) => {
    expect(plainRows(parse(text))).toEqual(rows)
    expect(parse(text).rejects).toEqual([])
  })

  test('passes over prose between the records and keeps it', () => {
    const page = parse(
      'Total results: 57, showing 1 from position 0\n\nTotal: 57\n\nQuery: "a: b"\n\nhost: "x"',
    )
    expect(plainRows(page)).toEqual([{ host: 'x' }])
    expect(page.remainder).toBe('Total results: 57, showing 1 from position 0\n\nTotal: 57\n\nQuery: "a: b"')
    expect(page.notes).toEqual(['Total results: 57, showing 1 from position 0', 'Total: 57', 'Query: "a: b"'])
  })

  test.each([
    ['two records that no blank line parts', 'host: "x"\nhost: "y"', 'comes twice'],
    ['a value that is cut off', 'host: {"name":"we', 'not valid JSON'],
    ['a line that is no field', 'host: "x"\nand more', 'no `field: value`'],
  ])('rejects %s', (_, text, reason) => {
    const page = parse(`host: "a"\n\n${text}`)
    expect(plainRows(page)).toEqual([{ host: 'a' }])
    expect(page.rejects).toEqual([
      { row: 2, reason: expect.stringContaining(reason), raw: text, stored: false },
    ])
  })

  test('fails when no record can be read, as of blocks that were joined without a blank line', () => {
    expect(() => parse('host: "x"\nhost: "y"\nhost: "z"')).toThrow(
      expect.objectContaining({
        code: 'PARSE_FAILED',
        context: { hint: expect.stringContaining('content.blocks: each') },
      }),
    )
  })

  test('reads zero rows from a count of none, and refuses other prose', () => {
    expect(parse('No results found').items).toBe(0)
    expect(parse('Total results: 0, showing 0 from position 0').items).toBe(0)
    expect(() => parse('Error: no such index')).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }))
  })
})
