import type { JsonObject } from '@huntfleet/contract'
import type { Script, Step } from '@huntfleet/testing'
import { asked, from, ids, offset, source } from './numbered-rows.ts'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const tool = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  inputSchema: { type: 'object', properties, ...more },
})
const script = (schema: JsonObject, steps: readonly Step[]): Script => ({
  tools: [{ name: 'search', ...schema }],
  script: { search: steps },
})

const placement: RequestCase[] = [
  {
    title: 'puts paging arguments at dot-paths beside what stands there',
    binding: {
      mcp_args: { body: { query: { match_all: {} } } },
      pagination: offset(2, { offset_param: 'body.from', limit_param: 'body.size' }),
    },
    answers: [{ json: from(0, 1) }],
    expect: { calls: [{ body: { query: { match_all: {} }, from: 0, size: 2 } }] },
  },
  {
    title: 'takes a dotted argument that the tool declares for one key',
    binding: { pagination: offset(2, { offset_param: 'page.offset' }) },
    answers: script(tool({ 'page.offset': { type: 'integer' } }), [{ json: from(0, 1) }]),
    expect: { calls: [{ 'page.offset': 0, take: 2 }] },
  },
  {
    title: 'replaces a limit that the arguments set',
    binding: { mcp_args: { take: 999 }, pagination: offset(2) },
    answers: [{ json: from(0, 1) }],
    expect: { calls: [{ skip: 0, take: 2 }] },
  },
  {
    title: 'sends numbers as text where the tool declares text',
    binding: { pagination: offset(2) },
    answers: script(tool({ skip: { type: 'string' }, take: { type: ['string', 'null'] } }), [
      { when: { skip: '0' }, json: from(0, 2) },
      { json: [] },
    ]),
    expect: {
      calls: [
        { skip: '0', take: '2' },
        { skip: '2', take: '2' },
      ],
    },
  },
  {
    title: 'sends numbers as text where the tool declares text or null by anyOf',
    binding: { pagination: offset(2) },
    answers: script(
      tool({ skip: { anyOf: [{ type: 'string' }, { type: 'null' }] }, take: { type: 'integer' } }),
      [{ json: from(0, 1) }],
    ),
    expect: { calls: [{ skip: '0', take: 2 }] },
  },
  {
    title: 'moves undeclared paging arguments into the one declared object, and says so',
    binding: { mcp_args: { index: 'x', body: { q: 1 } }, pagination: offset(2) },
    answers: script(tool({ index: { type: 'string' }, body: { type: 'object' } }), [{ json: from(0, 1) }]),
    expect: {
      calls: [{ index: 'x', body: { q: 1, skip: 0, take: 2 } }],
      notes: ['body.skip', 'body.take'],
    },
  },
  {
    title: 'leaves undeclared paging arguments at the top when two objects could take them',
    binding: { mcp_args: { a: {}, b: {} }, pagination: offset(2) },
    answers: script(tool({ a: { type: 'object' }, b: { type: 'object' } }), [{ json: from(0, 1) }]),
    expect: { calls: [{ a: {}, b: {}, skip: 0, take: 2 }] },
  },
  {
    title: 'leaves undeclared paging arguments at the top when the declared object is not set',
    binding: { pagination: offset(2) },
    answers: script(tool({ body: { type: 'object' } }), [{ json: from(0, 1) }]),
    expect: { calls: [{ skip: 0, take: 2 }] },
  },
  {
    title: 'clamps the page size to the maximum in the schema, and says so',
    binding: { pagination: offset(500) },
    answers: script(tool({ skip: { type: 'integer' }, take: { type: 'integer', maximum: 3 } }), source(4)),
    expect: { ids: ids(4), calls: asked(3, 0, 3), notes: ['500', '3'] },
  },
]

const unpaged: RequestCase[] = [
  ...(
    [
      ['limit', { limit: 3 }],
      ['size at any depth', { body: { query: {}, size: 3 } }],
      ['max_results', { max_results: 3 }],
      ['first', { first: 3 }],
      ['top as text', { top: '3' }],
      ['per_page', { per_page: 3 }],
      ['count', { count: 3 }],
    ] as [string, JsonObject][]
  ).map(
    ([name, args]): RequestCase => ({
      title: `is source_capped when as many rows come as ${name} asked for`,
      binding: { mcp_args: args },
      answers: [{ json: from(0, 3) }],
      expect: { exit: 5, outcome: 'source_capped', ids: ids(3), callCount: 1 },
    }),
  ),
  {
    title: 'is complete when fewer rows come than the limit asked for',
    binding: { mcp_args: { limit: 3 } },
    answers: [{ json: from(0, 2) }],
    expect: { ids: ids(2), proof: 'unpaged' },
  },
  {
    title: 'is source_capped at the default of a limit in the schema',
    answers: script(tool({ limit: { type: 'integer', default: 2 } }), [{ json: from(0, 2) }]),
    expect: { exit: 5, outcome: 'source_capped', ids: ids(2) },
  },
  {
    title: 'does not heed the default of a limit that is set',
    binding: { mcp_args: { limit: 9 } },
    answers: script(tool({ limit: { type: 'integer', default: 2 } }), [{ json: from(0, 2) }]),
    expect: { ids: ids(2) },
  },
  {
    title: 'does not take other numbers for limits',
    binding: { mcp_args: { days: 3, limits: 3, timeout: 3 } },
    answers: [{ json: from(0, 3) }],
    expect: { ids: ids(3) },
  },
  {
    title: 'counts the limit of an unpaged answer in raw items',
    binding: { mcp_args: { limit: 2 } },
    answers: [{ json: [{ id: 1 }, 'odd'] }],
    expect: { exit: 5, outcome: 'source_capped', ids: ['1'] },
  },
]

testRequests({ 'places of paging arguments': placement, 'unpaged answers': unpaged })
