import { describe, expect, test } from 'vitest'
import { tabularText } from '../../src/adapters/tabular-text.ts'
import { describeFormat } from '../formats/format.suite.ts'
import { contextOf } from '../formats/format-context.ts'
import { plainRows } from '../formats/parsed-page.ts'

const repr = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

describeFormat('tabular_text, list form', {
  format: tabularText,
  context: contextOf(['id', 'note']),
  render: (names, records) =>
    [
      `Column Names: ${names.join(', ')}`,
      '',
      'Results:',
      ...records.map((cells, i) => `Row ${i + 1}: [${cells.map(repr).join(', ')}]`),
    ].join('\n'),
  malformed: [
    "Column Names: id, note\nRow 0: ['a', 'cut",
    "Column Names: id, note\nRow 0: ['a']",
    'Column Names: id, note\nRow 7',
    'prose',
  ],
})

const parse = (text: string, wanted: string[] = []) => tabularText(text, contextOf(wanted))
const list = (rows: string, counts = '') => `${counts}Column Names: a, b\n\nResults:\n${rows}`

describe('tabular_text, list form', () => {
  test('reads Python values as JSON values', () => {
    const page = parse(
      list("Row 1: ['x', None]\nRow 2: [{'k': [1, True]}, 1771545600123456789]\nRow 3: ('None', ['t'])"),
    )
    expect(plainRows(page)).toEqual([
      { a: 'x', b: null },
      { a: { k: [1, true] }, b: { number: '1771545600123456789' } },
      { a: 'None', b: ['t'] },
    ])
    expect(page).toMatchObject({ items: 3, rejects: [], notes: [], remainder: 'Results:' })
  })

  test.each([
    ['that is cut off', "Row 2: ['y', 'cut off he", 'the text ends inside a string'],
    ['that ends behind its number', 'Row 2:', 'the text ends'],
    ['with too few values', "Row 2: ['y']", 'the row has 1 values, the header 2 names'],
    ['with too many values', "Row 2: ['y', 1, 2]", 'the row has 3 values, the header 2 names'],
    ['with text behind the list', "Row 2: ['y', 1] (see [1])", 'text follows the list: (see [1])'],
    ['that is no list', "Row 2: {'a': 1}", 'the row is no list'],
    ['with something that is no literal', "Row 2: [datetime.date(2026, 1, 2), 'b']", 'no Python literal'],
    ['without its number', "['y', 1]", 'no "Row N:" before it'],
    ['that is nested too deeply', `Row 2: ${'['.repeat(100_000)}`, 'nested deeper'],
  ])('rejects a row %s', (_, line, reason) => {
    const page = parse(list(`Row 1: ['x', 1]\n${line}\nRow 3: ['z', 3]`))
    expect(page.rows.map((row) => row.get('a'))).toEqual(['x', 'z'])
    expect(page.rejects).toEqual([
      { row: 2, reason: expect.stringContaining(reason), raw: line, stored: false },
    ])
  })

  test('keeps lines that continue a broken row with it, out of the remainder', () => {
    const page = parse(list("Row 1: ['x', 'line one\nrate limit'\nRow 2: ['y', 2]\n\nfooter"))
    expect(page.rejects).toMatchObject([{ row: 1, raw: "Row 1: ['x', 'line one\nrate limit'" }])
    expect(page.remainder).toBe('Results:\nfooter')
  })

  test('tells that the tool printed fewer rows than it has', () => {
    const text = list(
      "Row 1: ['x', 1]\n... and 4 more rows",
      "Match Count: 9.0\nColumns: 2\nRows: 5\nWarnings: ['Results were limited']\n",
    )
    const page = parse(text)
    expect(page.truncation).toBe('... and 4 more rows')
    expect(page.notes).toEqual([
      'Match Count: 9.0',
      'Rows: 5',
      "Warnings: ['Results were limited']",
      '... and 4 more rows',
      'the tool matched 9 events and made 5 rows of them',
    ])
  })

  test('tells that fewer rows came than the tool counts', () => {
    expect(parse(list("Row 1: ['x', 1]", 'Rows: 2\n')).truncation).toBe('Rows: 2, and 1 were sent')
    expect(parse(list("Row 1: ['x', 1]", 'Rows: 1\n')).truncation).toBeNull()
  })

  test('notes a gap in the numbers of the rows, which start anywhere', () => {
    expect(parse(list("Row 0: ['x', 1]\nRow 1: ['y', 2]")).notes).toEqual([])
    expect(parse(list("Row 1: ['x', 1]\nRow 3: ['y', 2]")).notes).toEqual([
      expect.stringContaining('in 1 places'),
    ])
  })

  test('reads names that come again, and zero rows under a header', () => {
    expect(plainRows(parse('Column Names: n, n\nRow 1: [1, 2]'))).toEqual([{ n: 1, n_2: 2 }])
    expect(parse('Column Names: a, b\n\nResults:')).toMatchObject({ items: 0, rows: [] })
  })

  test('splits ambiguous names by the columns that are wanted', () => {
    const text =
      "Match Count: 1.0\nColumns: 2\nRows: 1\nColumn Names: concat(a, b), n\n\nResults:\nRow 1: ['x', 3]"
    expect(plainRows(parse(text, ['n']))).toEqual([{ 'concat(a, b)': 'x', n: 3 }])
    expect(() => parse(text)).toThrow(/cannot tell the 2 column names apart/)
  })

  test('rejects the rows of a second answer with other columns', () => {
    const page = parse('Column Names: a\nRow 1: [1]\nColumn Names: b\nRow 1: [2]')
    expect(plainRows(page)).toEqual([{ a: 1 }])
    expect(page.rejects).toMatchObject([{ row: 2, stored: false, raw: 'Row 1: [2]' }])
  })
})
