import type { Exact } from './json/exact.ts'
import type { RowReject, SourceRow } from './source-row.ts'

/** One page of a table as it was read from a tool's answer, before mapping and coercion. */
export interface AnswerPage {
  rows: SourceRow[]
  rejects: RowReject[]
  /** Items the source sent, before mapping and rejects: what pagination counts. */
  items: number
  /** Size of the answer on the wire, in bytes. */
  bytes: number
  /** Where cursors, totals and flags are looked up, in order: the JSON of the text, `structuredContent`, `_meta`. */
  lookups: Iterable<Exact>
  /** The text around the rows. */
  text: string
  /** Where `next_cursor_pattern` looks: `text`, and the whole page where only the user's adapter knows what its rows are. */
  cursorText: string
  notes: string[]
  /** The names in the page's header row, for the pages that have none; null: it had none. */
  header: readonly string[] | null
  /** The source's own words that it sent less than it has. */
  truncation: string | null
  /** Same rows, same hash, whatever stands around them; 32 hex digits. */
  fingerprint: string
}
