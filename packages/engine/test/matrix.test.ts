import type { AnswerSpec } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { compactJson } from '../src/json/compact.ts'
import { isExactArray } from '../src/json/exact.ts'
import { parseExact } from '../src/json/parse-exact.ts'
import { elementRows } from '../src/matrix.ts'
import { contextOf } from './formats/format-context.ts'

function read(
  elements: string,
  options: Partial<AnswerSpec>,
  document = '{}',
  firstPage = true,
  header: readonly string[] | null = null,
) {
  const list = parseExact(elements)
  if (!isExactArray(list)) throw new Error('not a list')
  const { answer } = contextOf([], options)
  const page = elementRows(list, { answer, firstPage, header, documents: [parseExact(document)] })
  return { ...page, rows: page.rows.map((row) => compactJson(row)) }
}

describe('elementRows', () => {
  it('counts a row of the wrong length as a reject with its place', () => {
    const page = read('[[1,2],[3]]', { columnsPath: 'c' }, '{"c":["a","b"]}')
    expect(page.rows).toEqual(['{"a":1,"b":2}'])
    expect(page.rejects).toEqual([
      { row: 2, reason: 'a row of 1 values under 2 columns', raw: '[3]', stored: false },
    ])
    expect(page.items).toBe(2)
  })

  it('does not count the header row, and expects it on the pages where the binding says so', () => {
    const named: Partial<AnswerSpec> = { headerRow: 'first_page', columnsPath: 'c' }
    expect(read('[["a"],[1]]', named, '{"c":["a"]}')).toMatchObject({ rows: ['{"a":1}'], items: 1 })
    expect(read('[[1],[2]]', named, '{"c":["a"]}', false)).toMatchObject({
      rows: ['{"a":1}', '{"a":2}'],
      items: 2,
    })
    expect(read('[["a"],[1]]', { headerRow: 'every_page' }, '{}', false)).toMatchObject({ rows: ['{"a":1}'] })
    expect(read('[]', { headerRow: 'every_page' })).toMatchObject({ rows: [], items: 0 })
  })

  it('names the columns of a later page by the header row that an earlier page brought', () => {
    const first = read('[["a","b"],[1,2]]', { headerRow: 'first_page' })
    expect(first).toMatchObject({ rows: ['{"a":1,"b":2}'], header: ['a', 'b'] })
    expect(read('[[3,4]]', { headerRow: 'first_page' }, '{}', false, first.header).rows).toEqual([
      '{"a":3,"b":4}',
    ])
  })

  it('refuses a later page whose columns nothing names', () => {
    expect(() => read('[[1]]', { headerRow: 'first_page' }, '{}', false)).toThrow(
      'nothing on this page names their columns',
    )
    expect(() => read('[[1]]', { rows: 'matrix' })).toThrow('nothing on this page names their columns')
  })

  it('takes the names of columns from texts, objects and maps, and tells doubles apart', () => {
    const rows = (columns: string) => read('[[1,2,3]]', { columnsPath: 'c' }, `{"c":${columns}}`).rows
    expect(rows('["a","a","a_2"]')).toEqual(['{"a":1,"a_3":2,"a_2":3}'])
    expect(rows('[{"name":"a"},{"Name":"b"},{"column":"c"}]')).toEqual(['{"a":1,"b":2,"c":3}'])
    expect(rows('{"a":"int","b":"text","c":"text"}')).toEqual(['{"a":1,"b":2,"c":3}'])
    expect(() => rows('[{"id":1},"b","c"]')).toThrow('a column without a name; its keys: id')
    expect(() => rows('"a,b,c"')).toThrow('a string, not a list of columns')
  })

  it('wants arrays where the binding says matrix, and objects where it says objects', () => {
    expect(read('[{"a":1},[1]]', { rows: 'matrix', columnsPath: 'c' }, '{"c":["a"]}')).toMatchObject({
      rows: ['{"a":1}'],
      rejects: [{ row: 1, reason: 'an element that is an object, not an array' }],
    })
    expect(read('[{"a":1},[1]]', { rows: 'objects', columnsPath: 'c' }, '{"c":["a"]}')).toMatchObject({
      rows: ['{"a":1}'],
      rejects: [{ row: 2, reason: 'an element that is an array, not an object' }],
    })
  })

  it('merges one-key maps and keeps a doubled key apart', () => {
    expect(read('[[{"a":1},{"b":2},{"a":3}]]', { rows: 'pairs' }).rows).toEqual(['{"a":1,"b":2,"a_2":3}'])
  })

  it('refuses columns that cannot be put side by side', () => {
    expect(() => read('[[1],[2]]', { rows: 'columns' })).toThrow('needs columns_path')
    expect(() => read('[[1],[2]]', { rows: 'columns', columnsPath: 'c' }, '{"c":["a"]}')).toThrow(
      'names 1 columns',
    )
    expect(() => read('[[1],2]', { rows: 'columns', columnsPath: 'c' }, '{"c":["a","b"]}')).toThrow(
      'b is a number',
    )
    expect(read('[]', { rows: 'columns' })).toMatchObject({ rows: [], items: 0 })
  })

  it('rejects a sample of a series that is no pair', () => {
    const page = read('[{"metric":{"job":"api"},"values":[[1,"2"],[3]]}]', { rows: 'matrix' })
    expect(page.rows).toEqual(['{"metric":{"job":"api"},"timestamp":1,"value":"2"}'])
    expect(page).toMatchObject({ items: 2, rejects: [{ row: 2, raw: '[3]' }] })
  })
})
