import type { AnswerSpec } from '@huntfleet/contract'
import type { Exact } from './json/exact.ts'
import type { FieldMapping, RowReject, SourceRow } from './source-row.ts'

/** What a format or adapter makes of the text of one page. */
export interface ParsedText {
  rows: SourceRow[]
  rejects: RowReject[]
  /** Items the source sent, before rejects: what pagination counts. */
  items: number
  /** The JSON around the rows, for cursors and totals; undefined where the format has none. */
  envelope: Exact | undefined
  /** The text outside the rows (prose, footers, the JSON without its items): all that text rules may look at. */
  remainder: string
  /** Where `next_cursor_pattern` looks too: the whole text, from a parser that does not know which parts are rows. */
  cursorText?: string
  /** What a person should know: footers, skipped preambles. */
  notes: string[]
  /** The source's own words that it sent less than it has; null when it said nothing of the kind. */
  truncation: string | null
}

export interface FormatContext {
  answer: AnswerSpec
  /** The columns that are wanted; header ambiguities are settled with them. */
  fields: readonly FieldMapping[]
  /** Whether this is the first page of its fetch (a header row may stand on that page only). */
  firstPage: boolean
  /** Column names that an earlier page of the fetch brought in its header row; null: none did. */
  header: readonly string[] | null
  /** Bounds parsers that run elsewhere; formats end by themselves. Absent: the default of `timeout`. */
  deadline?: ParseDeadline
}

/** How long a parser may take, and what ends it before. */
export interface ParseDeadline {
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Text of a page → rows. Pure: no I/O, no clock. Throws `RunError` PARSE_FAILED, HEADERS… when the page as a whole
 * is not what the format says; a single bad row is a `RowReject`, never an exception.
 */
export type Format = (text: string, context: FormatContext) => ParsedText

/** A tool-specific parser as users write it: rows keyed by the source's field names, values of any JSON type. */
export type ResponseAdapter = (
  text: string,
  fields: readonly FieldMapping[],
) => Iterable<Record<string, unknown>> | Promise<Iterable<Record<string, unknown>>>
