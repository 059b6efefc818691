import type { Format } from '../format.ts'
import { linesOf, pageText } from './page-text.ts'
import { headerCells, type PipeRow, rowCells, splitPipes } from './pipe-row.ts'
import { pageOfTables, type TableRecord, type TextTable } from './text-table.ts'
import { uniqueNames } from './unique-names.ts'

/**
 * GitHub-flavoured Markdown tables (https://github.github.com/gfm/#tables-extension-): a header, a row of dashes,
 * rows up to the first line that is none. Cells are trimmed, `\|` is a pipe, an empty cell is null; other Markdown in
 * a cell stays as it is. The text around is the remainder. Stricter than GFM where a row may have lost something: one
 * without the outer pipe that the header has is a reject, as is a row outside a table.
 */
export const markdownTable: Format = (text, context) => {
  const lines = linesOf(pageText(text))
  const tables: TextTable[] = []
  const strays: TableRecord[] = []
  const outside: string[] = []
  for (let at = 0; at < lines.length; ) {
    const header = headerAt(lines, at)
    if (header !== undefined) {
      const table = readTable(lines, at + 2, header)
      tables.push(table)
      at += 2 + table.records.length
      continue
    }
    const line = lines[at++] ?? ''
    if (line.trimStart().startsWith('|')) {
      strays.push({ cells: [], raw: line, fault: 'the row stands outside a table with a header' })
    } else outside.push(line)
  }
  const prose = outside.join('\n')
  return pageOfTables('markdown_table', { tables, strays, remainder: prose, prose }, context)
}

/** Whether a row is the line of dashes below a header, with colons for the alignment. */
export function isDelimiterRow(row: PipeRow): boolean {
  return row.cells.length > 1 && headerCells(row).every((cell) => /^:?-+:?$/.test(cell))
}

/** The header that stands at a line: a row and below it a delimiter row of the same width. */
function headerAt(lines: readonly string[], at: number): PipeRow | undefined {
  const line = lines[at] ?? ''
  const below = lines[at + 1] ?? ''
  if (!line.includes('|') || !below.includes('-')) return undefined
  const header = splitPipes(line)
  const delimiter = splitPipes(below)
  const fits = isDelimiterRow(delimiter) && headerCells(header).length === headerCells(delimiter).length
  return fits ? header : undefined
}

function readTable(lines: readonly string[], start: number, header: PipeRow): TextTable {
  const names = uniqueNames(headerCells(header))
  const records: TableRecord[] = []
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const row = splitPipes(line)
    if (row.cells.length === 1) break
    records.push(readRow(row, line, names.length, header))
  }
  return { names, records }
}

function readRow(row: PipeRow, raw: string, width: number, header: PipeRow): TableRecord {
  if (header.opened && !row.opened)
    return { cells: [], raw, fault: 'the row does not begin with a pipe as the header does' }
  if (header.closed && !row.closed)
    return { cells: [], raw, fault: 'the row does not end with a pipe as the header does' }
  const cells = rowCells(row, width, header)
  if (cells === null) return { cells: [], raw, fault: 'the outer pipes of the row can be read in two ways' }
  return { cells: cells.map((cell) => (cell === '' ? null : cell)), raw, fault: null }
}
