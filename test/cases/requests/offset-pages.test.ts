import type { Json, JsonObject } from '@huntfleet/contract'
import type { Step } from '@huntfleet/testing'
import { asked, from, ids, offset, source } from './numbered-rows.ts'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const paged = (pageSize: number, more: JsonObject = {}, binding: JsonObject = {}): JsonObject => ({
  pagination: offset(pageSize, more),
  ...binding,
})

const ends: RequestCase[] = [
  {
    title: 'ends at an empty first page',
    binding: paged(3),
    answers: [{ json: [] }],
    expect: { ids: [], calls: asked(3, 0), proof: 'empty_page' },
  },
  {
    title: 'asks once more when the rows are a multiple of the page size',
    binding: paged(3),
    answers: source(6),
    expect: { ids: ids(6), calls: asked(3, 0, 3, 6), proof: 'empty_page' },
  },
  {
    title: 'ends at a short page that is no round number',
    binding: paged(4),
    answers: source(7),
    expect: { ids: ids(7), calls: asked(4, 0, 4), proof: 'short_page' },
  },
  {
    title: 'confirms a short page of five',
    binding: paged(8),
    answers: source(5),
    expect: { ids: ids(5), calls: asked(8, 0, 5), proof: 'empty_page' },
  },
  {
    title: 'confirms a short page of sixteen',
    binding: paged(20),
    answers: source(16),
    expect: { ids: ids(16), calls: asked(20, 0, 16) },
  },
  {
    title: 'goes on in the size that a source clamps to',
    binding: paged(50),
    answers: source(25, 10),
    expect: { ids: ids(25), calls: asked(50, 0, 10, 20, 25) },
  },
  {
    title: 'ends at a page that is shorter than the clamped ones',
    binding: paged(50),
    answers: source(23, 10),
    expect: { ids: ids(23), calls: asked(50, 0, 10, 20), proof: 'short_page' },
  },
  {
    title: 'confirms every short page with confirm: always',
    binding: paged(50, { confirm: 'always' }),
    answers: source(20, 7),
    expect: { ids: ids(20), calls: asked(50, 0, 7, 14, 20), proof: 'empty_page' },
  },
  {
    title: 'never confirms when told so',
    binding: paged(50, { confirm: 'never' }),
    answers: source(25, 10),
    expect: { ids: ids(10), calls: asked(50, 0) },
  },
  {
    title: 'goes on to the empty page with stop_on: empty',
    binding: paged(50, { stop_on: 'empty' }),
    answers: source(9, 7),
    expect: { ids: ids(9), calls: asked(50, 0, 7, 9), proof: 'empty_page' },
  },
  {
    title: 'has a page size of 100 by default',
    binding: { pagination: { mode: 'offset', offset_param: 'skip', limit_param: 'take' } },
    answers: source(101),
    expect: { rowCount: 101, calls: asked(100, 0, 100) },
  },
  {
    title: 'leaves out the limit without limit_param',
    binding: { pagination: { mode: 'offset', offset_param: 'skip', page_size: 100 } },
    answers: source(101),
    expect: { rowCount: 101, calls: [{ skip: 0 }, { skip: 100 }] },
  },
  {
    title: 'clamps the page size to max_page_size',
    binding: paged(50, { max_page_size: 4 }),
    answers: source(6),
    expect: { ids: ids(6), calls: asked(4, 0, 4) },
  },
  {
    title: 'counts raw items, not rows, when some are rejects',
    binding: paged(3),
    answers: [
      { when: { skip: 0 }, json: [{ id: 1 }, 'no row', { id: 'x' }] },
      { when: { skip: 3 }, json: [{ id: 4 }] },
    ],
    expect: { ids: ['1', null, '4'], calls: asked(3, 0, 3) },
  },
  {
    title: 'counts raw items when on_reject drops rows',
    binding: paged(2, {}, { on_reject: 'drop_row' }),
    answers: [
      { when: { skip: 0 }, json: [{ id: 'x' }, { id: 'y' }] },
      { when: { skip: 2 }, json: [{ id: 3 }] },
    ],
    expect: { ids: ['3'], calls: asked(2, 0, 2) },
  },
  {
    title: 'asks behind all rows of a source that gives more than it was asked for',
    binding: paged(3),
    answers: [{ when: { skip: 0 }, json: from(0, 7) }, { json: [] }],
    expect: { ids: ids(7), calls: asked(3, 0, 7) },
  },
  {
    title: 'does not go on for ever where every page is empty but for rejects',
    binding: paged(2, {}, { max_pages: 9 }),
    answers: [{ json: ['a', 'b'] }],
    expect: { exit: 5, outcome: 'page_repeated', ids: [], callCount: 2 },
  },
  {
    title: 'pages csv by offset',
    binding: paged(2, {}, { response_format: 'csv' }),
    answers: [
      { when: { skip: 0 }, text: 'id\n1\n2\n' },
      { when: { skip: 2 }, text: 'id\n3\n' },
    ],
    expect: { ids: ['1', '2', '3'], calls: asked(2, 0, 2) },
  },
  {
    title: 'takes a blank csv page for the end',
    binding: paged(2, {}, { response_format: 'csv' }),
    answers: [{ when: { skip: 0 }, text: 'id\n1\n2\n' }, { text: '' }],
    expect: { ids: ['1', '2'], calls: asked(2, 0, 2), proof: 'empty_page' },
  },
  {
    title: 'takes empty content for the end',
    binding: paged(2),
    answers: [{ when: { skip: 0 }, json: from(0, 2) }, { result: { content: [] } }],
    expect: { ids: ids(2), calls: asked(2, 0, 2), proof: 'empty_page' },
  },
]

