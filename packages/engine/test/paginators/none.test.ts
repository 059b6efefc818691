import { describe, expect, test } from 'vitest'
import { none } from '../../src/paginators/none.ts'
import { unpaged } from '../spec-fixture.ts'
import { pageOf } from './page-facts.ts'

type Spec = Parameters<typeof none>[0]
const spec = (more: Partial<Spec> = {}): Spec => ({
  mode: 'none',
  totalPath: null,
  hasMorePath: null,
  job: null,
  ...more,
})

describe('none', () => {
  test('asks for nothing, once', () => {
    const paginator = none(spec())
    expect(unpaged).toEqual(spec())
    expect(paginator.request(paginator.first())).toEqual({
      params: [],
      variables: {},
      following: false,
      at: null,
    })
    expect(paginator.next(paginator.first(), pageOf([1]))).toMatchObject({
      more: false,
      outcome: 'complete',
      proof: 'unpaged',
    })
  })

  test.each<[Partial<Spec>, Record<string, unknown>, object]>([
    [{ totalPath: 'total' }, { total: 1 }, { outcome: 'complete', proof: 'total' }],
    [{ totalPath: 'total' }, { total: 2 }, { outcome: 'source_capped' }],
    [{ hasMorePath: 'more' }, { more: true }, { outcome: 'source_capped' }],
    [{ hasMorePath: 'more' }, { more: false }, { outcome: 'complete', proof: 'end_cursor' }],
    [{ hasMorePath: 'more' }, {}, { outcome: 'complete', proof: 'unpaged' }],
  ])('believes what the answer says about more rows: %j, %j', (more, around, end) => {
    const paginator = none(spec(more))
    expect(paginator.next(paginator.first(), pageOf([1], around))).toMatchObject({ more: false, ...end })
  })
})
