/** Why the fetch of a table ended, as one word (SPEC section 8). */
export const outcomes = [
  'complete',
  'row_cap',
  'time_budget',
  'page_error',
  'cursor_repeated',
  'page_repeated',
  'source_capped',
  'limit_reached',
  'failed',
  'cancelled',
  'awaiting_agent',
  'native',
  'skipped',
] as const
export type Outcome = (typeof outcomes)[number]

/** What makes us believe that a complete table is whole. */
export const proofs = ['total', 'empty_page', 'end_cursor', 'short_page', 'unpaged', 'agent'] as const
export type Proof = (typeof proofs)[number]

/** The state of a run as a whole (SPEC section 11). */
export const runStatuses = [
  'queued',
  'staging',
  'pending',
  'executing',
  'complete',
  'partial',
  'failed',
  'cancelled',
  'lost',
] as const
export type RunStatus = (typeof runStatuses)[number]
export type FinalStatus = 'pending' | 'complete' | 'partial' | 'failed' | 'cancelled'

/** Outcomes that have no file. */
const fileless: ReadonlySet<Outcome> = new Set(['failed', 'skipped', 'awaiting_agent', 'native'])

/** Whether a table with this outcome has a Parquet file. */
export function hasFile(outcome: Outcome): boolean {
  return !fileless.has(outcome)
}

/** Outcomes that leave nothing to wish for: the table holds all the source had, or was not ours to fetch. */
export function isSettled(outcome: Outcome): boolean {
  return outcome === 'complete' || outcome === 'native' || outcome === 'skipped'
}

/** Worst first: which outcome a table gets whose parts ended differently. */
const severity: readonly Outcome[] = [
  'failed',
  'cancelled',
  'page_error',
  'cursor_repeated',
  'page_repeated',
  'time_budget',
  'limit_reached',
  'source_capped',
  'row_cap',
  'awaiting_agent',
  'complete',
  'native',
  'skipped',
]

/** The worse of two outcomes. */
export function worse(a: Outcome, b: Outcome): Outcome {
  return severity.indexOf(a) <= severity.indexOf(b) ? a : b
}

/** What a run needs to know of each table to decide its status. */
export interface TableVerdict {
  outcome: Outcome
  optional: boolean
}

/**
 * The status of a run whose tables have all ended: never `complete` unless every table is settled.
 * `waitsForAgents` is true where agents can still stage tables (the fleet), false for `huntfleet run`.
 */
export function statusOf(tables: readonly TableVerdict[], waitsForAgents: boolean): FinalStatus {
  if (tables.some((table) => table.outcome === 'cancelled')) return 'cancelled'
  if (tables.every((table) => isSettled(table.outcome))) return 'complete'
  const required = tables.filter((table) => !table.optional)
  const failed = required.some((table) => table.outcome === 'failed')
  if (failed && !required.some((table) => hasFile(table.outcome))) return 'failed'
  const wanted = required.some((table) => table.outcome === 'awaiting_agent')
  return wanted && waitsForAgents && !failed ? 'pending' : 'partial'
}
