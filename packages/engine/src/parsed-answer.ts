import type { RunError } from '@huntfleet/contract'
import type { JsonAnswer } from './formats/json.ts'
import type { Exact, ExactObject } from './json/exact.ts'
import type { RowReject, SourceRow } from './source-row.ts'

/** An answer taken apart, before anybody has asked whether it is an error. */
export interface ParsedAnswer {
  rows: SourceRow[]
  rejects: RowReject[]
  items: number
  /** JSON values that are no rows: where cursors, totals and errors are looked up. */
  documents: readonly Exact[]
  /** The objects around the rows. */
  holders: readonly ExactObject[]
  /** The object that is the only row, where rows might stand. */
  lone: ExactObject | null
  /** The text around the rows. */
  text: string
  /** More text that may hold the next cursor; '' where `text` is all there is. */
  cursorText: string
  /** The texts that carry the rows; null: not known. */
  rowTexts: string[] | null
  /** The names in the page's header row; null: it had none. */
  header: readonly string[] | null
  notes: string[]
  truncation: string | null
  /** What is wrong with the answer as a whole. */
  failure: RunError | null
}

/** An answer without rows; what is known of it is added. */
export function answerWithoutRows(known: Partial<ParsedAnswer> = {}): ParsedAnswer {
  return {
    rows: [],
    rejects: [],
    items: 0,
    documents: [],
    holders: [],
    lone: null,
    text: '',
    cursorText: '',
    rowTexts: null,
    header: null,
    notes: [],
    truncation: null,
    failure: null,
    ...known,
  }
}

export function answerOfJson({ remainder, envelope: _, ...answer }: JsonAnswer): ParsedAnswer {
  return { ...answer, text: remainder, cursorText: '' }
}
