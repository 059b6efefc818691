import { describe, expect, test } from 'vitest'
import { markdownTable } from '../../src/formats/markdown-table.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows } from './parsed-page.ts'

describeFormat('markdown_table', {
  format: markdownTable,
  context: contextOf(['id', 'note']),
  render: (names, records) =>
    [names, ['---', '---'], ...records].map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  malformed: [
    '| id | note |\n|---|---|\n| 1 | 2 | 3 |',
    '| id | note |\n|---|---|\n| 1 | cut',
    '| id | note |\n| 1 | 2 |',
    'prose',
  ],
})

const context = contextOf()
const parse = (text: string) => markdownTable(text, context)

describe('markdown_table', () => {
  testGolden('markdown_table', markdownTable)

  test.each([
    ['reads cells with and without outer pipes', 'a | b\n--|:-:\n1 | 2', [{ a: '1', b: '2' }]],
    [
      'reads an escaped pipe as a pipe and leaves other escapes',
      '|a|b|\n|-|-|\n| x \\| y | C:\\_z |',
      [{ a: 'x | y', b: 'C:\\_z' }],
    ],
    [
      'reads an empty cell as null',
      '|a|b|\n|-|-|\n| | x |\n| y ||',
      [
        { a: null, b: 'x' },
        { a: 'y', b: null },
      ],
    ],
    [
      'keeps an empty first cell where the header has no outer pipes',
      'a | b | c\n-|-|-\n | x | y\n',
      [{ a: null, b: 'x', c: 'y' }],
    ],
    ['reads a table of one column', '| a |\n|---|\n| x |', [{ a: 'x' }]],
    ['keeps Markdown inside cells', '|a|b|\n|-|-|\n|`x`|**y**<br>z|', [{ a: '`x`', b: '**y**<br>z' }]],
    [
      'joins tables of the same header',
      '|a|b|\n|-|-|\n|1|2|\n\nmore\n\n| a | b |\n|:-|-:|\n|3|4|',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
  ])('%s', (_, text, rows) => {
    expect(plainRows(parse(text))).toEqual(rows)
    expect(parse(text).rejects).toEqual([])
  })

  test('takes the table that has the wanted columns and says what it passed over', () => {
    const text = '|k|v|\n|-|-|\n|total|9|\n\n|id|note|\n|-|-|\n|1|x|'
    const page = markdownTable(text, contextOf(['id', 'note']))
    expect(plainRows(page)).toEqual([{ id: '1', note: 'x' }])
    expect(page.notes).toEqual(['passed over a table of 1 rows with other columns: k, v'])
  })

  test.each([
    ['that is cut off', '| 1 | hal', 'does not end with a pipe'],
    ['that continues a broken cell', 'more | x |', 'does not begin with a pipe'],
    ['with too many cells', '| 1 | 2 | 3 |', '3 cells, the header 2'],
  ])('rejects a row %s', (_, line, reason) => {
    const page = parse(`| a | b |\n|---|---|\n| 0 | x |\n${line}`)
    expect(plainRows(page)).toEqual([{ a: '0', b: 'x' }])
    expect(page.rejects).toEqual([
      { row: 2, reason: expect.stringContaining(reason), raw: line, stored: false },
    ])
  })

  test('rejects rows that stand apart from their table', () => {
    const page = parse('| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |')
    expect(page.rejects).toMatchObject([{ row: 2, raw: '| 3 | 4 |', stored: false }])
    expect(page.remainder).toBe('')
  })

  test('leaves the text around to the text rules', () => {
    const page = parse('### Incidents (2 of 9)\n\n| a |\n|---|\n| 1 |\n\n_Results truncated._')
    expect(page.remainder).toBe('### Incidents (2 of 9)\n\n\n_Results truncated._')
    expect(page.notes).toEqual(['### Incidents (2 of 9)', '_Results truncated._'])
  })

  test('reads zero rows from a sentence that says so, and refuses other prose', () => {
    expect(parse('No incidents found.').items).toBe(0)
    expect(() => parse('Ask again later.')).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }))
    expect(parse('| a | b |\n|---|---|\n').items).toBe(0)
  })
})
