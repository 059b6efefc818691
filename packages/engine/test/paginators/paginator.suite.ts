import { describe, expect, test } from 'vitest'
import type { PageFacts, PageRequest, PageState, Paginator } from '../../src/paginator.ts'
import { pageOf } from './page-facts.ts'

/** What the suite needs to know of a mode. */
export interface PaginatorSample {
  /** A paginator of 10 rows a page, with a confirming call after a short page. */
  paginator: Paginator
  /** Page n (from 0) of a source that is never at its end, with so many rows. */
  fullPage(number: number): PageFacts
  /** An empty page with nothing around it. */
  emptyPage?: PageFacts
}

const pages = 5

/** The behaviour that every paginator has, whatever its mode. Its own tests come after. */
export function describePaginator(name: string, { paginator, fullPage, emptyPage }: PaginatorSample): void {
  /** The states and requests of a fetch that is given full pages. */
  const walk = (keep: (state: PageState) => PageState) => {
    const states: PageState[] = []
    const requests: PageRequest[] = []
    let state = keep(paginator.first())
    for (let number = 0; number < pages; number++) {
      states.push(state)
      requests.push(paginator.request(state))
      const step = paginator.next(state, fullPage(number))
      if (!step.more) throw new Error(`ended after page ${number + 1}: ${step.reason}`)
      state = keep(step.state)
    }
    return { states, requests }
  }

  describe(`${name}, as every paginator`, () => {
    test('goes on after full pages, and asks for another place each time', () => {
      const { requests } = walk((state) => state)
      expect(new Set(requests.map((request) => JSON.stringify(request.params))).size).toBe(pages)
      expect(requests.map((request) => request.following)).toEqual([false, true, true, true, true])
      expect(requests.map((request) => request.variables['page.number'])).toEqual([1, 2, 3, 4, 5])
    })

    test('asks for the same pages from states that went through JSON', () => {
      const direct = walk((state) => state)
      expect(walk((state) => JSON.parse(JSON.stringify(state)))).toEqual(direct)
    })

    test('never changes a state that it was given', () => {
      const frozen = walk((state) => deepFreeze(state))
      expect(frozen.requests).toHaveLength(pages)
    })

    test('refuses a state of something else', () => {
      expect(() => paginator.request({ nothing: 'of ours' })).toThrow()
      expect(() => paginator.next({ nothing: 'of ours' }, fullPage(0))).toThrow()
    })

    test('is complete when the first page is empty', () => {
      let step = paginator.next(paginator.first(), emptyPage ?? pageOf([]))
      // Slices of time are all asked for.
      for (let n = 0; step.more && n < 100; n++) step = paginator.next(step.state, emptyPage ?? pageOf([]))
      expect(step).toMatchObject({ more: false, outcome: 'complete' })
      expect(step).not.toHaveProperty('proof', null)
    })

    test('does not throw on a page that says nonsense about itself', () => {
      const odd = { ...fullPage(0), find: () => new Map([['x', [true]]]), match: () => '' }
      expect(() => paginator.next(paginator.first(), odd)).not.toThrow()
    })
  })
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
