import type { Json, JsonObject } from '@huntfleet/contract'
import type { Step } from '@huntfleet/testing'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const cursor = (more: JsonObject = {}, binding: JsonObject = {}): JsonObject => ({
  items_path: 'rows',
  pagination: { mode: 'cursor', page_size: 2, cursor_param: 'after', next_cursor_path: 'next', ...more },
  ...binding,
})
const page = (after: Json | undefined, next: Json | undefined, ...ids: number[]): Step => ({
  when: { after: after === undefined ? { $absent: true } : after },
  json: { rows: ids.map((id) => ({ id })), ...(next !== undefined && { next }) },
})

const cursors: RequestCase[] = [
  {
    title: 'sends no cursor first, then the one that came',
    binding: cursor({ limit_param: 'n' }),
    answers: [page(undefined, 'a', 1, 2), page('a', 'b', 3, 4), page('b', null, 5)],
    expect: {
      ids: ['1', '2', '3', '4', '5'],
      calls: [{ n: 2 }, { n: 2, after: 'a' }, { n: 2, after: 'b' }],
      proof: 'end_cursor',
    },
  },
  {
    title: 'ends at an empty cursor',
    binding: cursor(),
    answers: [page(undefined, '', 1)],
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'ends where the cursor is missing',
    binding: cursor(),
    answers: [page(undefined, undefined, 1)],
    expect: { ids: ['1'], callCount: 1, proof: 'end_cursor' },
  },
  {
    title: 'ends where the cursor is false',
    binding: cursor(),
    answers: [page(undefined, false, 1)],
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'takes nought for a cursor like any other number',
    binding: cursor(),
    answers: [page(undefined, 0, 1), page(0, 17, 2), page(17, null, 3)],
    expect: { ids: ['1', '2', '3'], calls: [{}, { after: 0 }, { after: 17 }] },
  },
  {
    title: 'sends a cursor beyond 2^53 with all its digits',
    binding: cursor(),
    answers: [
      { when: { after: { $absent: true } }, text: '{"rows":[{"id":1}],"next":9007199254740993123}' },
      page('9007199254740993123', null, 2),
    ],
    expect: { ids: ['1', '2'], callCount: 2 },
  },
  {
    title: 'sends a cursor that is a list as it came',
    binding: cursor(),
    answers: [page(undefined, ['x', 5], 1), page(['x', 5], null, 2)],
    expect: { ids: ['1', '2'], calls: [{}, { after: ['x', 5] }] },
  },
  {
    title: 'keeps quotes, blanks and emoji of a cursor',
    binding: cursor(),
    answers: [page(undefined, ' "🕵"\n+/= ', 1), page(' "🕵"\n+/= ', null, 2)],
    expect: { ids: ['1', '2'], callCount: 2 },
  },
  {
    title: 'does not expand placeholders in a cursor',
    binding: cursor(),
    answers: [page(undefined, '{{page.limit}}', 1), page('{{page.limit}}', null, 2)],
    expect: { ids: ['1', '2'], calls: [{}, { after: '{{page.limit}}' }] },
  },
  {
    title: 'puts the cursor at a dot-path',
    binding: cursor({ cursor_param: 'page.after' }),
    answers: [
      { when: { page: { $absent: true } }, json: { rows: [{ id: 1 }], next: 'a' } },
      { when: { 'page.after': 'a' }, json: { rows: [{ id: 2 }] } },
    ],
    expect: { ids: ['1', '2'], calls: [{}, { page: { after: 'a' } }] },
  },
  {
    title: 'does not go on for a short page',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'b', 2), page('b', null)],
    expect: { ids: ['1', '2'], callCount: 3 },
  },
  {
    title: 'follows empty pages with fresh cursors',
    binding: cursor(),
    answers: [page(undefined, 'a'), page('a', 'b'), page('b', 'c', 1), page('c', null)],
    expect: { ids: ['1'], callCount: 4, proof: 'end_cursor' },
  },
  {
    title: 'ends after three empty pages in a row, with a note',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'b'), page('b', 'c'), page('c', 'd'), page('d', 'e', 9)],
    expect: { ids: ['1'], callCount: 4, proof: 'empty_page', notes: ['empty pages in a row'] },
  },
  {
    title: 'ends at once at an empty page that repeats its cursor',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'a')],
    expect: { ids: ['1'], callCount: 2, proof: 'empty_page' },
  },
  {
    title: 'is cursor_repeated when a cursor comes twice in a row',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'a', 2)],
    expect: { exit: 5, outcome: 'cursor_repeated', ids: ['1', '2'], callCount: 2 },
  },
  {
    title: 'is cursor_repeated when cursors go round in a circle',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'b', 2), page('b', 'a', 3)],
    expect: { exit: 5, outcome: 'cursor_repeated', ids: ['1', '2', '3'], callCount: 3 },
  },
  {
    title: 'stores equal pages under fresh cursors',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), page('a', 'b', 1), page('b', null, 1)],
    expect: { ids: ['1', '1', '1'], callCount: 3 },
  },
  {
    title: 'is row_cap when max_rows is reached and a cursor is left',
    binding: cursor({}, { max_rows: 2 }),
    answers: [page(undefined, 'a', 1, 2), page('a', null, 3)],
    expect: { exit: 5, outcome: 'row_cap', ids: ['1', '2'], callCount: 1 },
  },
  {
    title: 'is complete when max_rows is reached and no cursor is left',
    binding: cursor({}, { max_rows: 2 }),
    answers: [page(undefined, null, 1, 2)],
    expect: { ids: ['1', '2'], callCount: 1 },
  },
  {
    title: 'is source_capped when the last cursor comes before the total',
    binding: cursor({ total_path: 'total' }),
    answers: [{ json: { rows: [{ id: 1 }], total: 5 } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ['1'] },
  },
  {
    title: 'ends where has_more is false although a cursor came',
    binding: cursor({ has_more_path: 'more' }),
    answers: [{ json: { rows: [{ id: 1 }], next: 'a', more: false } }],
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'is source_capped where has_more is true without a cursor',
    binding: cursor({ has_more_path: 'more' }),
    answers: [{ json: { rows: [{ id: 1 }], more: true } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ['1'] },
  },
  {
    title: 'finds the cursor in structured content',
    binding: cursor({}, { items_path: 'rows', content: { from: 'auto' } }),
    answers: [
      { when: { after: { $absent: true } }, text: 'two rows', structured: { rows: [{ id: 1 }], next: 'a' } },
      { text: 'one row', structured: { rows: [{ id: 2 }], next: null } },
    ],
    expect: { ids: ['1', '2'], calls: [{}, { after: 'a' }] },
  },
  {
    title: 'finds the cursor in the _meta of the result',
    binding: { pagination: { mode: 'cursor', cursor_param: 'after', next_cursor_path: 'next' } },
    answers: [
      {
        when: { after: { $absent: true } },
        result: { content: [{ type: 'text', text: '[{"id":1}]' }], _meta: { next: 'a' } },
      },
      { json: [{ id: 2 }] },
    ],
    expect: { ids: ['1', '2'], calls: [{}, { after: 'a' }] },
  },
  {
    title: 'does not take a field of a row for the cursor',
    binding: cursor({ next_cursor_path: 'next' }),
    answers: [{ json: { rows: [{ id: 1, next: 'trap' }] } }],
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'sends a cursor as text where the tool declares text',
    binding: cursor(),
    answers: {
      tools: [{ name: 'search', inputSchema: { type: 'object', properties: { after: { type: 'string' } } } }],
      script: { search: [page(undefined, 17, 1), page('17', null, 2)] },
    },
    expect: { ids: ['1', '2'], calls: [{}, { after: '17' }] },
  },
  {
    title: 'finds the cursor at an index and a quoted key',
    binding: cursor({ next_cursor_path: 'links[-1]["next.token"]' }),
    answers: [
      {
        when: { after: { $absent: true } },
        json: { rows: [{ id: 1 }], links: [{}, { 'next.token': 'a' }] },
      },
      { json: { rows: [{ id: 2 }], links: [] } },
    ],
    expect: { ids: ['1', '2'], calls: [{}, { after: 'a' }] },
  },
  {
    title: 'takes the cursor out of text with next_cursor_pattern',
    binding: {
      response_format: 'csv',
      csv: { comment: '#' },
      pagination: { mode: 'cursor', cursor_param: 'after', next_cursor_pattern: 'next: (\\w+)' },
    },
    answers: [
      { when: { after: { $absent: true } }, text: '# next: tok1\nid\n1\n' },
      { when: { after: 'tok1' }, text: '# end\nid\n2\n' },
    ],
    expect: { ids: ['1', '2'], calls: [{}, { after: 'tok1' }] },
  },
  {
    title: 'keeps the rows so far when a later page fails for good',
    binding: cursor(),
    answers: [page(undefined, 'a', 1), { isError: true, text: 'index is corrupt' }],
    expect: {
      exit: 5,
      outcome: 'page_error',
      ids: ['1'],
      callCount: 2,
      error: { kind: 'tool', words: ['index is corrupt'] },
    },
  },
  {
    title: 'retries a page with the same cursor',
    binding: cursor(),
    answers: [
      page(undefined, 'a', 1),
      { times: 1, rpcError: { code: -32603, message: 'internal error' } },
      page('a', null, 2),
    ],
    expect: { ids: ['1', '2'], calls: [{}, { after: 'a' }, { after: 'a' }], retries: 1 },
  },
]

const numbered = (more: JsonObject = {}): JsonObject => ({
  pagination: { mode: 'page', page_size: 2, page_param: 'p', limit_param: 'n', ...more },
})
const table = (rows: number, start = 1): Step[] => [
  { table: { rows, row: { id: '$i' }, page: { by: 'page', page: 'p', limit: 'n', start } } },
]

const pageNumbers: RequestCase[] = [
  {
    title: 'counts pages from 1',
    binding: numbered(),
    answers: table(3),
    expect: {
      ids: ['0', '1', '2'],
      calls: [
        { p: 1, n: 2 },
        { p: 2, n: 2 },
      ],
    },
  },
  {
    title: 'counts pages from start_page 0',
    binding: numbered({ start_page: 0 }),
    answers: table(5, 0),
    expect: {
      ids: ['0', '1', '2', '3', '4'],
      calls: [
        { p: 0, n: 2 },
        { p: 1, n: 2 },
        { p: 2, n: 2 },
      ],
    },
  },
  {
    title: 'ends at the empty page behind full ones',
    binding: numbered(),
    answers: table(4),
    expect: { ids: ['0', '1', '2', '3'], callCount: 3, proof: 'empty_page' },
  },
  {
    title: 'stops at a page that repeats the one before',
    binding: numbered(),
    answers: [{ json: [{ id: 1 }, { id: 2 }] }],
    expect: { exit: 5, outcome: 'page_repeated', ids: ['1', '2'], callCount: 2 },
  },
  {
    title: 'fills page.number and page.limit into the text of a query',
    binding: {
      query_template: 'page {{page.number}} of {{page.limit}} from {{ page.offset }}',
      pagination: { mode: 'page', page_size: 2 },
    },
    answers: [
      { when: { query: 'page 1 of 2 from 0' }, json: [{ id: 1 }, { id: 2 }] },
      { when: { query: 'page 2 of 2 from 2' }, json: [{ id: 3 }] },
    ],
    expect: { ids: ['1', '2', '3'], callCount: 2 },
  },
]

const keyset = (more: JsonObject = {}): JsonObject => ({
  pagination: { mode: 'keyset', page_size: 2, limit_param: 'n', cursor_param: 'after', ...more },
})

const keysets: RequestCase[] = [
  {
    title: 'sends the value of the last row',
    binding: keyset({ cursor_from_last: 'meta.seq' }),
    answers: [
      { when: { after: { $absent: true } }, json: [{ id: 1 }, { id: 2, meta: { seq: 20 } }] },
      { when: { after: 20 }, json: [{ id: 3, meta: { seq: 30 } }] },
    ],
    expect: { ids: ['1', '2', '3'], calls: [{ n: 2 }, { n: 2, after: 20 }], proof: 'short_page' },
  },
  {
    title: 'sends a list for a list of paths',
    binding: keyset({ cursor_from_last: ['at', 'id'] }),
    answers: [
      {
        when: { after: { $absent: true } },
        json: [
          { id: 1, at: 'x' },
          { id: 2, at: 'y' },
        ],
      },
      { when: { after: ['y', 2] }, json: [] },
    ],
    expect: { ids: ['1', '2'], callCount: 2, proof: 'empty_page' },
  },
  {
    title: 'sends keys beyond 2^53 with all digits',
    binding: keyset({ cursor_from_last: 'id' }),
    answers: [
      { when: { after: { $absent: true } }, text: '[{"id":1},{"id":9007199254740993}]' },
      { when: { after: '9007199254740993' }, json: [] },
    ],
    expect: { ids: ['1', '9007199254740993'], callCount: 2 },
  },
  {
    title: 'is cursor_repeated when two pages end with the same key',
    binding: keyset({ cursor_from_last: 'k' }),
    answers: [
      {
        when: { after: { $absent: true } },
        json: [
          { id: 1, k: 1 },
          { id: 2, k: 5 },
        ],
      },
      {
        when: { after: 5 },
        json: [
          { id: 3, k: 5 },
          { id: 4, k: 5 },
        ],
      },
    ],
    expect: { exit: 5, outcome: 'cursor_repeated', ids: ['1', '2', '3', '4'], callCount: 2 },
  },
  {
    title: 'is page_error when the last row of a full page has no key',
    binding: keyset({ cursor_from_last: 'k' }),
    answers: [{ json: [{ id: 1, k: 1 }, { id: 2 }] }],
    expect: { exit: 5, outcome: 'page_error', ids: ['1', '2'], error: { kind: 'data', words: ['has no k'] } },
  },
  {
    title: 'needs no key in the last row of the last page',
    binding: keyset({ cursor_from_last: 'k' }),
    answers: [{ json: [{ id: 1 }] }],
    expect: { ids: ['1'], callCount: 1 },
  },
]

testRequests({ cursors, 'page numbers': pageNumbers, keysets })
