import type { Script, Step } from '@huntfleet/testing'

/** A cell as cases write it: see `parquet-cells.ts` for the spelling of each type. */
export type Cell = null | boolean | number | string | readonly Cell[]

/**
 * One black-box case: what a tool answered, how the binding reads it, and what must stand in the Parquet file and in the
 * manifest. Every case is a table of its own in one strategy, so that one run and one server serve a file of cases.
 */
export interface AnswerCase {
  /** A sentence of behaviour. */
  title: string
  /** Contract columns: the type alone, or the whole entry. */
  columns: Readonly<Record<string, unknown>>
  /** Fields of the binding beside fetch_mode, server and tool. */
  binding?: Readonly<Record<string, unknown>>
  /** field_overrides of this table: semantic → source field. */
  overrides?: Readonly<Record<string, string>>
  /** What the tool answers: a text, or steps of the scripted server. */
  answer: string | Step | readonly Step[]
  /** Resources that the server offers, by URI. */
  resources?: Script['resources']
  expect: Expected
}

/** What must come out. Counts that are not given must be zero. */
export interface Expected {
  /** `complete` by default. */
  outcome?: string
  /** All rows in order, cells in contract order. */
  rows?: readonly (readonly Cell[])[]
  /** Instead of the rows, how many there must be. */
  rowCount?: number
  /** Rejected values and rows. */
  rejects?: number
  /** Rejected values of the columns that have any. */
  rejectedIn?: Readonly<Record<string, number>>
  /** Rows that are not stored because of a reject. */
  dropped?: number
  duplicates?: number
  /** Words of the reasons and raw values in the rejects file. */
  rejectWords?: readonly string[]
  /** Words that the rejects file, the manifest and the terminal must not hold. */
  unsaid?: readonly string[]
  /** Words of the notes; without them there must be no note but those about the schema. */
  notes?: readonly string[]
  calls?: number
  error?: { kind: string; words?: readonly string[] }
  /** Parquet types as DuckDB names them, by column. */
  types?: Readonly<Record<string, string>>
}
