import type { Exact } from './json/exact.ts'

/** A row with the keys and values that the tool sent, before mapping and coercion. */
export type SourceRow = ReadonlyMap<string, Exact>

/** A row of the source, or a part of one, that did not fit. */
export interface RowReject {
  /** 1-based position of the row in its page (element, line or record). */
  row: number
  reason: string
  /** What the source sent, as text; long texts are cut by the rejects file. */
  raw: string
  /** Whether the row is stored all the same (with nulls where it did not fit). */
  stored: boolean
}

/** A contract column as formats and adapters see it: where it comes from, its name, its type. */
export interface FieldMapping {
  source: string
  column: string
  type: string
}