const repeats: RequestCase[] = [
  {
    title: 'stops at a page that repeats the one before, and does not store it',
    binding: paged(2),
    answers: [{ json: [{ id: 7 }, { id: 8 }] }],
    expect: { exit: 5, outcome: 'page_repeated', ids: ['7', '8'], callCount: 2 },
  },
  {
    title: 'goes on over repeated pages with repeat_guard: continue',
    binding: paged(1, { repeat_guard: 'continue' }),
    answers: [{ times: 3, json: [{ id: 7 }] }, { json: [] }],
    expect: { ids: ['7', '7', '7'], callCount: 4 },
  },
  {
    title: 'does not take equal rows on pages that differ for a repetition',
    binding: paged(2),
    answers: [
      { when: { skip: 0 }, json: [{ id: 7 }, { id: 8 }] },
      { when: { skip: 2 }, json: [{ id: 8 }, { id: 7 }] },
      { json: [] },
    ],
    expect: { ids: ['7', '8', '8', '7'], callCount: 3 },
  },
  {
    title: 'sees a repetition though the envelope around the rows changes',
    binding: { ...paged(2), items_path: 'hits' },
    answers: [
      { when: { skip: 0 }, json: { took: 1, hits: [{ id: 1 }, { id: 2 }] } },
      { json: { took: 2, hits: [{ id: 1 }, { id: 2 }] } },
    ],
    expect: { exit: 5, outcome: 'page_repeated', ids: ['1', '2'], callCount: 2 },
  },
]

const enveloped = (pages: readonly (readonly [number, Json])[]): Step[] =>
  pages.map(([skip, json]) => ({ when: { skip }, json }))

