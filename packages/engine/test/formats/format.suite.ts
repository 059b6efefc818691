import { RunError } from '@huntfleet/contract'
import { cpuTime } from '@huntfleet/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Format, FormatContext, ParsedText } from '../../src/format.ts'
import { plainRow, unaccounted } from './parsed-page.ts'

/** What the suite needs to know of a format. */
export interface FormatSample {
  format: Format
  context: FormatContext
  /** A text with these records under the given two names. */
  render(names: readonly [string, string], records: readonly (readonly [string, string])[]): string
  /** Texts that must lead to a reject or an error. */
  malformed: readonly string[]
}

const names = ['id', 'note'] as const
const longRun = 100_000
const manyLines = 20_000
const longLine = 1_000_000
/** A generous bound: what takes quadratic time on these texts takes minutes. */
const hostileLimitMs = 5_000

/** The behaviour that every format and adapter has, whatever its grammar. Its own tests come after. */
export function describeFormat(name: string, sample: FormatSample): void {
  const { format, context, render } = sample
  /** The page, or the RunError that says why there is none; anything else that is thrown fails the test. */
  const parse = (text: string): ParsedText | RunError => {
    try {
      return format(text, context)
    } catch (error) {
      if (error instanceof RunError) return error
      throw error
    }
  }
  const expectAccounted = (text: string) => {
    const page = parse(text)
    if (page instanceof RunError) expect(page.message).not.toBe('')
    else expect(unaccounted(page)).toBe(0)
    return page
  }

  describe(`${name}, as every format`, () => {
    test.each(['', ' ', '\n\r\n  \n', '\ufeff'])('reads zero rows from the blank text %j', (text) => {
      expect(format(text, context)).toMatchObject({ rows: [], rejects: [], items: 0, truncation: null })
    })

    test('reads what was written, in order', () => {
      const page = format(
        render(names, [
          ['1', 'one two'],
          ['2', 'three'],
        ]),
        context,
      )
      expect(page.rows.map((row) => [...row.values()].map(String))).toEqual([
        ['1', 'one two'],
        ['2', 'three'],
      ])
      expect(page.rows.map((row) => [...row.keys()])).toEqual([
        ['id', 'note'],
        ['id', 'note'],
      ])
      expect(page).toMatchObject({ items: 2, rejects: [] })
    })

    test('removes a byte order mark and takes CRLF for a line end', () => {
      const text = render(names, [
        ['1', 'x'],
        ['2', 'y'],
      ])
      const page = format(`\ufeff${text.replaceAll('\n', '\r\n')}`, context)
      expect(page.rows.map((row) => row.get('note'))).toEqual(['x', 'y'])
    })

    test('reads ten thousand rows', () => {
      const records = Array.from({ length: 10_000 }, (_, index) => [`k${index}`, `v ${index}`] as const)
      const page = format(render(names, records), context)
      expect(page).toMatchObject({ items: 10_000, rejects: [] })
      expect(page.rows.at(-1)?.get('id')).toBe('k9999')
    })

    test('stores no half row of a text that is cut off, and accounts for the rest', () => {
      const records = Array.from({ length: 6 }, (_, index) => [`key${index}`, `note ${index}`] as const)
      const text = render(names, records)
      for (let end = 0; end < text.length; end++) {
        const page = expectAccounted(text.slice(0, end))
        if (page instanceof RunError) continue
        // A text may end where a record may end; only the last row can be a victim of that.
        const whole = page.rows.slice(0, -1).map((row) => [...row.values()].map(String))
        expect(records.slice(0, whole.length)).toEqual(whole)
      }
    })

    test.each(sample.malformed)('rejects or refuses the malformed text %j', (text) => {
      const page = expectAccounted(text)
      if (!(page instanceof RunError)) expect(page.rejects).not.toEqual([])
    })

    test('keeps __proto__ and constructor as plain column names', () => {
      const page = format(render(['__proto__', 'constructor'], [['a', 'b']]), { ...context, fields: [] })
      expect(page.rows.map((row) => [...row])).toEqual([
        [
          ['__proto__', 'a'],
          ['constructor', 'b'],
        ],
      ])
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    })

    test('keeps NUL and makes lone surrogates U+FFFD', () => {
      const page = format(render(names, [['a\0b', 'x\ud800y']]), context)
      const row = page.rows[0]
      if (row !== undefined) expect(plainRow(row)).toMatchObject({ id: 'a\0b', note: 'x\ufffdy' })
      expect(unaccounted(page)).toBe(0)
    })

    test('never puts the content of a row into the remainder', () => {
      const page = format(
        render(names, [
          ['1', 'rate limit'],
          ['2', 'results truncated'],
        ]),
        context,
      )
      expect(page.rows).toHaveLength(2)
      expect(page.remainder).not.toMatch(/rate limit|truncated/)
    })

    test.each([
      '[',
      '{',
      '(',
      '"',
      "'",
      '<',
      '|',
      '\\',
      '- ',
      '&',
      '<table>',
      '<td>',
      '<a b="',
      '{"a":',
      "[['",
    ])('reads %j a hundred thousand times over in linear time', (piece) => {
      const spent = cpuTime()
      expectAccounted(piece.repeat(longRun))
      expectAccounted(render(names, [[piece.repeat(longRun), 'x']]))
      expectAccounted(`${render(names, [['1', 'x']])}\n${`${piece}\n`.repeat(manyLines)}`)
      expect(spent()).toBeLessThan(hostileLimitMs)
    })

    test('reads a line of a million characters', () => {
      const page = expectAccounted(render(names, [['1', 'x'.repeat(longLine)]]))
      expect(page).toMatchObject({ items: 1, rejects: [] })
    })

    test('throws nothing but RunError and accounts for every record, whatever the text', () => {
      const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...sample.malformed, ...fragments))
      const texts = fc.array(line).map((lines) => lines.join('\n'))
      const whole = render(names, [['1', 'x']])
      fc.assert(
        fc.property(texts, (text) => {
          expectAccounted(text)
          expectAccounted(`${whole}\n${text}`)
        }),
        { numRuns: 300 },
      )
    })
  })
}

/** Pieces of all the grammars, for random texts. */
const fragments = [
  'id,note',
  'id\tnote',
  '1,"a',
  '"b"c,d',
  '{"id":1}',
  '| id | note |',
  '|---|---|',
  '| 1 |',
  'Columns: id | note',
  '---',
  '1 | 2',
  'Column Names: id, note',
  "Row 1: ['a', 1]",
  "Row 2: ['a'",
  '<table><tr><th>id</th><th>note</th></tr>',
  '<tr><td rowspan=2>1</td>',
  '</table>',
  'id: "a"',
  'id: {"a"',
  '',
]
