import { describe, expect, test } from 'vitest'
import { page } from '../../src/paginators/page.ts'
import { pagedBy } from '../spec-fixture.ts'
import { tenRows } from './page-facts.ts'
import { describePaginator } from './paginator.suite.ts'

describePaginator('page', { paginator: page(pagedBy('page')), fullPage: (n) => tenRows(n) })

describe('page', () => {
  test.each([
    [1, 1, 2],
    [0, 0, 1],
    [7, 7, 8],
  ])('counts from start_page %i', (startPage, first, second) => {
    const paginator = page(pagedBy('page', { startPage }))
    expect(paginator.request(paginator.first())).toMatchObject({
      at: first,
      params: [
        { path: 'page', value: first },
        { path: 'size', value: 10 },
      ],
    })
    const step = paginator.next(paginator.first(), tenRows(0))
    expect(step.more && paginator.request(step.state)).toMatchObject({
      at: second,
      following: true,
      variables: { 'page.number': second, 'page.offset': 10, 'page.limit': 10, 'page.cursor': null },
    })
  })
})
