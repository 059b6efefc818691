import { describe, expect, test } from 'vitest'
import type { PageFacts, PageState } from '../../src/paginator.ts'
import { offset } from '../../src/paginators/offset.ts'
import { pagedBy } from '../spec-fixture.ts'
import { idsFrom, pageOf, tenRows } from './page-facts.ts'
import { describePaginator } from './paginator.suite.ts'

describePaginator('offset', { paginator: offset(pagedBy('offset')), fullPage: (n) => tenRows(n) })

type Options = Parameters<typeof pagedBy<'offset'>>[1]

/** What follows these pages, one after the other. */
function after(options: Options, ...pages: PageFacts[]) {
  const paginator = offset(pagedBy('offset', options))
  let state: PageState = paginator.first()
  for (const [index, page] of pages.entries()) {
    const step = paginator.next(state, page)
    if (!step.more || index === pages.length - 1) {
      const params = step.more ? paginator.request(step.state).params : []
      return { ...step, asks: Object.fromEntries(params.map(({ path, value }) => [path, value])) }
    }
    state = step.state
  }
  throw new Error('no page')
}

describe('offset', () => {
  test('asks for rows from the number received so far', () => {
    const paginator = offset(pagedBy('offset'))
    expect(paginator.request(paginator.first())).toEqual({
      params: [
        { path: 'from', value: 0 },
        { path: 'size', value: 10 },
      ],
      variables: { 'page.offset': 0, 'page.limit': 10, 'page.number': 1, 'page.cursor': null },
      following: false,
      at: 0,
    })
    expect(after({}, tenRows(0), tenRows(1)).asks).toEqual({ from: 20, size: 10 })
  })

  test('sends no parameter that the arguments carry themselves', () => {
    expect(after({ offsetParam: null, limitParam: null }, tenRows(0)).asks).toEqual({})
  })

  test.each<[string, Options, PageFacts[], object]>([
    ['a short page', {}, [tenRows(0), pageOf([10, 11, 12])], { outcome: 'complete', proof: 'short_page' }],
    ['an empty page', {}, [tenRows(0), pageOf([])], { outcome: 'complete', proof: 'empty_page' }],
    ['a page like the one before', {}, [tenRows(0), tenRows(0)], { outcome: 'page_repeated', discard: true }],
    [
      'the total',
      { totalPath: 'total' },
      [tenRows(0, { total: 20 }), tenRows(1, { total: 20 })],
      { outcome: 'complete', proof: 'total' },
    ],
    [
      'a total in digits',
      { totalPath: 'total' },
      [tenRows(0, { total: '10' })],
      { outcome: 'complete', proof: 'total' },
    ],
    [
      'an empty page before the total',
      { totalPath: 'total' },
      [tenRows(0, { total: 30 }), pageOf([], { total: 30 })],
      { outcome: 'source_capped', reason: 'the source counts 30 rows but gave 10' },
    ],
    [
      'a flag that says no',
      { hasMorePath: 'more' },
      [tenRows(0, { more: false })],
      { outcome: 'complete', proof: 'end_cursor' },
    ],
    [
      'a flag that says no before the total',
      { hasMorePath: 'more', totalPath: 'total' },
      [tenRows(0, { more: false, total: 11 })],
      { outcome: 'source_capped' },
    ],
    [
      'an empty page although more is promised',
      { hasMorePath: 'more' },
      [tenRows(0, { more: true }), pageOf([], { more: true })],
      { outcome: 'source_capped' },
    ],
  ])('ends at %s', (_, options, pages, end) => {
    expect(after(options, ...pages)).toMatchObject({ more: false, ...end })
  })

  test.each<[string, Options, PageFacts[]]>([
    ['a short page when a total says more', { totalPath: 'total' }, [pageOf([0, 1, 2], { total: 9 })]],
    ['a short page when a flag says more', { hasMorePath: 'more' }, [pageOf([0, 1, 2], { more: 'true' })]],
    ['a short page when only an empty one ends', { stopOn: 'empty' }, [pageOf([0, 1, 2])]],
    [
      'a full page although the total is reached',
      { totalPath: 'n', hasMorePath: 'more' },
      [tenRows(0, { n: 10, more: true })],
    ],
    ['a repeated page with the guard off', { repeatGuard: 'continue' }, [tenRows(0), tenRows(0)]],
  ])('goes on after %s', (_, options, pages) => {
    expect(after(options, ...pages)).toMatchObject({ more: true })
  })

  describe('a short page of a round number of rows may be a clamp', () => {
    const wide = { pageSize: 100 }
    const rows = (start: number, count: number) => pageOf(idsFrom(start, count))

    test.each([5, 16, 20, 32, 50])('asks once more after %i rows', (count) => {
      expect(after(wide, rows(0, count))).toMatchObject({ more: true, asks: { from: count, size: 100 } })
    })

    test.each([1, 3, 7, 99])('believes %i rows to be the last ones', (count) => {
      expect(after(wide, rows(0, count))).toMatchObject({ more: false, proof: 'short_page' })
    })

    test('learns the size that the source clamps to from the rows that come', () => {
      expect(after(wide, rows(0, 50), rows(50, 50))).toMatchObject({ more: true })
      expect(after(wide, rows(0, 50), rows(50, 49))).toMatchObject({ more: false, proof: 'short_page' })
    })

    test('is complete when the confirming page is empty', () => {
      expect(after(wide, rows(0, 50), rows(0, 0))).toMatchObject({ more: false, proof: 'empty_page' })
    })

    test('confirms every short page, or none, on demand', () => {
      expect(after({ ...wide, confirm: 'always' }, rows(0, 7))).toMatchObject({ more: true })
      expect(after({ ...wide, confirm: 'never' }, rows(0, 50))).toMatchObject({ more: false })
    })
  })
})
