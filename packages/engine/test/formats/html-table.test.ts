import { describe, expect, test } from 'vitest'
import { htmlTable } from '../../src/formats/html-table.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows } from './parsed-page.ts'

describeFormat('html_table', {
  format: htmlTable,
  context: contextOf(['id', 'note']),
  render: (names, records) => {
    const row = (cells: readonly string[], tag: string) =>
      `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
    return `<table>\n${[row(names, 'th'), ...records.map((cells) => row(cells, 'td'))].join('\n')}\n</table>`
  },
  malformed: [
    '<table><tr><th>id<th>note<tr><td>1<td>2<td>3</table>',
    '<table><tr><th>id<th>note<tr><td>1<td>cut',
    '<table><tr><th>id<th>note<tr><td colspan=2>1</table>',
    '<table><tr><th colspan=2>id</table>',
    'prose',
  ],
})

const context = contextOf()
const parse = (text: string) => htmlTable(text, context)
const body = (rows: string) => `<table><tr><th>a</th><th>b</th></tr>${rows}</table>`

describe('html_table', () => {
  testGolden('html_table', htmlTable)

  test.each([
    [
      'reads cells whose end tags are missing',
      '<tr><td>1<td>2<tr><td>3<td>4',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['reads th and td alike, in any case', '<TR CLASS="x"><TH>1</TH><TD>2</TD></TR>', [{ a: '1', b: '2' }]],
    [
      'drops tags inside cells',
      '<tr><td><b>x</b> <a href="y?a>b">z</a></td><td><!-- c -->2</td></tr>',
      [{ a: 'x z', b: '2' }],
    ],
    ['reads br as a line end', '<tr><td>x<br>y<br/>z</td><td>2</td></tr>', [{ a: 'x\ny\nz', b: '2' }]],
    [
      'replaces character references once',
      '<tr><td>&amp;lt; &#39;&#x22;&lt;b&gt;</td><td>&nope; &#xD800;</td></tr>',
      [{ a: '&lt; \'"<b>', b: '&nope; \ufffd' }],
    ],
    [
      'keeps a sign that begins no tag',
      '<tr><td>1 < 2 && 3 > 2</td><td><</td></tr>',
      [{ a: '1 < 2 && 3 > 2', b: '<' }],
    ],
    ['reads an empty cell as null', '<tr><td></td><td> &nbsp; </td></tr>', [{ a: null, b: null }]],
    [
      'takes a table inside a cell for its text',
      '<tr><td><table><tr><td>x</td></tr></table></td><td>2</td></tr>',
      [{ a: 'x', b: '2' }],
    ],
    ['reads thead and tbody', '<tbody><tr><td>1</td><td>2</td></tr></tbody>', [{ a: '1', b: '2' }]],
    [
      'survives a quote inside an attribute',
      '<tr><td title="5" drive">x</td><td>2</td></tr>',
      [{ a: 'x', b: '2' }],
    ],
  ])('%s', (_, rows, expected) => {
    expect(plainRows(parse(body(rows)))).toEqual(expected)
    expect(parse(body(rows)).rejects).toEqual([])
  })

  test('takes the first row for the header when there is no th', () => {
    expect(plainRows(parse('<table><tr><td>a<td>a<td><tr><td>1<td>2<td>3</table>'))).toEqual([
      { a: '1', a_2: '2', column_3: '3' },
    ])
  })

  test('rejects rows that a spanning cell touches', () => {
    const page = parse(
      body('<tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr><tr><td>4</td><td>5</td></tr>'),
    )
    expect(plainRows(page)).toEqual([{ a: '4', b: '5' }])
    expect(page.rejects.map(({ row, stored }) => [row, stored])).toEqual([
      [1, false],
      [2, false],
    ])
  })

  test('takes no row for the header below a first row that spans', () => {
    const rows = '<tr><th rowspan=2>a<th colspan=2>b</tr><tr><th>c<th>d</tr><tr><td>1<td>2<td>3</tr>'
    expect(() => parse(`<table>${rows}</table>`)).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }))
  })

  test('takes one wide cell that says so for no rows', () => {
    expect(parse(body('<tr><td colspan="2">No results found</td></tr>')).items).toBe(0)
    expect(parse(body('<tr><td colspan="2">Permission denied</td></tr>')).rejects).toHaveLength(1)
  })

  test('rejects the row in which the text ends and notes it', () => {
    const page = parse('<table><tr><th>a<th>b<tr><td>1<td>2</tr><tr><td>3<td>hal')
    expect(plainRows(page)).toEqual([{ a: '1', b: '2' }])
    expect(page.rejects).toMatchObject([{ row: 2, reason: 'the text ends inside the row', stored: false }])
    expect(page.notes).toEqual(['the HTML ends inside a table or a tag'])
  })

  test('takes the table that has the wanted columns, and joins those of one header', () => {
    const other = '<table><tr><td>k<td>v<tr><td>total<td>9</table>'
    const wanted = '<table><tr><td>id<td>note<tr><td>1<td>x</table>'
    const page = htmlTable(`${other}${wanted}<hr>${wanted}`, contextOf(['id']))
    expect(plainRows(page)).toEqual([
      { id: '1', note: 'x' },
      { id: '1', note: 'x' },
    ])
    expect(page.notes).toEqual(['passed over a table of 1 rows with other columns: k, v'])
  })

  test('leaves the text around as it is written', () => {
    const page = parse(`<h2>Read</h2>${body('<tr><td>1<td>2')}<code>{ &#34;range&#34;: "A3:B4" }</code>`)
    expect(page.remainder).toBe('<h2>Read</h2><code>{ &#34;range&#34;: "A3:B4" }</code>')
    expect(page.notes).toEqual(['Read{ "range": "A3:B4" }'])
  })

  test('reads zero rows from a sentence that says so, and refuses other prose', () => {
    expect(parse('<p>No results found.</p>').items).toBe(0)
    expect(() => parse('<p>Sign in</p>')).toThrow(expect.objectContaining({ code: 'PARSE_FAILED' }))
  })
})
