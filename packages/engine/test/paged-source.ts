import { RunError } from '@huntfleet/contract'
import { type Answer, jsonResult } from './scripted-sessions.ts'

/** A source that holds rows 0, 1, 2 … and obeys its paging arguments. */
export interface PagedSourceOptions {
  total: number
  /** The source never sends more rows at once. */
  clamp?: number
  /** Whether answers count all rows. */
  tellsTotal?: boolean
  /** The page (1-based) that fails, and how: for good, or so many times. */
  failure?: { page: number; times: number }
}

/** First moment of the rows: row n happens n seconds later. */
export const epoch = Date.UTC(2026, 0, 1)

export interface PagedSource {
  answer: Answer
  /** Whether the failing page was asked for. */
  failed: boolean
}

/** Serves offset (`from`), `page`, `cursor`, keyset (`after`) and time slices (`start`, `end`), all with `size`. */
export function pagedSource(options: PagedSourceOptions): PagedSource {
  const { total, clamp = Number.MAX_SAFE_INTEGER, tellsTotal = false, failure } = options
  const rows = Array.from({ length: total }, (_, id) => ({ id, note: `row ${id}` }))
  const seen = new Map<string, number>()
  const source: PagedSource = {
    failed: false,
    answer({ args }) {
      const key = JSON.stringify(args)
      const tries = (seen.get(key) ?? 0) + 1
      seen.set(key, tries)
      const number = [...seen.keys()].indexOf(key) + 1
      if (failure !== undefined && number === failure.page && tries <= failure.times) {
        source.failed = true
        const isForGood = failure.times === Number.POSITIVE_INFINITY
        throw new RunError(isForGood ? 'TOOL_FAILED' : 'SOURCE_ERROR', 'the source is unwell')
      }
      const size = Math.min(Number(args['size'] ?? total), clamp)
      const { from, to } = rangeOf(args, size)
      const page = rows.slice(from, to)
      const next = from + page.length
      return jsonResult({
        rows: page,
        ...(tellsTotal && { total: args['start'] === undefined ? total : to - from }),
        next: next < total ? `at-${next}` : null,
      })
    },
  }
  return source
}

function rangeOf(args: Record<string, unknown>, size: number): { from: number; to: number } {
  const of = (from: number) => ({ from, to: from + size })
  const { start, end } = args
  if (typeof start === 'string' && typeof end === 'string') {
    const from = Math.ceil((Date.parse(start) - epoch) / 1_000)
    return { from, to: Math.min(from + size, Math.ceil((Date.parse(end) - epoch) / 1_000)) }
  }
  if (args['page'] !== undefined) return of((Number(args['page']) - 1) * size)
  if (args['cursor'] !== undefined) return of(Number(String(args['cursor']).slice('at-'.length)))
  if (args['after'] !== undefined) return of(Number(args['after']) + 1)
  return of(Number(args['from'] ?? 0))
}
