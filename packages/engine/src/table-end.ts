import { hasFile, type Outcome, type Proof, RunError, type TableSpec, worse } from '@huntfleet/contract'
import type { FetchEnd } from './fetch-pages.ts'

/** How the fetches of a table ended, taken together. */
export interface TableEnd {
  outcome: Outcome
  reason: string
  proof: Proof | null
  error: RunError | null
  notes: string[]
  server: FetchEnd['server']
}

/** One end for all parts: the worst outcome; `failed` only if no part brought anything. */
export function tableEnd(spec: TableSpec, ends: readonly FetchEnd[], rows: number): TableEnd {
  const first = ends[0]
  if (first === undefined) {
    return {
      outcome: 'complete',
      reason: 'there was nothing to ask for: the list of for_each is empty',
      proof: 'unpaged',
      error: null,
      notes: [],
      server: null,
    }
  }
  const notes = ends.flatMap((end, i) =>
    end.notes.map((note) => (label(spec, i) ? `${label(spec, i)}: ${note}` : note)),
  )
  const skipped = spec.fetches.slice(ends.length).map((fetch) => fetch.label)
  if (skipped.length > 0) notes.push(`not fetched any more: ${skipped.join(', ')}`)
  let worst = first
  for (const end of ends) if (worse(worst.outcome, end.outcome) !== worst.outcome) worst = end
  const index = ends.indexOf(worst)
  const where = label(spec, index)
  const reason = where ? `${where}: ${worst.reason}` : worst.reason
  const server = ends.find((end) => end.server !== null)?.server ?? null
  const base = {
    reason,
    proof: worst.outcome === 'complete' ? weakestProof(ends) : null,
    error: worst.error,
    notes,
    server,
  }
  const someCame = ends.some((end) => end.outcome !== 'failed') || rows > 0
  const rejected = worst.error?.code === 'ROW_REJECTED'
  return {
    ...base,
    outcome: worst.outcome === 'failed' && someCame && !rejected ? 'page_error' : worst.outcome,
  }
}

const label = (spec: TableSpec, part: number) =>
  spec.fetches.length > 1 ? (spec.fetches[part]?.label ?? '') : ''

const proofStrength: readonly Proof[] = [
  'unpaged',
  'agent',
  'short_page',
  'empty_page',
  'end_cursor',
  'total',
]

/** A table is proven no better than its least proven part. */
function weakestProof(ends: readonly FetchEnd[]): Proof | null {
  const ranks = ends.map((end) => (end.proof === null ? 0 : proofStrength.indexOf(end.proof)))
  return proofStrength[Math.min(...ranks)] ?? null
}

/** A table whose pipeline is gone has failed, whatever came before. */
export function lostAsFailure(failure: RunError | null, end: TableEnd): TableEnd {
  if (failure === null) return end
  return { ...end, outcome: 'failed', reason: failure.message, proof: null, error: failure }
}

/** `on_incomplete: fail` turns a table that is not complete into a failure. */
export function incompleteAsFailure(spec: TableSpec, end: TableEnd): TableEnd {
  if (
    spec.onIncomplete !== 'fail' ||
    end.outcome === 'complete' ||
    !hasFile(end.outcome) ||
    end.outcome === 'cancelled'
  )
    return end
  const error = new RunError(
    'TABLE_INCOMPLETE',
    `the table is ${end.outcome} and on_incomplete is fail: ${end.reason}`,
    {
      table: spec.table,
      hint: 'remove the cause, or set on_incomplete: keep to keep what came',
    },
    end.error ?? undefined,
  )
  return { ...end, outcome: 'failed', reason: error.message, proof: null, error }
}
