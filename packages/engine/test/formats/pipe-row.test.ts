import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headerCells, rowCells, splitPipes } from '../../src/formats/pipe-row.ts'

describe('splitPipes', () => {
  test.each([
    ['a | b', ['a', 'b'], false, false],
    [' | a | b |', ['', 'a', 'b', ''], true, true],
    ['a \\| b', ['a | b'], false, false],
    ['a | b\\|', ['a', 'b|'], false, false],
    ['', [''], false, false],
    ['|', ['', ''], true, true],
  ])('cuts %j', (line, cells, opened, closed) => {
    expect(splitPipes(line)).toEqual({ cells, opened, closed })
  })
})

describe('rowCells', () => {
  test.each([
    ['a | b', '1 | 2', ['1', '2']],
    ['a | b', '| 1 | 2 |', ['1', '2']],
    ['a | b', '| 1 | 2', ['1', '2']],
    ['a | b', ' | 2', ['', '2']],
    ['a | b', '1 | ', ['1', '']],
    ['a | b | c', '| 2 | 3', ['', '2', '3']],
    ['a | b | c', '| 1 | 2 |', null],
    ['| a | b |', '| 1 | |', ['1', '']],
    ['| a | b |', '| 1 | 2 | 3 |', ['1', '2', '3']],
    ['| a | b | c |', '| 1 | 2 |', ['1', '2']],
    ['a', '| 1 |', ['1']],
  ])('reads under %j the row %j', (header, row, cells) => {
    const head = splitPipes(header)
    expect(rowCells(splitPipes(row), headerCells(head).length, head)).toEqual(cells)
  })

  test('shifts no cell, with or without outer pipes', () => {
    const cell = fc.constantFrom('', 'x', 'y|z', '-')
    const cells = fc
      .integer({ min: 2, max: 5 })
      .chain((width) => fc.array(cell, { minLength: width, maxLength: width }))
    fc.assert(
      fc.property(cells, fc.boolean(), (values, outer) => {
        const print = (texts: readonly string[]) => {
          const line = texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')
          return splitPipes(outer ? `| ${line} |` : line)
        }
        const header = print(values.map((_, index) => `h${index}`))
        expect([values, null]).toContainEqual(rowCells(print(values), values.length, header))
      }),
    )
  })
})
