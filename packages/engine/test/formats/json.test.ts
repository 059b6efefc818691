import { RunError } from '@huntfleet/contract'
import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { json } from '../../src/formats/json.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows, unaccounted } from './parsed-page.ts'

const context = contextOf([], { format: 'json' })

/** The page, or the RunError in its place; anything else that is thrown fails the test. */
function parse(text: string) {
  try {
    return json(text, context)
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  }
}

describe('json', () => {
  testGolden('json', json)

  test.each(['', ' ', '\n', '\ufeff'])('refuses the blank text %j', (text) => {
    expect(parse(text)).toMatchObject({ code: 'PARSE_FAILED' })
  })

  test('removes a byte order mark and keeps NUL', () => {
    expect(plainRows(json('\ufeff[{"id":"a\\u0000b"}]', context))).toEqual([{ id: 'a\0b' }])
  })

  test('refuses a text that is cut off, wherever it is cut', () => {
    const text = '[{"id":1,"a":["x",{"y":2.5}]},{"id":2}]'
    for (let end = 0; end < text.length; end++) {
      expect(parse(text.slice(0, end))).toMatchObject({ code: 'PARSE_FAILED' })
    }
  })

  test('reads ten thousand rows, in order', () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, note: `n ${id}` }))
    const page = json(JSON.stringify(rows), context)
    expect(plainRows(page)).toEqual(rows)
    expect(page).toMatchObject({ items: 10_000, rejects: [] })
  })

  test('accounts for every element, whatever the array holds', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), (elements) => {
        const page = json(JSON.stringify(elements), context)
        expect(unaccounted(page)).toBe(0)
        expect(page.items).toBe(elements.length)
      }),
    )
  })

  test('throws nothing but RunError, whatever the text', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"id"',
      ':',
      ',',
      '1',
      '\n',
      '```',
      ': ',
      'null',
      'x',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' }))), (parts) => {
        const page = parse(parts.join(''))
        if (!(page instanceof RunError)) expect(unaccounted(page)).toBe(0)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each(['[', '{', '"', '{"a":', '[{"a":[', '```\n', '[x\n', ': {', '\\', '[1,'])(
    'reads %j a hundred thousand times over in linear time',
    (piece) => {
      const spent = cpuTime()
      parse(piece.repeat(100_000))
      parse(`[{"id":${JSON.stringify(piece.repeat(100_000))}}]`)
      parse(`prose\n${piece.repeat(100_000)}`)
      expect(spent()).toBeLessThan(5_000)
    },
  )
})
