import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../src/json-value.ts'
import { fillLateArguments } from '../src/late-arguments.ts'
import type { LateArgument, LatePart } from '../src/table-spec.ts'

const part = (name: string, ...filters: { name: string; args: Json[] }[]): LatePart => ({ name, filters })
const values = (known: JsonObject) => (name: string) => (Object.hasOwn(known, name) ? known[name] : undefined)
const first = values({ 'page.offset': 0, 'page.limit': 100, 'page.cursor': null, 'secret.KEY': 's3cret' })
const second = values({ 'page.offset': 100, 'page.limit': 100, 'page.cursor': 'a b' })

describe('fillLateArguments', () => {
  it('fills texts and keeps the type of a sole placeholder', () => {
    const args = { q: null, from: { offset: null }, size: 5 }
    const late: LateArgument[] = [
      { at: ['q'], parts: ['LIMIT ', part('page.limit'), ' OFFSET ', part('page.offset')] },
      { at: ['from', 'offset'], parts: [part('page.offset')] },
    ]
    expect(fillLateArguments(args, late, second)).toEqual({
      q: 'LIMIT 100 OFFSET 100',
      from: { offset: 100 },
      size: 5,
    })
    expect(args).toEqual({ q: null, from: { offset: null }, size: 5 })
  })

  it('leaves an argument out whose only value is not there yet', () => {
    const late: LateArgument[] = [
      { at: ['cursor'], parts: [part('page.cursor')] },
      { at: ['encoded'], parts: [part('page.cursor', { name: 'url', args: [] })] },
      { at: ['after', 0], parts: [part('page.cursor')] },
      { at: ['after', 1], parts: [part('page.offset')] },
      { at: ['after', 2], parts: [part('page.cursor')] },
      { at: ['text'], parts: ['after=', part('page.cursor', { name: 'url', args: [] })] },
    ]
    const args = { cursor: null, encoded: null, after: [null, null, null], text: null }
    expect(fillLateArguments(args, late, first)).toEqual({ after: [0], text: 'after=' })
    expect(fillLateArguments(args, late, second)).toEqual({
      cursor: 'a b',
      encoded: 'a%20b',
      after: ['a b', 100, 'a b'],
      text: 'after=a%20b',
    })
  })

  it('lets default stand in for what is not there', () => {
    const withDefault = part('page.cursor', { name: 'default', args: ['*'] }, { name: 'url', args: [] })
    expect(fillLateArguments({ c: null }, [{ at: ['c'], parts: [withDefault] }], first)).toEqual({
      c: '*'.replace('*', '%2A'),
    })
    const unknown = part('page.end', { name: 'default', args: ['never'] })
    expect(fillLateArguments({ c: null }, [{ at: ['c'], parts: [unknown] }], first)).toEqual({ c: 'never' })
  })

  it('puts values in as they are, whatever they look like', () => {
    const tricky = values({ 'page.cursor': '{{ secret.KEY }} $& {{{{' })
    const late: LateArgument[] = [{ at: ['c'], parts: ['{{ x }} ', part('page.cursor')] }]
    expect(fillLateArguments({ c: null }, late, tricky)).toEqual({ c: '{{ x }} {{ secret.KEY }} $& {{{{' })
  })

  it.each<[string, JsonObject, LateArgument, string, string]>([
    [
      'a name without a value',
      { a: null },
      { at: ['a'], parts: [part('secret.NONE')] },
      'PLACEHOLDER_UNRESOLVED',
      'secret.NONE',
    ],
    [
      'a list inside a text',
      { a: null },
      { at: ['a'], parts: ['x', part('list')] },
      'ARGUMENT_INVALID',
      'a list inside a longer text',
    ],
    [
      'a filter that does not suit',
      { a: null },
      { at: ['a'], parts: [part('list', { name: 'url', args: [] })] },
      'ARGUMENT_INVALID',
      'url',
    ],
    ['a place that is not there', { a: null }, { at: ['b'], parts: ['x'] }, 'PAYLOAD_INVALID', 'no place b'],
    [
      'a place behind a scalar',
      { a: 'x' },
      { at: ['a', 'length'], parts: ['x'] },
      'PAYLOAD_INVALID',
      'a.length',
    ],
    [
      'a place behind a list',
      { a: [] },
      { at: ['a', 'length'], parts: ['x'] },
      'PAYLOAD_INVALID',
      'a.length',
    ],
    [
      'a place in a prototype',
      { a: {} },
      { at: ['a', '__proto__', 'x'], parts: ['x'] },
      'PAYLOAD_INVALID',
      '__proto__',
    ],
    ['no place at all', { a: null }, { at: [], parts: ['x'] }, 'PAYLOAD_INVALID', 'no place'],
  ])('refuses %s', (_, args, late, code, message) => {
    let refusal: unknown
    try {
      fillLateArguments(args, [late], values({ list: ['x'] }))
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('never changes nor shares its input', () => {
    const key = fc.constantFrom('a', 'b', '__proto__')
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), key, (dictionary, place) => {
        const args: JsonObject = {
          ...JSON.parse(JSON.stringify(dictionary)),
          [place]: { deep: [null, { x: 1 }] },
        }
        const before = JSON.stringify(args)
        const late: LateArgument[] = [{ at: [place, 'deep', 0], parts: ['x', part('page.offset')] }]
        const result = fillLateArguments(args, late, first)
        expect(JSON.stringify(args)).toBe(before)
        expect(JSON.stringify(result)).toBe(before.replace('"deep":[null', '"deep":["x0"'))
        for (const [name, value] of Object.entries(result)) {
          if (value !== null && typeof value === 'object') expect(value).not.toBe(args[name])
        }
      }),
    )
  })
})
