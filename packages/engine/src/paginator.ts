import type { Json, JsonObject, Outcome, Proof, RunError } from '@huntfleet/contract'
import type { Exact } from './json/exact.ts'
import type { SourceRow } from './source-row.ts'

/** Where a fetch stands between two pages. Plain JSON, so that a state is a checkpoint. */
export type PageState = JsonObject

/** What a page is asked for with. */
export interface PageRequest {
  /** Arguments to set, by dot-path. */
  params: readonly { path: string; value: Json }[]
  /** Values of `{{page.*}}` in the arguments. */
  variables: Readonly<Record<string, Json>>
  /** Whether `next_tool` and `next_args` are in force. */
  following: boolean
  /** What the page ledger calls the place of this page; null for the first page of a cursor. */
  at: string | number | null
}

/** What a paginator may know of a page. */
export interface PageFacts {
  /** Items the source sent, before mapping and rejects. */
  items: number
  /** The value at a path of the answer around the rows; undefined when it is not there. */
  find(path: string): Exact | undefined
  /** Group 1 of a regular expression on the text around the rows. */
  match(pattern: string): string | undefined
  /** The last row as the source sent it. */
  lastRow: SourceRow | undefined
  /** Same rows, same hash. */
  fingerprint: string
  /** The source's own words that it sent less than it has. */
  truncation: string | null
}

/** The fetch goes on from `state`. */
export interface NextPage {
  more: true
  state: PageState
  /** Leave this page out: a smaller request will bring its rows. */
  discard?: boolean
  note?: string
}

/** The fetch ends, and why. */
export interface LastPage {
  more: false
  outcome: Outcome
  reason: string
  proof: Proof | null
  /** Why there is no next page, when that is an error. */
  error?: RunError
  /** Leave this page out: it repeats one that is stored. */
  discard?: boolean
  note?: string
}

/** Pure: all it knows is in the state and in the page just read. */
export interface Paginator {
  first(): PageState
  request(state: PageState): PageRequest
  next(state: PageState, page: PageFacts): NextPage | LastPage
}

export const complete = (reason: string, proof: Proof): LastPage => ({
  more: false,
  outcome: 'complete',
  reason,
  proof,
})
export const ended = (outcome: Outcome, reason: string): LastPage => ({
  more: false,
  outcome,
  reason,
  proof: null,
})
