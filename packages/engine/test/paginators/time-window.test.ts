import { describe, expect, test } from 'vitest'
import type { PageFacts, PageState } from '../../src/paginator.ts'
import { timeWindow } from '../../src/paginators/time-window.ts'
import { pagedBy } from '../spec-fixture.ts'
import { idsFrom, pageOf } from './page-facts.ts'
import { describePaginator } from './paginator.suite.ts'

describePaginator('time_window', {
  paginator: timeWindow(pagedBy('time_window')),
  fullPage: (n) => pageOf(idsFrom(n * 10, 9)),
})

type Options = Parameters<typeof pagedBy<'time_window'>>[1]

/** Walks to the end; `pages` gives the page of a slice, in seconds since the start. */
function walk(options: Options, pages: (start: number, end: number) => PageFacts) {
  const spec = pagedBy('time_window', options)
  const paginator = timeWindow(spec)
  const seconds = (value: unknown) =>
    ((typeof value === 'string' ? Date.parse(value) : Number(value) * (spec.timeFormat === 's' ? 1_000 : 1)) -
      Date.parse(spec.start)) /
    1_000
  const kept: [number, number][] = []
  const asked: [number, number][] = []
  let state: PageState = paginator.first()
  for (let calls = 0; calls < 1_000; calls++) {
    const { variables } = paginator.request(state)
    const slice: [number, number] = [seconds(variables['page.start']), seconds(variables['page.end'])]
    asked.push(slice)
    const step = paginator.next(state, pages(...slice))
    if (step.discard !== true) kept.push(slice)
    if (!step.more) return { end: step, kept, asked }
    state = step.state
  }
  throw new Error('it never ends')
}

/** One row a second, at most ten at once. */
const everySecond = (start: number, end: number) =>
  pageOf(idsFrom(Math.ceil(start), Math.min(10, Math.ceil(end) - Math.ceil(start))))

const hour = 3_600

describe('time_window', () => {
  test('covers the interval with half-open slices, the last one shorter', () => {
    const { kept, end } = walk({ windowMs: 1_500_000, limitParam: null }, everySecond)
    expect(kept).toEqual([
      [0, 1_500],
      [1_500, 3_000],
      [3_000, hour],
    ])
    expect(end).toMatchObject({ outcome: 'complete', proof: 'unpaged' })
  })

  test('goes backwards on demand', () => {
    const { kept } = walk({ windowMs: 1_500_000, limitParam: null, order: 'descending' }, everySecond)
    expect(kept).toEqual([
      [3_000, hour],
      [1_500, 3_000],
      [0, 1_500],
    ])
  })

  test.each(['ascending', 'descending'] as const)('halves slices that come back full, %s', (order) => {
    const { kept, end } = walk({ end: '2026-01-01T00:01:00.000Z', order }, everySecond)
    const inTime = order === 'ascending' ? kept : kept.toReversed()
    // Whole, without a gap and without an overlap.
    expect(inTime[0]?.[0]).toBe(0)
    expect(inTime.at(-1)?.[1]).toBe(60)
    for (const [n, slice] of inTime.entries()) if (n > 0) expect(slice[0]).toBe(inTime[n - 1]?.[1])
    expect(end).toMatchObject({ outcome: 'complete', proof: 'short_page' })
  })

  test.each<[string, Options, Partial<PageFacts>, Record<string, unknown>]>([
    ['its own words', { limitParam: null }, { truncation: 'truncated' }, {}],
    ['a total above what came', { limitParam: null, totalPath: 'total' }, {}, { total: 11 }],
    ['a flag', { limitParam: null, hasMorePath: 'more' }, {}, { more: true }],
  ])('knows a slice that was cut off by %s', (_, options, facts, around) => {
    const { asked } = walk({ ...options, end: '2026-01-01T00:10:00.000Z' }, (start, end) =>
      end - start > 300 ? pageOf([1], around, facts) : pageOf([start]),
    )
    expect(asked).toEqual([
      [0, 600],
      [0, 300],
      [300, 600],
    ])
  })

  test('keeps what came of a slice that is too short to be halved, and says so', () => {
    const { kept, end } = walk({ end: '2026-01-01T00:00:02.000Z' }, (start) =>
      pageOf(idsFrom(start * 100, 10)),
    )
    expect(kept).toEqual([
      [0, 1],
      [1, 2],
    ])
    expect(end).toMatchObject({
      outcome: 'source_capped',
      reason: expect.stringContaining('2 of the slices'),
    })
  })

  test('halves at whole seconds where the source counts in seconds', () => {
    const options = {
      timeFormat: 's',
      end: '2026-01-01T00:00:07.000Z',
      windowMs: 6_500,
      minWindowMs: 100,
    } as const
    const { asked, end } = walk(options, (start, stop) =>
      pageOf([start], {}, { truncation: stop - start > 1 ? 'cut' : null }),
    )
    expect(asked.flat().every(Number.isInteger)).toBe(true)
    expect(end).toMatchObject({ outcome: 'complete' })
  })

  test('stops at a source that ignores the times', () => {
    const { end, kept } = walk({ limitParam: null }, () => pageOf([1, 2, 3]))
    expect(kept).toHaveLength(1)
    expect(end).toMatchObject({ outcome: 'page_repeated', discard: true })
  })

  test('does not take a half for a repetition of the whole that was left out', () => {
    const { end } = walk({ end: '2026-01-01T00:10:00.000Z', pageSize: 3 }, (start) =>
      start === 0 ? pageOf([1, 2, 3]) : pageOf([]),
    )
    expect(end).toMatchObject({ outcome: 'source_capped' })
  })

  test('asks for an empty interval once', () => {
    const { asked, end } = walk({ end: '2026-01-01T00:00:00.000Z' }, () => pageOf([]))
    expect(asked).toEqual([[0, 0]])
    expect(end).toMatchObject({ outcome: 'complete' })
  })

  test('holds no list of its slices: a decade by the millisecond is one state', () => {
    const paginator = timeWindow(pagedBy('time_window', { end: '2036-01-01T00:00:00.000Z', windowMs: 1 }))
    const step = paginator.next(paginator.first(), pageOf([1]))
    expect(JSON.stringify(step).length).toBeLessThan(500)
  })
})
