import { RunError } from '@huntfleet/contract'
import type { Format } from '../format.ts'
import { type Exact, isExactArray, isExactObject } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import type { RowReject, SourceRow } from '../source-row.ts'
import { emptyPage, linesOf, pageText } from './page-text.ts'

/**
 * One JSON object per line; blank lines are skipped. A line that is anything else is a reject with its 1-based line
 * number. Throws PARSE_FAILED when every line is one: the text is no ndjson, perhaps a login page.
 */
export const ndjson: Format = (text) => {
  const rows: SourceRow[] = []
  const rejects: RowReject[] = []
  for (const [index, line] of linesOf(pageText(text)).entries()) {
    if (line.trim() === '') continue
    const read = readLine(line)
    if (typeof read === 'string') rejects.push({ row: index + 1, reason: read, raw: line, stored: false })
    else rows.push(read)
  }
  const [first] = rejects
  if (first !== undefined && rows.length === 0) throw everyLineBad(first, rejects.length)
  return { ...emptyPage(''), rows, rejects, items: rows.length + rejects.length }
}

/** The object of a line, or why there is none. */
function readLine(line: string): SourceRow | string {
  try {
    const value = parseExact(line)
    return isExactObject(value) ? value : `the line is ${kindOf(value)}, not an object`
  } catch (error) {
    if (error instanceof RunError) return error.message
    throw error
  }
}

function kindOf(value: Exact): string {
  if (value === null) return 'null'
  if (isExactArray(value)) return 'an array'
  return `a ${typeof value === 'object' ? 'number' : typeof value}`
}

function everyLineBad(first: RowReject, count: number): RunError {
  const isArray = first.raw.trimStart().startsWith('[')
  return new RunError(
    'PARSE_FAILED',
    `ndjson: no line is a JSON object (${count} lines); line ${first.row}: ${first.reason}`,
    {
      hint: isArray
        ? 'the text looks like one JSON array: use response_format: json'
        : 'check what the tool answers with `huntfleet preview`; set error_when for answers that are errors',
    },
  )
}
