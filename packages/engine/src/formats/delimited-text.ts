import { RunError } from '@huntfleet/contract'
import { truncationNotice } from '../adapters/truncation-notice.ts'
import type { FormatContext, ParsedText } from '../format.ts'
import { excerpt } from '../visible-text.ts'
import { type DelimitedRecord, lineEnd, nextLine, type RecordFault, readRecord } from './delimited-record.ts'
import { emptyPage, pageText } from './page-text.ts'
import { TableRows } from './table-rows.ts'
import { uniqueNames } from './unique-names.ts'
import { countWanted, requireWanted } from './wanted-columns.ts'

/** The dialect of a text of records, one per line, with cells between delimiters. */
export interface DelimitedDialect {
  /** Name of the format, for messages. */
  format: string
  delimiter: string
  /** A line that starts with it is no record; null: there are none. */
  comment: string | null
  /** Whether the first record names the columns; otherwise they are `column_1`, `column_2` and so on. */
  header: boolean
}

/**
 * Reads a csv-like text, SPEC sections 10 and 15.
 *
 * A record with a quote that is never closed, or with text behind a closing quote, is a reject up to the end of the
 * line on which the broken cell begins. The lines from there to the one on which the fault showed are either good
 * records (a stray quote) or the rest of that cell (a text that is cut off). They are taken only if every one of them
 * is a well-formed record of exactly the header's width; otherwise each is a reject of its own. So a stray quote in a
 * regular table costs one row, and no row is made of pieces of a cell.
 */
export function parseDelimited(text: string, dialect: DelimitedDialect, context: FormatContext): ParsedText {
  const source = pageText(text)
  if (source.trim() === '') return emptyPage(source)
  const reader = new DelimitedReader(source, dialect)
  reader.readAll()
  const { table, names } = reader
  if (table === undefined || table.items === 0) return headerOnly(source, names, context)
  if (dialect.header) requireWanted(dialect.format, names, context.fields)
  return {
    ...emptyPage(reader.comments.join('\n')),
    rows: table.rows,
    rejects: table.rejects,
    items: table.items,
    notes: reader.notes(),
    truncation: reader.truncation,
  }
}

const doubt = 'the line follows a broken quote and may belong to that cell'

interface DoubtfulLine {
  cells: DelimitedRecord['cells']
  raw: string
  reason: string | null
}

class DelimitedReader {
  names: string[] = []
  table: TableRows | undefined
  /** The last line, where it says that rows are missing. */
  truncation: string | null = null
  readonly comments: string[] = []
  readonly #text: string
  readonly #dialect: DelimitedDialect
  /** Up to here lines may belong to a broken cell; they wait until all of them are known. */
  #doubtfulEnd = 0
  #doubtful: DoubtfulLine[] = []
  #rescued = 0

  constructor(text: string, dialect: DelimitedDialect) {
    this.#text = text
    this.#dialect = dialect
  }

  readAll(): void {
    let at = 0
    while (at < this.#text.length) {
      const doubtful = at < this.#doubtfulEnd
      if (!doubtful) this.#settleDoubt()
      // A line inside a broken cell must not pass for a comment: those are shown to text rules.
      const isComment = !doubtful && this.#isComment(at)
      at = nextLine(this.#text, isComment ? this.#readComment(at) : this.#readRecord(at, doubtful))
    }
    this.#settleDoubt()
  }

  notes(): string[] {
    if (this.#rescued === 0) return []
    return [
      `${this.#rescued} rows that follow a broken quote were read because they are well-formed by themselves`,
    ]
  }

  #isComment(start: number): boolean {
    const { comment } = this.#dialect
    return comment !== null && comment !== '' && this.#text.startsWith(comment, start)
  }

  #readComment(start: number): number {
    const end = lineEnd(this.#text, start)
    this.comments.push(this.#text.slice(start, end))
    return end
  }

  #readRecord(start: number, doubtful: boolean): number {
    const record = readRecord(this.#text, start, this.#dialect.delimiter, doubtful)
    if (record.fault !== null) this.#doubtfulEnd = Math.max(this.#doubtfulEnd, record.fault.doubtfulEnd)
    const raw = this.#text.slice(start, record.end)
    if (this.#isBlank(record, start)) return record.end
    if (doubtful) this.#doubtful.push({ cells: record.cells, raw, reason: this.#doubtAbout(record, start) })
    else if (this.#isNotice(record, raw)) this.truncation = raw.trim()
    else this.#take(record, raw)
    return record.end
  }

  #take({ cells, fault }: DelimitedRecord, raw: string): void {
    const { table } = this
    if (table === undefined) {
      if (fault !== null) throw brokenHeader(this.#dialect, raw, fault)
      this.#open(cells, raw)
    } else if (fault !== null) {
      table.reject(fault.reason, raw)
    } else {
      table.add(cells, raw)
    }
  }

  /** Why a line behind a broken quote is no record for sure; in a table of one column any line would be one. */
  #doubtAbout({ cells, fault }: DelimitedRecord, start: number): string | null {
    if (fault !== null) return fault.reason
    const fits = cells.length === this.names.length && cells.length > 1 && !this.#isComment(start)
    return fits ? null : doubt
  }

  #settleDoubt(): void {
    const lines = this.#doubtful
    if (lines.length === 0) return
    this.#doubtful = []
    const sound = lines.every(({ reason }) => reason === null)
    if (sound) this.#rescued += lines.length
    for (const { cells, raw, reason } of lines) {
      if (sound) this.table?.add(cells, raw)
      else this.table?.reject(reason ?? doubt, raw)
    }
  }

  /** Takes the first record, as the header or as a row under made names. */
  #open(cells: DelimitedRecord['cells'], raw: string): void {
    const { header } = this.#dialect
    this.names = uniqueNames(cells.map((cell) => (header ? (cell ?? '') : '')))
    this.table = new TableRows(this.names)
    if (!header) this.table.add(cells, raw)
  }

  /** `... and N more rows` on the last line is no short record. */
  #isNotice(record: DelimitedRecord, raw: string): boolean {
    if (this.names.length < 2 || record.cells.length !== 1 || truncationNotice([raw]) === null) return false
    return this.#text.slice(record.end).trim() === ''
  }

  /** A line of nothing but blanks; in a table of one column blanks may be a value. */
  #isBlank(record: DelimitedRecord, start: number): boolean {
    const [cell] = record.cells
    if (record.fault !== null || record.cells.length !== 1 || cell === undefined) return false
    if (cell === null) return true
    return this.names.length !== 1 && this.#text.charAt(start) !== '"' && cell.trim() === ''
  }
}

function brokenHeader(dialect: DelimitedDialect, raw: string, fault: RecordFault): RunError {
  return new RunError(
    'PARSE_FAILED',
    `${dialect.format}: ${fault.reason} in the first record: ${excerpt(raw)}`,
    {
      hint: 'check that the tool answers in this format; csv.comment skips lines above the header',
    },
  )
}

/** A text without records: its line is a header, or a sentence. It is all remainder, so that text rules can tell. */
function headerOnly(source: string, names: readonly string[], context: FormatContext): ParsedText {
  const page = emptyPage(source)
  if (context.fields.length > 0 && countWanted(names, context.fields) === 0) {
    page.notes.push(`no rows, and the header names none of the wanted columns: ${excerpt(source)}`)
  }
  return page
}
