import { describe, expect, test } from 'vitest'
import { tabularText } from '../../src/adapters/tabular-text.ts'
import { describeFormat } from '../formats/format.suite.ts'
import { contextOf } from '../formats/format-context.ts'
import { plainRows } from '../formats/parsed-page.ts'

describeFormat('tabular_text, pipe form', {
  format: tabularText,
  context: contextOf(['id', 'note']),
  render: (names, records) =>
    [`Columns: ${names.join(' | ')}`, '---', ...records.map((cells) => cells.join(' | '))].join('\n'),
  malformed: [
    'Columns: id | note\n---\n1 | 2 | 3',
    'Columns: id | note\n1 | 2',
    'Columns: id | note\n---\n1 | 2\nx\n3 | 4',
    'prose',
  ],
})

const parse = (text: string) => tabularText(text, contextOf())
const rowsOf = (text: string) => plainRows(parse(text))
const table = (body: string) => `Query executed successfully.\nColumns: a | b\n---\n${body}`

describe('tabular_text, pipe form', () => {
  test.each(['---', '-----', '<hr />', '<hr>', '<HR/>', '|---|---|', ':-- | --:'])(
    'takes %j for the separator',
    (line) => {
      expect(rowsOf(`Columns: a | b\n${line}\n1 | 2`)).toEqual([{ a: '1', b: '2' }])
    },
  )

  test.each([
    [
      'trims cells and skips blank lines',
      'x | 1\n\n  y|2 |\n',
      [
        { a: 'x', b: '1' },
        { a: 'y', b: '2' },
      ],
    ],
    [
      'reads None as null and keeps an empty cell',
      'None |  \nx | none',
      [
        { a: null, b: '' },
        { a: 'x', b: 'none' },
      ],
    ],
    ['reads an escaped pipe', 'a \\| b | 1', [{ a: 'a | b', b: '1' }]],
    [
      'drops outer pipes',
      '| x | 1 |\n| y | 2',
      [
        { a: 'x', b: '1' },
        { a: 'y', b: '2' },
      ],
    ],
    ['keeps an empty first cell', ' | 1', [{ a: '', b: '1' }]],
    [
      'passes over the same header where texts were joined',
      'x | 1\nColumns: a | b\n---\ny | 2',
      [
        { a: 'x', b: '1' },
        { a: 'y', b: '2' },
      ],
    ],
  ])('%s', (_, body, rows) => {
    expect(rowsOf(table(body))).toEqual(rows)
    expect(parse(table(body)).rejects).toEqual([])
  })

  test('finds the header below prose and a column count, with names that come again', () => {
    const text = 'Columns: 3\nColumns: 3 of 9 are shown\n\nColumns: | a.b | x | x |\n\n---\n1 | 2 | 3'
    expect(rowsOf(text)).toEqual([{ 'a.b': '1', x: '2', x_2: '3' }])
  })

  test('ends the table at the footers, which become notes and remainder', () => {
    const page = parse(
      table('x | 1\ny | 2\n\n2 rows returned in 0.3 s.\nSee a | b | c for more.\n... and 7 more rows'),
    )
    expect(page).toMatchObject({ items: 2, rejects: [], truncation: '... and 7 more rows' })
    expect(page.notes).toEqual([
      'Query executed successfully.',
      '2 rows returned in 0.3 s.',
      'See a | b | c for more.',
      '... and 7 more rows',
    ])
    expect(page.remainder).toBe(page.notes.join('\n'))
  })

  test('rejects a line without a pipe between rows', () => {
    const page = parse(table('x | 1\nrest of a cell\ny | 2'))
    expect(page.rejects).toEqual([
      { row: 2, reason: 'a line without a pipe stands between rows', raw: 'rest of a cell', stored: false },
    ])
    expect(page.remainder).not.toContain('rest of a cell')
  })

  test('takes every line for a row where there is one column', () => {
    expect(rowsOf('Columns: host\n---\nweb-1\n| web-2 |\n2 rows')).toEqual([
      { host: 'web-1' },
      { host: 'web-2' },
      { host: '2 rows' },
    ])
  })

  test.each([
    ['stores a short row', 'Columns: a | b | c\n---\n1 | 2', [{ a: '1', b: '2', c: null }], true],
    ['does not store a long row', 'Columns: a | b\n---\n1 | 2 | 3', [], false],
    [
      'does not store a row whose outer pipes have two meanings',
      'Columns: a | b | c\n---\n| 1 | 2 |',
      [],
      false,
    ],
    ['does not store what stands above the separator', 'Columns: a | b\n1 | 2\n---\n', [], false],
    ['does not store rows of a second table', 'Columns: a | b\n---\nColumns: c | d\n---\n1 | 2', [], false],
  ])('%s and counts it', (_, text, rows, stored) => {
    expect(rowsOf(text)).toEqual(rows)
    expect(parse(text).rejects).toMatchObject([{ row: 1, stored }])
    expect(parse(text).items).toBe(1)
  })
})
