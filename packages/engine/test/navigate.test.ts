import type { AnswerSpec } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { compactJson } from '../src/json/compact.ts'
import { parseExact } from '../src/json/parse-exact.ts'
import { navigate } from '../src/navigate.ts'
import { contextOf } from './formats/format-context.ts'

function find(documents: string[], options: Partial<AnswerSpec> = {}, broken = 0) {
  const roots = documents.map((text) => parseExact(text))
  return navigate(roots, contextOf([], options).answer, broken)
}
const elements = (...input: Parameters<typeof find>) =>
  find(...input).elements.map((element) => compactJson(element))

describe('navigate', () => {
  it('follows a path into a root array, or into each of its elements', () => {
    expect(elements(['[{"rows":[1]},{"rows":[2]}]'], { itemsPath: '[1].rows' })).toEqual(['2'])
    expect(elements(['[{"rows":[1]},{"rows":[2,3]}]'], { itemsPath: 'rows' })).toEqual(['1', '2', '3'])
    // One element without the path: then the elements are the rows.
    expect(elements(['[{"rows":[1]},{"id":2}]'], { itemsPath: 'rows' })).toEqual(['{"rows":[1]}', '{"id":2}'])
  })

  it('knows the objects around the rows, and the one that is a row itself', () => {
    const around = find(['{"a":{"b":[1]}}'], { itemsPath: 'a.b' })
    expect(around.holders.map((holder) => compactJson(holder))).toEqual(['{"a":{"b":[1]}}', '{"b":[1]}'])
    expect(around.lone).toBeNull()
    const lone = find(['{"a":{"b":{"id":1}}}'], { itemsPath: 'a.b' })
    expect(lone.lone === null ? '' : compactJson(lone.lone)).toBe('{"id":1}')
    expect(lone.holders).toHaveLength(2)
  })

  it('takes an object beside a broken block for one row of several', () => {
    expect(elements(['{"id":1}'], {}, 1)).toEqual(['{"id":1}'])
    expect(find(['{"id":1}'], {}, 0).failure?.code).toBe('ITEMS_NOT_FOUND')
    expect(find(['{"id":1}'], { itemsPath: 'rows' }, 1).failure?.code).toBe('ITEMS_NOT_FOUND')
  })

  it('makes null and no value no rows, and another scalar an error', () => {
    expect(find(['null'])).toMatchObject({ elements: [], failure: null })
    expect(find([])).toMatchObject({ elements: [], failure: null })
    expect(find(['7']).failure?.message).toContain('a number where an array of rows')
  })

  it('takes the elements of arrays that come as blocks of their own', () => {
    expect(elements(['[1]', '{"id":2}'], { blocks: 'each' })).toEqual(['1', '{"id":2}'])
    expect(elements(['[1]', '[2]'])).toEqual(['1', '2'])
  })
})
