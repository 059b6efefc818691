import { RunError } from '@huntfleet/contract'
import { truncationNotice } from '../adapters/truncation-notice.ts'
import type { Format } from '../format.ts'
import { type Exact, isExactArray, isExactObject } from '../json/exact.ts'
import { JsonReader } from '../json/json-reader.ts'
import { parseExact } from '../json/parse-exact.ts'
import type { RowReject, SourceRow } from '../source-row.ts'
import { emptyPage, pageText } from './page-text.ts'

/**
 * One JSON object per line; blank lines are skipped. A line that is anything else is a reject with its 1-based line
 * number, except for a last line `... and N more rows`. Python's `NaN` and `Infinity` are read as in JSON answers.
 * Throws PARSE_FAILED when every line is bad: the text is no ndjson, perhaps a login page.
 */
export const ndjson: Format = (text) => {
  const source = pageText(text)
  const reader = new LineReader(source)
  const rows: SourceRow[] = []
  const rejects: RowReject[] = []
  let truncation: string | null = null
  for (let line = 1, start = 0; start < source.length; line++) {
    const feed = source.indexOf('\n', start)
    const end = feed < 0 ? source.length : feed
    const raw = source.slice(start, end)
    if (raw.trim() !== '') {
      const read = reader.read(start, end)
      if (typeof read !== 'string') rows.push(read)
      else if (truncationNotice([raw]) !== null && source.slice(end).trim() === '') truncation = raw.trim()
      else rejects.push({ row: line, reason: read, raw: raw.trimEnd(), stored: false })
    }
    start = end + 1
  }
  const [first] = rejects
  if (first !== undefined && rows.length === 0) throw everyLineBad(first, rejects.length)
  return { ...emptyPage(''), rows, rejects, items: rows.length + rejects.length, truncation }
}

const options = { lenientNumbers: true }

class LineReader {
  readonly #text: string
  /**
   * One reader for the page makes its rows share their keys, twice as fast as one per line. It is given up at the first
   * line that it cannot read: a value without an end would be followed through all lines below, again and again.
   */
  #page: JsonReader | null

  constructor(text: string) {
    this.#text = text
    this.#page = new JsonReader(text, options)
  }

  /** The object that makes up the line `[start, end)`, or why there is none. */
  read(start: number, end: number): SourceRow | string {
    return this.#readInPage(start, end) ?? readLine(this.#text.slice(start, end))
  }

  #readInPage(start: number, end: number): SourceRow | null {
    const page = this.#page
    const result = page?.read(start)
    const fits = result?.ok === true && result.end <= end && (page?.skipBlanks(result.end) ?? 0) >= end
    if (fits && isExactObject(result.value)) return result.value
    this.#page = null
    return null
  }
}

function readLine(line: string): SourceRow | string {
  try {
    const value = parseExact(line, options)
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
