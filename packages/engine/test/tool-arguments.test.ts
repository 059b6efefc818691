import type { FetchSpec, JsonObject, LateArgument } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import type { PageRequest } from '../src/paginator.ts'
import type { ToolInfo } from '../src/ports.ts'
import { argumentBuilder, withArgument } from '../src/tool-arguments.ts'
import { readTool } from './scripted-sessions.ts'
import { fetchSpec, pagedBy } from './spec-fixture.ts'

const request = (more: Partial<PageRequest> = {}): PageRequest => ({
  params: [],
  variables: {},
  following: false,
  at: null,
  ...more,
})
const params = (values: JsonObject) =>
  request({ params: Object.entries(values).map(([path, value]) => ({ path, value })) })

const byOffset = (more: Partial<FetchSpec> = {}) => fetchSpec({ pagination: pagedBy('offset'), ...more })
const noValues = () => undefined

function build(spec: FetchSpec, tool: ToolInfo | undefined, values: JsonObject): JsonObject {
  return argumentBuilder(spec, tool).build(params(values), noValues)
}

describe('argumentBuilder', () => {
  test('sets paging parameters at dot-paths and leaves the binding’s arguments as they are', () => {
    const args = { query_body: { size: 1, query: { term: 'x' } } }
    const before = structuredClone(args)
    expect(build(fetchSpec({ args }), undefined, { 'query_body.from': 20, 'page.no': 2 })).toEqual({
      query_body: { size: 1, query: { term: 'x' }, from: 20 },
      page: { no: 2 },
    })
    expect(args).toEqual(before)
  })

  test('prefers an argument whose name has the dots', () => {
    const tool = readTool('search', { 'page.size': { type: 'integer' } })
    expect(build(fetchSpec(), tool, { 'page.size': 5 })).toEqual({ 'page.size': 5 })
  })

  describe('a parameter that the tool does not declare', () => {
    const elastic = readTool('search', { index: { type: 'string' }, query_body: { type: 'object' } })

    test('goes into the only declared object argument that is set too, and the manifest says so', () => {
      const spec = byOffset({ args: { index: 'logs', query_body: { query: {} } } })
      const builder = argumentBuilder(spec, elastic)
      expect(builder.notes).toEqual([
        'the tool search does not declare from: it is sent inside query_body, as query_body.from',
        'the tool search does not declare size: it is sent inside query_body, as query_body.size',
      ])
      expect(builder.build(params({ from: 0, size: 10 }), noValues)).toEqual({
        index: 'logs',
        query_body: { query: {}, from: 0, size: 10 },
      })
    })

    test.each<[string, ToolInfo | undefined, JsonObject]>([
      ['no tool is known', undefined, { query_body: {} }],
      ['the tool declares nothing', readTool('search'), { query_body: {} }],
      ['the object is not set', elastic, { index: 'logs' }],
      [
        'two objects are set',
        readTool('search', { a: { type: 'object' }, b: { type: 'object' } }),
        { a: {}, b: {} },
      ],
      ['the arguments have it at the top', elastic, { from: 7, query_body: {} }],
      ['the tool declares it', readTool('search', { from: {}, q: { type: 'object' } }), { q: {} }],
    ])('stays at the top when %s', (_, tool, args) => {
      const builder = argumentBuilder(byOffset({ args }), tool)
      expect(builder.build(params({ from: 1 }), noValues)).toEqual({ ...args, from: 1 })
    })
  })

  test.each([
    [{ type: 'string' }, 20, '20'],
    [{ type: ['string', 'null'] }, 20, '20'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 20, '20'],
    [{ type: 'integer' }, '20', 20],
    [{ type: 'number' }, '-3', -3],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '20', 20],
    [{ oneOf: [{ type: 'null' }, { type: 'integer' }] }, '20', 20],
    [{ type: 'integer' }, 'abc', 'abc'],
    [{ type: 'integer' }, '9007199254740993', '9007199254740993'],
    [{ type: ['string', 'integer'] }, 20, 20],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 20, 20],
    [{}, 20, 20],
    [{ type: 'string' }, ['a'], ['a']],
  ])('sends a parameter declared as %j with the value %j as %j', (schema, value, sent) => {
    expect(build(fetchSpec(), readTool('search', { after: schema }), { after: value })).toEqual({
      after: sent,
    })
  })

  test('looks types up where the parameter goes', () => {
    const tool = readTool('search', { body: { type: 'object', properties: { from: { type: 'string' } } } })
    expect(build(fetchSpec({ args: { body: {} } }), tool, { from: 5 })).toEqual({ body: { from: '5' } })
  })

  test.each([
    [{ size: { type: 'integer', maximum: 50 } }, 50],
    [{ size: { anyOf: [{ type: 'integer', maximum: 40 }, { type: 'null' }] } }, 40],
    [{ size: { type: 'integer' } }, undefined],
    [{}, undefined],
  ])('knows the maximum of the limit from %j', (properties, maximum) => {
    expect(argumentBuilder(byOffset(), readTool('search', properties)).limitMaximum).toBe(maximum)
  })

  describe('placeholders of the page', () => {
    const late = (at: LateArgument['at'], ...parts: LateArgument['parts']): LateArgument => ({ at, parts })
    const cursor = { name: 'page.cursor', filters: [] }

    test('leaves an argument out whose value is null, as the cursor of the first page is', () => {
      const spec = fetchSpec({ args: { q: 'x', after: null }, late: [late(['after'], cursor)] })
      const builder = argumentBuilder(spec, undefined)
      const ask = (value: string | null) =>
        builder.build(request({ variables: { 'page.cursor': value } }), noValues)
      expect(ask(null)).toEqual({ q: 'x' })
      expect(ask('abc')).toEqual({ q: 'x', after: 'abc' })
    })

    test('asks for what is not about the page', () => {
      const spec = fetchSpec({
        args: { q: null },
        late: [late(['q'], 'id=', { name: 'job.id', filters: [] })],
      })
      expect(argumentBuilder(spec, undefined).build(request(), (name) => `<${name}>`)).toEqual({
        q: 'id=<job.id>',
      })
    })

    test('is an error for a name that nothing fills', () => {
      const spec = fetchSpec({ args: { q: null }, late: [late(['q'], cursor)] })
      expect(() => argumentBuilder(spec, undefined).build(request(), noValues)).toThrow('page.cursor')
    })
  })

  describe('the tool of the pages after the first', () => {
    const following = (more: Partial<PageRequest> = {}) => ({
      ...params({ from: 5 }),
      following: true,
      ...more,
    })

    test('has its own schema', () => {
      const spec = fetchSpec({ args: { q: 'x' }, pagination: pagedBy('offset', { nextTool: 'more' }) })
      const builder = argumentBuilder(
        spec,
        readTool('search', { from: { type: 'integer' } }),
        readTool('more', { from: { type: 'string' } }),
      )
      expect(builder.build(params({ from: 0 }), noValues)).toEqual({ q: 'x', from: 0 })
      expect(builder.build(following(), noValues)).toEqual({ q: 'x', from: '5' })
    })

    test('takes next_args in place of the arguments', () => {
      const late = [{ at: ['q'], parts: [{ name: 'secret.K', filters: [] }] }]
      const pagination = pagedBy('offset', { nextTool: 'more', nextArgs: { handle: true } })
      const builder = argumentBuilder(fetchSpec({ args: { q: null }, late, pagination }), undefined)
      expect(builder.build(following(), noValues)).toEqual({ handle: true, from: 5 })
      expect(builder.build(params({}), () => 'k')).toEqual({ q: 'k' })
    })
  })

  test.each<[string, JsonObject, Record<string, unknown>, number[]]>([
    [
      'limits of many names',
      {
        limit: 1,
        size: 2,
        count: 3,
        first: 4,
        top: 5,
        per_page: 6,
        perPage: 7,
        max_results: 8,
        maxRows: 9,
        page_size: 10,
      },
      {},
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ],
    ['digits', { limit: '50' }, {}, [50]],
    ['limits at any depth', { body: { search: { size: 20 } } }, {}, [20]],
    ['defaults of the schema', {}, { limit: { type: 'integer', default: 100 } }, [100]],
    ['a default only where nothing is set', { limit: 5 }, { limit: { default: 100 } }, [5]],
    ['nothing of other names', { offset: 10, limitless: 3, maximum: 4, resize: 5 }, {}, []],
    [
      'nothing that is no number of rows',
      { limit: -1, size: 1.5, top: 'all', count: 0, first: true },
      {},
      [],
    ],
  ])('finds in the arguments %s', (_, args, properties, numbers) => {
    const asked = argumentBuilder(fetchSpec(), readTool('search', properties)).askedFor(args)
    expect([...asked].sort((a, b) => a - b)).toEqual(numbers)
  })

  test('survives schemas that are none', () => {
    const inputSchema = { properties: { size: null, a: 7, b: { properties: 'x', type: 3, anyOf: {} } } }
    expect(build(byOffset(), readTool('search', {}, { inputSchema }), { size: 1 })).toEqual({ size: 1 })
  })
})

describe('withArgument', () => {
  test('makes objects where nothing stands', () => {
    expect(withArgument({ a: null }, ['a', 'b', 'c'], 1)).toEqual({ a: { b: { c: 1 } } })
    expect(withArgument({}, ['constructor', 'x'], 1)).toEqual({ constructor: { x: 1 } })
  })

  test.each<[string, JsonObject]>([
    ['a list', { a: [{ b: 1 }] }],
    ['a string', { a: 'text' }],
    ['a number', { a: 7 }],
  ])('refuses to replace %s on the way', (kind, args) => {
    expect(() => withArgument(args, ['a', 'b'], 1)).toThrow(`the argument a is ${kind}`)
  })

  test('reaches no prototype', () => {
    expect(() => withArgument({}, ['__proto__', 'polluted'], 1)).toThrow('__proto__')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})
