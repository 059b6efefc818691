import type { Json, PagedSpec } from '@huntfleet/contract'
import { z } from 'zod'
import { complete, ended, type LastPage, type PageFacts, type Paginator } from '../paginator.ts'
import { hasMore, readState, totalOf } from './page-count.ts'

type TimeWindowSpec = Extract<PagedSpec, { mode: 'time_window' }>

type Slice = [number, number]

const windowState = z.object({
  page: z.int(),
  received: z.int(),
  /** How many slices of the full length have been begun. */
  begun: z.int(),
  /** Parts of a slice that was cut off, next first, each half-open, in milliseconds since the epoch. */
  parts: z.array(z.tuple([z.number(), z.number()])),
  /** Slices that were cut off and too short to be halved. */
  cut: z.int(),
  /** Fingerprint of the last slice that was kept; null: none, or an empty one. */
  previous: z.string().nullable(),
})

/**
 * Slices of the interval, each half-open; a slice that comes back cut off is halved until `min_window`. The bounds of
 * slices are whole seconds where the source counts in seconds: one that it rounds would lose rows or fetch them twice.
 */
export function timeWindow(spec: TimeWindowSpec): Paginator {
  const unitMs = spec.timeFormat === 's' ? 1_000 : 1
  const leastMs = Math.max(spec.minWindowMs, unitMs)
  const slices = slicesOf(spec, unitMs)
  const current = (state: z.infer<typeof windowState>) => state.parts[0] ?? slices.at(state.begun)
  const render = (ms: number): Json =>
    spec.timeFormat === 'iso' ? new Date(ms).toISOString() : spec.timeFormat === 's' ? ms / 1000 : ms
  return {
    first: () => ({ page: 0, received: 0, begun: 0, parts: [], cut: 0, previous: null }),
    request(state) {
      const now = readState(windowState, state)
      const [start, end] = current(now)
      return {
        params: [
          ...(spec.startParam === null ? [] : [{ path: spec.startParam, value: render(start) }]),
          ...(spec.endParam === null ? [] : [{ path: spec.endParam, value: render(end) }]),
          ...(spec.limitParam === null ? [] : [{ path: spec.limitParam, value: spec.pageSize }]),
        ],
        variables: {
          'page.start': render(start),
          'page.end': render(end),
          'page.limit': spec.pageSize,
          'page.number': now.page + 1,
          'page.offset': now.received,
          'page.cursor': null,
        },
        following: now.page > 0,
        at: new Date(start).toISOString(),
      }
    },
    next(state, facts) {
      const now = readState(windowState, state)
      const slice = current(now)
      const rest = {
        page: now.page + 1,
        begun: now.parts.length > 0 ? now.begun : now.begun + 1,
        parts: now.parts.slice(1),
      }
      const wasCut = isCut(spec, facts)
      if (wasCut && slice[1] - slice[0] >= 2 * leastMs) {
        const parts = [...halves(slice, spec.order, unitMs), ...rest.parts]
        return { more: true, discard: true, state: { ...now, ...rest, parts } }
      }
      if (facts.items > 0 && now.previous === facts.fingerprint && spec.repeatGuard === 'stop') {
        const reason =
          'a slice of time repeats the one before it: the source ignores the times it is asked for'
        return { ...ended('page_repeated', reason), discard: true }
      }
      const cut = now.cut + (wasCut ? 1 : 0)
      if (rest.parts.length > 0 || rest.begun < slices.count) {
        const previous = facts.items > 0 ? facts.fingerprint : null
        return { more: true, state: { ...rest, received: now.received + facts.items, cut, previous } }
      }
      return endOf(spec, cut)
    },
  }
}

/** How the fetch ends after the last slice. `cut`: slices that came incomplete. */
function endOf(spec: TimeWindowSpec, cut: number): LastPage {
  if (cut > 0) {
    return ended(
      'source_capped',
      `${cut} of the slices were cut off by the source and are too short to be halved (min_window ${spec.minWindowMs} ms)`,
    )
  }
  const proof = spec.totalPath !== null ? 'total' : spec.limitParam !== null ? 'short_page' : 'unpaged'
  return complete('all slices of the interval came whole', proof)
}

/** The slices of full length, in their order; an interval of years may have millions. */
function slicesOf(spec: TimeWindowSpec, unitMs: number): { count: number; at(number: number): Slice } {
  const start = Date.parse(spec.start)
  const end = Date.parse(spec.end)
  const length = Math.ceil(spec.windowMs / unitMs) * unitMs
  // An empty interval is still asked for once, so that the source's errors are seen.
  const count = Math.max(1, Math.ceil((end - start) / length))
  return {
    count,
    at(number) {
      const position = spec.order === 'ascending' ? number : count - 1 - number
      const from = start + position * length
      return [from, Math.min(from + length, end)]
    },
  }
}

function halves([start, end]: Slice, order: TimeWindowSpec['order'], unitMs: number): Slice[] {
  const middle = start + Math.floor((end - start) / 2 / unitMs) * unitMs
  const both: Slice[] = [
    [start, middle],
    [middle, end],
  ]
  return order === 'ascending' ? both : both.reverse()
}

/** Whether the source sent less of a slice than it has. */
function isCut(spec: TimeWindowSpec, facts: PageFacts): boolean {
  if (facts.truncation !== null || hasMore(spec, facts) === true) return true
  const total = totalOf(spec, facts)
  if (total !== undefined) return facts.items < total
  return spec.limitParam !== null && facts.items >= spec.pageSize
}