const totals: RequestCase[] = [
  {
    title: 'makes no further call once the total is reached',
    binding: { ...paged(2, { total_path: 'meta.total' }), items_path: 'hits' },
    answers: enveloped([
      [0, { meta: { total: 4 }, hits: from(0, 2) }],
      [2, { meta: { total: 4 }, hits: from(2, 2) }],
    ]),
    expect: { ids: ids(4), callCount: 2, proof: 'total' },
  },
  {
    title: 'goes on after a short page while a total says otherwise',
    binding: { ...paged(3, { total_path: 'total' }), items_path: 'hits' },
    answers: enveloped([
      [0, { total: '4', hits: from(0, 1) }],
      [1, { total: '4', hits: from(1, 3) }],
    ]),
    expect: { ids: ids(4), callCount: 2, proof: 'total' },
  },
  {
    title: 'is source_capped when pages end before the total',
    binding: { ...paged(2, { total_path: 'total' }), items_path: 'hits' },
    answers: [...enveloped([[0, { total: 9, hits: from(0, 2) }]]), { json: { total: 9, hits: [] } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ids(2), callCount: 2 },
  },
  {
    title: 'is complete when the last page overshoots the total',
    binding: { ...paged(2, { total_path: 'total' }), items_path: 'hits' },
    answers: enveloped([
      [0, { total: 3, hits: from(0, 2) }],
      [2, { total: 3, hits: from(2, 2) }],
    ]),
    expect: { ids: ids(4), callCount: 2 },
  },
  {
    title: 'reads a total of nought',
    binding: { ...paged(2, { total_path: 'total' }), items_path: 'hits' },
    answers: [{ json: { total: 0, hits: [] } }],
    expect: { ids: [], callCount: 1 },
  },
  {
    title: 'finds the total in the structured content beside a bare array',
    binding: paged(2, { total_path: 'total' }),
    answers: [{ json: from(0, 2), structured: { total: 2 } }],
    expect: { ids: ids(2), callCount: 1, proof: 'total' },
  },
  {
    title: 'pages on without a total where the path leads nowhere',
    binding: { ...paged(2, { total_path: 'total' }), items_path: 'hits' },
    answers: enveloped([
      [0, { hits: from(0, 2) }],
      [2, { hits: from(2, 1) }],
    ]),
    expect: { ids: ids(3), callCount: 2, proof: 'short_page' },
  },
  {
    title: 'ends where has_more is false although the page is full',
    binding: { ...paged(2, { has_more_path: 'more' }), items_path: 'hits' },
    answers: enveloped([[0, { more: false, hits: from(0, 2) }]]),
    expect: { ids: ids(2), callCount: 1 },
  },
  {
    title: 'goes on after a short page where has_more is true',
    binding: { ...paged(3, { has_more_path: 'more' }), items_path: 'hits' },
    answers: enveloped([
      [0, { more: 'true', hits: from(0, 1) }],
      [1, { more: 'false', hits: from(1, 1) }],
    ]),
    expect: { ids: ids(2), callCount: 2 },
  },
  {
    title: 'is source_capped when an empty page says that there is more',
    binding: { ...paged(2, { has_more_path: 'more' }), items_path: 'hits' },
    answers: [...enveloped([[0, { more: true, hits: from(0, 2) }]]), { json: { more: true, hits: [] } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ids(2), callCount: 2 },
  },
  {
    title: 'is source_capped when has_more is false before the total',
    binding: { ...paged(2, { has_more_path: 'more', total_path: 'n' }), items_path: 'hits' },
    answers: [{ json: { more: false, n: 50, hits: from(0, 2) } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ids(2), callCount: 1 },
  },
]

const caps: RequestCase[] = [
  {
    title: 'stages exactly max_rows and says row_cap',
    binding: paged(4, {}, { max_rows: 6 }),
    answers: source(20),
    expect: { exit: 5, outcome: 'row_cap', ids: ids(6), callCount: 2 },
  },
  {
    title: 'is complete when a short page ends exactly at max_rows',
    binding: paged(4, {}, { max_rows: 6 }),
    answers: source(6),
    expect: { ids: ids(6), callCount: 2 },
  },
  {
    title: 'is complete when the total is max_rows',
    binding: { ...paged(2, { total_path: 'total' }, { max_rows: 4 }), items_path: 'hits' },
    answers: enveloped([
      [0, { total: 4, hits: from(0, 2) }],
      [2, { total: 4, hits: from(2, 2) }],
    ]),
    expect: { ids: ids(4), callCount: 2 },
  },
  {
    title: 'says row_cap when full pages reach max_rows and nothing proves the end',
    binding: paged(2, {}, { max_rows: 4 }),
    answers: source(4),
    expect: { exit: 5, outcome: 'row_cap', ids: ids(4), callCount: 2 },
  },
  {
    title: 'confirms a round short page at max_rows',
    binding: paged(8, {}, { max_rows: 5 }),
    answers: source(5),
    expect: { ids: ids(5), callCount: 2 },
  },
  {
    title: 'says row_cap when the confirming call brings more',
    binding: paged(8, {}, { max_rows: 5 }),
    answers: source(9, 5),
    expect: { exit: 5, outcome: 'row_cap', ids: ids(5), callCount: 2 },
  },
  {
    title: 'caps one unpaged answer',
    binding: { max_rows: 2 },
    answers: [{ json: from(0, 3) }],
    expect: { exit: 5, outcome: 'row_cap', ids: ids(2), callCount: 1 },
  },
  {
    title: 'is complete when one unpaged answer has exactly max_rows',
    binding: { max_rows: 3 },
    answers: [{ json: from(0, 3) }],
    expect: { ids: ids(3), proof: 'unpaged' },
  },
  {
    title: 'lowers max_rows with --max-rows',
    args: ['--max-rows', '1'],
    answers: [{ json: from(0, 3) }],
    expect: { exit: 5, outcome: 'row_cap', ids: ids(1) },
  },
  {
    title: 'does not raise max_rows with --max-rows',
    binding: { max_rows: 2 },
    args: ['--max-rows', '9'],
    answers: [{ json: from(0, 3) }],
    expect: { exit: 5, outcome: 'row_cap', ids: ids(2) },
  },
  {
    title: 'ends at max_pages',
    binding: paged(2, {}, { max_pages: 2 }),
    answers: source(9),
    expect: { exit: 5, outcome: 'limit_reached', ids: ids(4), callCount: 2 },
  },
  {
    title: 'is complete when the last page is the max_pages-th',
    binding: paged(2, {}, { max_pages: 2 }),
    answers: source(3),
    expect: { ids: ids(3), callCount: 2 },
  },
  {
    title: 'ends at max_bytes with the rows so far',
    binding: paged(2, {}, { max_bytes: 10 }),
    answers: source(9),
    expect: { exit: 5, outcome: 'limit_reached', ids: ids(2), callCount: 1 },
  },
  {
    title: 'ends at max_calls with the rows so far',
    binding: paged(2, {}, { max_calls: 3 }),
    answers: source(9),
    expect: { exit: 5, outcome: 'limit_reached', ids: ids(6), callCount: 3 },
  },
  {
    title: 'counts retries as calls',
    binding: paged(2, {}, { max_calls: 2 }),
    answers: [{ when: { skip: 0 }, json: from(0, 2) }, { rpcError: { code: -32603, message: 'internal' } }],
    expect: { exit: 5, ids: ids(2), callCount: 2 },
  },
]

testRequests({ ends, repeats, totals, caps })
