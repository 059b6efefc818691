import { describe, expect, test } from 'vitest'
import { tabularText } from '../../src/adapters/tabular-text.ts'
import { contextOf } from '../formats/format-context.ts'
import { testGolden } from '../formats/golden.ts'

const context = contextOf()

describe('tabular_text', () => {
  testGolden('tabular_text', tabularText)

  test.each([
    'No results found.',
    'Query executed successfully.\n0 rows returned.',
    'Match Count: 0.0\nColumns: 0\nRows: 0',
  ])('reads zero rows from %j', (text) => {
    expect(tabularText(text, context)).toMatchObject({ rows: [], items: 0, remainder: text })
  })

  test.each([
    'The query is being prepared. Ask again in a moment.',
    'Columns: a | b\n1 | 2',
    'Columns: 5\n---\nx',
    "Row 1: ['a']",
    'Columns:\n---\nx',
  ])('refuses %j, which has no header', (text) => {
    expect(() => tabularText(text, context)).toThrow(
      expect.objectContaining({
        code: 'PARSE_FAILED',
        message: expect.stringContaining('could not find column headers'),
        context: { hint: expect.stringContaining('Column Names: a, b') },
      }),
    )
  })

  test('takes a line of "Column Names:" for the list form, also below a column count', () => {
    const page = tabularText("Columns: 1\nRows: 1\nColumn Names: a\n---\nRow 1: ['x | y']", context)
    expect(page.rows.map((row) => [...row])).toEqual([[['a', 'x | y']]])
  })

  test('lets no cell turn a pipe table into the list form', () => {
    const page = tabularText('Columns: a | b\n---\nColumn Names: x | 1\n2 | 3', context)
    expect(page.rows.map((row) => row.get('a'))).toEqual(['Column Names: x', '2'])
  })
})
