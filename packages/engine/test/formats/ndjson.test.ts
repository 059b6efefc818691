import { describe, expect, test } from 'vitest'
import { ndjson } from '../../src/formats/ndjson.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows } from './parsed-page.ts'

describeFormat('ndjson', {
  format: ndjson,
  context: contextOf(['id', 'note']),
  render: ([first, second], records) =>
    records
      .map(
        ([a, b]) =>
          `{${JSON.stringify(first)}:${JSON.stringify(a)},${JSON.stringify(second)}:${JSON.stringify(b)}}`,
      )
      .join('\n'),
  malformed: ['{"id":1}\n{"id":', '{"id":1}\n[1]', '<html>\n</html>', '{"id":1}\n{"id":2} {"id":3}'],
})

const context = contextOf()

describe('ndjson', () => {
  testGolden('ndjson', ndjson)

  test('gives a bad line its number in the text and keeps the others', () => {
    const page = ndjson('{"id":1}\r\n\r\n   \r\n{"id":2,"host":"we\r\n{"id":3}\r\n', context)
    expect(plainRows(page)).toEqual([{ id: 1 }, { id: 3 }])
    expect(page.rejects).toEqual([
      { row: 4, reason: expect.stringContaining('not valid JSON'), raw: '{"id":2,"host":"we', stored: false },
    ])
    expect(page.items).toBe(3)
  })

  test.each([
    ['null', 'null'],
    ['[1]', 'an array'],
    ['"x"', 'a string'],
    ['12345678901234567890', 'a number'],
    ['true', 'a boolean'],
  ])('rejects the line %s', (line, kind) => {
    expect(ndjson(`{"id":1}\n${line}`, context).rejects).toEqual([
      { row: 2, reason: `the line is ${kind}, not an object`, raw: line, stored: false },
    ])
  })

  test('keeps every digit', () => {
    expect(plainRows(ndjson('{"n":9007199254740993,"d":1.50}', context))).toEqual([
      { n: { number: '9007199254740993' }, d: { number: '1.50' } },
    ])
  })

  test('fails when every line is bad', () => {
    expect(() => ndjson('<html>\nSign in\n</html>', context)).toThrow(
      expect.objectContaining({ code: 'PARSE_FAILED', message: expect.stringMatching(/3 lines.*line 1/) }),
    )
  })

  test('names the format of a text that is one JSON array', () => {
    expect(() => ndjson('[{"id":1}]', context)).toThrow(
      expect.objectContaining({
        context: expect.objectContaining({ hint: expect.stringContaining('response_format: json') }),
      }),
    )
  })
})
