import type { FormatContext, ParsedText } from '../format.ts'
import { noteLines } from '../formats/note-lines.ts'
import { emptyPage } from '../formats/page-text.ts'
import { TableRows } from '../formats/table-rows.ts'
import { uniqueNames } from '../formats/unique-names.ts'
import { requireWanted } from '../formats/wanted-columns.ts'
import { splitColumnNames } from './column-names.ts'
import { countOn, declaredCount, type ListAnswer, type ListRow, readListAnswer } from './list-answer.ts'
import { truncationNotice } from './truncation-notice.ts'

/**
 * Python lists, as SentinelOne's purple-mcp prints them: counts, `Column Names: a, b`, then `Row 1: ['x', 2]` and so
 * on, at most 100 rows and `... and 4 more rows`. A row that is cut off, is no list or has another length than the
 * header is a reject; lines that continue a broken row belong to it. The counts and all other lines are the remainder.
 * Throws PARSE_FAILED when the column names cannot be told apart.
 */
export function parseTabularList(lines: readonly string[], context: FormatContext): ParsedText {
  const answer = readListAnswer(lines)
  const page = emptyPage(answer.outside.join('\n'))
  page.notes = notesOf(answer)
  page.truncation = truncationOf(answer)
  if (answer.rows.length === 0) return page
  const ofRows = mostCommonLength(answer.rows)
  const count = { declared: declaredCount(answer, 'Columns'), ofRows }
  const names = uniqueNames(splitColumnNames(answer.header, count, context.fields))
  const table = new TableRows(names)
  for (const { values, fault, raw } of answer.rows) {
    if (values === null) table.reject(fault, raw)
    else if (values.length === names.length) table.add(values, raw)
    else table.reject(`the row has ${values.length} values, the header ${names.length} names`, raw)
  }
  if (table.rows.length > 0) requireWanted('tabular_text', names, context.fields)
  return { ...page, rows: table.rows, rejects: table.rejects, items: table.items }
}

/** The length that most rows have, the first of equals; null when no row could be read. */
function mostCommonLength(rows: readonly ListRow[]): number | null {
  const counts = new Map<number, number>()
  for (const { values } of rows) {
    if (values !== null) counts.set(values.length, (counts.get(values.length) ?? 0) + 1)
  }
  let best: number | null = null
  for (const [length, count] of counts) {
    if (best === null || count > (counts.get(best) ?? 0)) best = length
  }
  return best
}

function notesOf(answer: ListAnswer): string[] {
  const told = answer.outside.filter((line) => countOn(line, 'Columns') === null && line !== 'Results:')
  const notes = noteLines(told)
  const matches = declaredCount(answer, 'Match Count')
  const rows = declaredCount(answer, 'Rows')
  if (matches !== null && rows !== null && rows < matches) {
    notes.push(`the tool matched ${matches} events and made ${rows} rows of them`)
  }
  const gaps = answer.rows.filter(
    ({ number }, at) => number !== (answer.rows[at - 1]?.number ?? number - 1) + 1,
  ).length
  if (gaps > 0) notes.push(`the numbers of the rows do not follow one another in ${gaps} places`)
  return notes
}

/** The tool's own words that rows are missing, or its count of rows when it sent fewer. */
function truncationOf(answer: ListAnswer): string | null {
  const notice = truncationNotice(answer.outside)
  if (notice !== null) return notice
  const declared = declaredCount(answer, 'Rows')
  if (declared === null || declared <= answer.rows.length) return null
  return `Rows: ${declared}, and ${answer.rows.length} were sent`
}
