import { describe, expect, test } from 'vitest'
import { ExactNumber } from '../../src/json/exact.ts'
import { keyset } from '../../src/paginators/keyset.ts'
import { pagedBy } from '../spec-fixture.ts'
import { idsFrom, pageOf, tenRows } from './page-facts.ts'
import { describePaginator } from './paginator.suite.ts'

describePaginator('keyset', { paginator: keyset(pagedBy('keyset')), fullPage: (n) => tenRows(n) })

type Options = Parameters<typeof pagedBy<'keyset'>>[1]

function afterOne(options: Options, page = tenRows(0)) {
  const paginator = keyset(pagedBy('keyset', options))
  const step = paginator.next(paginator.first(), page)
  return { step, params: step.more ? paginator.request(step.state).params : [] }
}

describe('keyset', () => {
  test('begins without a key and goes on behind the last row', () => {
    const paginator = keyset(pagedBy('keyset'))
    expect(paginator.request(paginator.first()).params).toEqual([{ path: 'size', value: 10 }])
    expect(afterOne({}).params).toContainEqual({ path: 'after', value: 9 })
  })

  test('sends a list for a list of paths, even of one', () => {
    expect(afterOne({ single: false }).params).toContainEqual({ path: 'after', value: [9] })
    expect(afterOne({ single: false, cursorFromLast: ['id', 'id'] }).params).toContainEqual({
      path: 'after',
      value: [9, 9],
    })
  })

  test('sends a key beyond 2^53 back with all its digits', () => {
    const lastRow = new Map([['id', new ExactNumber('9007199254740993')]])
    expect(afterOne({}, { ...tenRows(0), lastRow }).params).toContainEqual({
      path: 'after',
      value: '9007199254740993',
    })
  })

  test('keeps the page whose last row has no key, and says why it stops', () => {
    const { step } = afterOne({ cursorFromLast: ['id', 'when'], single: false })
    expect(step).toMatchObject({ more: false, outcome: 'page_error', error: { code: 'ITEMS_NOT_FOUND' } })
    expect(step.discard).toBeUndefined()
    expect(!step.more && step.error?.message).toContain('when')
  })

  test('needs no key behind the last page', () => {
    expect(afterOne({ cursorFromLast: ['when'] }, pageOf([1])).step).toMatchObject({ outcome: 'complete' })
  })

  test('ends when two pages end with the same key', () => {
    const paginator = keyset(pagedBy('keyset'))
    const endingWith = (start: number) => pageOf([...idsFrom(start, 9), 'z'])
    const first = paginator.next(paginator.first(), endingWith(0))
    const second = first.more ? paginator.next(first.state, endingWith(100)) : first
    expect(second).toMatchObject({ more: false, outcome: 'cursor_repeated' })
  })
})
