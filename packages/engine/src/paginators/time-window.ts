import type { Json, PagedSpec } from '@huntfleet/contract'
import { z } from 'zod'
import { complete, ended, type PageFacts, type Paginator } from '../paginator.ts'
import { hasMore, readState, totalOf } from './page-count.ts'

type TimeWindowSpec = Extract<PagedSpec, { mode: 'time_window' }>

const windowState = z.object({
  page: z.int(),
  received: z.int(),
  /** Slices still to fetch, next first, each half-open, in milliseconds since the epoch. */
  slices: z.array(z.tuple([z.number(), z.number()])),
  /** Slices that were cut off and too short to be halved. */
  cut: z.int(),
})

/** Slices of the interval, each half-open; a slice that comes back cut off is halved until `min_window`. */
export function timeWindow(spec: TimeWindowSpec): Paginator {
  const render = (ms: number): Json =>
    spec.timeFormat === 'iso' ? new Date(ms).toISOString() : spec.timeFormat === 's' ? ms / 1000 : ms
  return {
    first: () => ({ page: 0, received: 0, slices: slicesOf(spec), cut: 0 }),
    request(state) {
      const { page, received, slices } = readState(windowState, state)
      const [start, end] = slices[0] ?? [0, 0]
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
          'page.number': page + 1,
          'page.offset': received,
          'page.cursor': null,
        },
        following: page > 0,
        at: new Date(start).toISOString(),
      }
    },
    next(state, facts) {
      const now = readState(windowState, state)
      const [slice, ...rest] = now.slices
      const wasCut = isCut(spec, facts)
      if (slice !== undefined && wasCut && slice[1] - slice[0] >= 2 * spec.minWindowMs) {
        return {
          more: true,
          discard: true,
          state: { ...now, page: now.page + 1, slices: [...halves(slice, spec.order), ...rest] },
        }
      }
      const following = {
        page: now.page + 1,
        received: now.received + facts.items,
        slices: rest,
        cut: now.cut + (wasCut ? 1 : 0),
      }
      if (rest.length > 0) return { more: true, state: following }
      if (following.cut > 0) {
        return ended(
          'source_capped',
          `${following.cut} of the slices were cut off by the source and are too short to be halved (min_window ${spec.minWindowMs} ms)`,
        )
      }
      return complete(
        `all slices of the interval came whole`,
        spec.totalPath !== null ? 'total' : spec.limitParam !== null ? 'short_page' : 'unpaged',
      )
    },
  }
}

type Slice = [number, number]

function slicesOf(spec: TimeWindowSpec): Slice[] {
  const start = Date.parse(spec.start)
  const end = Date.parse(spec.end)
  const slices: Slice[] = []
  for (let at = start; at < end; at += spec.windowMs) slices.push([at, Math.min(at + spec.windowMs, end)])
  // An empty interval is still asked for once, so that the source's errors are seen.
  if (slices.length === 0) slices.push([start, end])
  return spec.order === 'ascending' ? slices : slices.reverse()
}

function halves([start, end]: Slice, order: TimeWindowSpec['order']): Slice[] {
  const middle = start + Math.floor((end - start) / 2)
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
