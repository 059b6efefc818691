import type { FormatContext, ParsedText } from '../format.ts'
import { isDelimiterRow } from '../formats/markdown-table.ts'
import { noteLines } from '../formats/note-lines.ts'
import { emptyPage } from '../formats/page-text.ts'
import { headerCells, type PipeRow, rowCells, splitPipes } from '../formats/pipe-row.ts'
import { TableRows } from '../formats/table-rows.ts'
import { uniqueNames } from '../formats/unique-names.ts'
import { requireWanted } from '../formats/wanted-columns.ts'
import { truncationNotice } from './truncation-notice.ts'

const headerMark = 'Columns:'
/** PowerQuery answers count their columns on a line of the same name. */
const columnCount = /^Columns:\s*\d+$/

/** Where the header and the separator of a pipe table stand. */
export interface PipeTable {
  header: PipeRow
  headerLine: number
  separator: number
}

/** The first `Columns:` line with names and the first separator below it; null when there is no such pair. */
export function findPipeTable(lines: readonly string[]): PipeTable | null {
  let headerLine = -1
  for (const [at, text] of lines.entries()) {
    const line = text.trim()
    if (line.startsWith(headerMark) && line !== headerMark && !columnCount.test(line)) {
      // Of several, the last with a pipe: "Columns: 3 of 10 are shown" is prose.
      if (headerLine < 0 || line.includes('|') || !lines[headerLine]?.includes('|')) headerLine = at
    } else if (headerLine >= 0 && isSeparator(line)) {
      return { header: headerAt(lines, headerLine), headerLine, separator: at }
    }
  }
  return null
}

function headerAt(lines: readonly string[], at: number): PipeRow {
  return splitPipes(lines[at]?.trim().slice(headerMark.length) ?? '')
}

/** `---`, `<hr />` (how a seed page shows it) or the dashes of a Markdown table. */
function isSeparator(line: string): boolean {
  return /^(?:-{3,}|<hr\s?\/?>)$/i.test(line) || isDelimiterRow(splitPipes(line))
}

/**
 * The rows of a pipe table: trimmed cells, `None` is null, blank lines are none. A line without a pipe is a footer
 * when no row of the header's width follows, and ends the table; before that it is a reject. With one column every
 * line is a row, for nothing tells a footer. The text above and the footers are the remainder and the notes.
 */
export function parseTabularPipe(
  lines: readonly string[],
  found: PipeTable,
  context: FormatContext,
): ParsedText {
  const names = uniqueNames(headerCells(found.header))
  const table = new TableRows(names)
  const width = names.length
  const above = lines.slice(0, found.separator).filter((_, at) => at !== found.headerLine)
  const preamble = above.filter((line, at) => at < found.headerLine || !line.includes('|'))
  for (const line of above.slice(found.headerLine)) {
    if (line.includes('|')) table.reject('the row stands between the header and the separator', line)
  }
  const body = bodyLines(lines, found)
  const lastFull = body.findLastIndex(({ row }) => rowCells(row, width, found.header)?.length === width)
  const isFooter = ({ row }: BodyLine, at: number) => width > 1 && at > lastFull && row.cells.length === 1
  const end = body.findIndex(isFooter)
  for (const line of end < 0 ? body : body.slice(0, end)) addLine(table, line, width, found.header)
  const footers = end < 0 ? [] : body.slice(end).map(({ raw }) => raw)
  if (table.rows.length > 0) requireWanted('tabular_text', names, context.fields)
  const outside = [...preamble, ...footers].filter((line) => line.trim() !== '')
  return {
    ...emptyPage(outside.join('\n')),
    rows: table.rows,
    rejects: table.rejects,
    items: table.items,
    notes: noteLines(outside),
    truncation: truncationNotice(outside),
  }
}

interface BodyLine {
  raw: string
  row: PipeRow
  /** It belongs to a second table with other columns. */
  foreign: boolean
}

/**
 * The lines below the separator that are not blank. Where content blocks were joined, the header comes again: the same
 * one is passed over, and what stands under another one is foreign.
 */
function bodyLines(lines: readonly string[], found: PipeTable): BodyLine[] {
  const header = found.header.cells.join('|')
  const body: BodyLine[] = []
  let foreign = false
  for (let at = found.separator + 1; at < lines.length; at++) {
    const raw = lines[at] ?? ''
    if (raw.trim() === '') continue
    if (raw.trimStart().startsWith(headerMark) && isSeparator(lines[at + 1]?.trim() ?? '')) {
      foreign = headerAt(lines, at).cells.join('|') !== header
      at++
    } else {
      body.push({ raw, row: splitPipes(raw), foreign })
    }
  }
  return body
}

function addLine(table: TableRows, { raw, row, foreign }: BodyLine, width: number, header: PipeRow): void {
  const cells = rowCells(row, width, header)
  if (foreign) table.reject('the row stands under a second header with other columns', raw)
  else if (width > 1 && row.cells.length === 1) table.reject('a line without a pipe stands between rows', raw)
  else if (cells === null) table.reject('the outer pipes of the row can be read in two ways', raw)
  else
    table.add(
      cells.map((cell) => (cell === 'None' ? null : cell)),
      raw,
    )
}
