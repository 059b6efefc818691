import { describe, expect, test } from 'vitest'
import { parseExact } from '../../src/json/parse-exact.ts'
import type { PageFacts, PageState } from '../../src/paginator.ts'
import { cursor } from '../../src/paginators/cursor.ts'
import { pagedBy } from '../spec-fixture.ts'
import { pageOf, tenRows } from './page-facts.ts'
import { describePaginator } from './paginator.suite.ts'

describePaginator('cursor', {
  paginator: cursor(pagedBy('cursor')),
  fullPage: (n) => tenRows(n, { next: `c${n}` }),
})

type Options = Parameters<typeof pagedBy<'cursor'>>[1]

/** What follows these pages, one after the other. */
function after(options: Options, ...pages: PageFacts[]) {
  const paginator = cursor(pagedBy('cursor', options))
  let state: PageState = paginator.first()
  for (const [index, page] of pages.entries()) {
    const step = paginator.next(state, page)
    if (!step.more || index === pages.length - 1) return step
    state = step.state
  }
  throw new Error('no page')
}

/** The cursor that the page after this one is asked for with. */
function sentBack(next: unknown, options: Options = {}) {
  const paginator = cursor(pagedBy('cursor', options))
  const step = paginator.next(paginator.first(), tenRows(0, { next }))
  if (!step.more) return undefined
  return paginator.request(step.state).params.find(({ path }) => path === 'cursor')?.value
}

describe('cursor', () => {
  test('sends no cursor with the first call', () => {
    const paginator = cursor(pagedBy('cursor'))
    expect(paginator.request(paginator.first())).toMatchObject({
      at: null,
      following: false,
      params: [{ path: 'size', value: 10 }],
      variables: { 'page.cursor': null },
    })
  })

  test.each(['abc', 7, ['2026-01-01', 5], { after: 'x' }])('sends %j back as it came', (next) => {
    expect(sentBack(next)).toEqual(next)
  })

  test('sends a number beyond 2^53 back with all its digits', () => {
    const page = { ...tenRows(0), find: () => parseExact('9007199254740993') }
    const paginator = cursor(pagedBy('cursor'))
    const step = paginator.next(paginator.first(), page)
    expect(step.more && paginator.request(step.state).variables['page.cursor']).toBe('9007199254740993')
  })

  test.each([null, '', false, undefined])('is complete at the cursor %j', (next) => {
    expect(after({}, tenRows(0, { next }))).toMatchObject({ outcome: 'complete', proof: 'end_cursor' })
  })

  test('takes the cursor from the text around the rows', () => {
    const page = pageOf([1], {}, { match: (pattern) => (pattern === 'next: (.*)' ? 'tok' : undefined) })
    expect(after({ nextCursorPath: null, nextCursorPattern: 'next: (.*)' }, page)).toMatchObject({
      more: true,
      state: { cursor: 'tok' },
    })
  })

  test('a short page never ends it', () => {
    expect(after({}, pageOf([1], { next: 'a' }))).toMatchObject({ more: true })
  })

  test('keeps the page that brings a known cursor with new rows', () => {
    const end = after({}, tenRows(0, { next: 'a' }), tenRows(1, { next: 'a' }))
    expect(end).toMatchObject({ outcome: 'cursor_repeated' })
    expect(end.discard).toBeUndefined()
  })

  test('leaves out the page of a source that ignores the cursor', () => {
    const same = tenRows(0, { next: 'a' })
    expect(after({}, same, same)).toMatchObject({ outcome: 'cursor_repeated', discard: true })
    // Counted twice, the rows would reach the total.
    const counted = tenRows(0, { next: 'a', total: 20 })
    expect(after({ totalPath: 'total' }, counted, counted)).toMatchObject({
      outcome: 'cursor_repeated',
      discard: true,
    })
  })

  test('leaves out the first page when the last cursor leads back to it', () => {
    const end = after({}, tenRows(0, { next: 'a' }), tenRows(1, { next: 0 }), tenRows(0, { next: 'a' }))
    expect(end).toMatchObject({ outcome: 'cursor_repeated', discard: true })
  })

  test('does not mind equal pages while the cursor is fresh', () => {
    expect(after({}, tenRows(0, { next: 'a' }), tenRows(0, { next: 'b' }))).toMatchObject({ more: true })
  })

  test('follows a cursor that names the search, as long as new rows come', () => {
    const options = { repeatGuard: 'continue' } as const
    const [first, second] = [tenRows(0, { next: 's' }), tenRows(1, { next: 's' })]
    expect(after(options, first, second)).toMatchObject({ more: true })
    expect(after(options, first, second, second)).toMatchObject({ outcome: 'page_repeated', discard: true })
  })

  test.each<[string, Options, Record<string, unknown>, object]>([
    ['a flag that says no', { hasMorePath: 'more' }, { next: 'a', more: false }, { outcome: 'complete' }],
    [
      'no cursor although more is promised',
      { hasMorePath: 'more' },
      { more: true },
      { outcome: 'source_capped' },
    ],
    ['no cursor before the total', { totalPath: 'total' }, { total: 11 }, { outcome: 'source_capped' }],
    ['the total', { totalPath: 'total' }, { next: 'a', total: 10 }, { outcome: 'complete', proof: 'total' }],
  ])('ends at %s', (_, options, around, end) => {
    expect(after(options, tenRows(0, around))).toMatchObject({ more: false, ...end })
  })

  describe('at empty pages', () => {
    const empty = (next: string, more?: boolean) => pageOf([], { next, more })

    test('follows fresh cursors, and starts counting again after rows', () => {
      expect(after({}, empty('a'), empty('b'))).toMatchObject({ more: true })
      expect(
        after({}, empty('a'), empty('b'), pageOf([1], { next: 'c' }), empty('d'), empty('e')),
      ).toMatchObject({ more: true })
    })

    test('is complete, with a note, after three in a row', () => {
      expect(after({}, empty('a'), empty('b'), empty('c'))).toMatchObject({
        outcome: 'complete',
        proof: 'empty_page',
        note: expect.stringContaining('3 empty pages'),
      })
    })

    test('ends at once when the cursor repeats', () => {
      expect(after({}, tenRows(0, { next: 'a' }), empty('a'))).toMatchObject({
        outcome: 'complete',
        proof: 'empty_page',
      })
    })

    test('is never complete while the source says that more follows', () => {
      const pages = [empty('a', true), empty('b', true), empty('c', true)]
      expect(after({ hasMorePath: 'more' }, ...pages)).toMatchObject({ outcome: 'source_capped' })
    })
  })
})
