import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htmlTokens } from '../../src/formats/html-tokens.ts'

const kinds = (text: string) =>
  [...htmlTokens(text)].map(({ kind, name, start, end }) => [kind, name || text.slice(start, end)])

describe('htmlTokens', () => {
  test.each([
    [
      'a<B>c</b>',
      [
        ['text', 'a'],
        ['open', 'b'],
        ['text', 'c'],
        ['close', 'b'],
      ],
    ],
    ['1 < 2 <= 3 </ 4', [['text', '1 < 2 <= 3 </ 4']]],
    [
      '<!doctype html><!-- <b> --><br/>',
      [
        ['comment', '<!doctype html>'],
        ['comment', '<!-- <b> -->'],
        ['open', 'br'],
      ],
    ],
    [
      'x<!-- y',
      [
        ['text', 'x'],
        ['cut', '<!-- y'],
      ],
    ],
    [
      'x<td a="b>',
      [
        ['text', 'x'],
        ['cut', '<td a="b>'],
      ],
    ],
  ])('cuts %j', (text, tokens) => {
    expect(kinds(text)).toEqual(tokens)
  })

  test('reads attributes in quotes, bare, empty and malformed', () => {
    const [tag] = htmlTokens(`<td Colspan="2" a='x>"y' b = z c title="5" drive" d/>`)
    expect([...(tag?.attributes ?? [])]).toEqual([
      ['colspan', '2'],
      ['a', 'x>"y'],
      ['b', 'z'],
      ['c', ''],
      ['title', '5'],
      ['drive"', ''],
      ['d', ''],
    ])
  })

  test('covers every text without a gap', () => {
    const texts = fc
      .array(fc.constantFrom('<', '>', '</', 'a', ' ', '"', '=', '!', '--', '/'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const tokens = [...htmlTokens(text)]
        expect(tokens.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
      }),
    )
  })
})
