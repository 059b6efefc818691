import type { JsonObject } from '@huntfleet/contract'
import type { Script, Step } from '@huntfleet/testing'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const script = (steps: Record<string, readonly Step[]>): Script => ({
  tools: Object.keys(steps).map((name) => ({ name })),
  script: steps,
})

const nextTool: RequestCase[] = [
  {
    title: 'fetches the pages after the first with next_tool and next_args',
    binding: {
      items_path: 'rows',
      mcp_args: { q: 'x', ttl: 5 },
      pagination: {
        mode: 'cursor',
        cursor_param: 'id',
        next_cursor_path: 'next',
        next_tool: 'more',
        next_args: { wait: true },
      },
    },
    answers: script({
      search: [{ json: { rows: [{ id: 1 }], next: 'n1' } }],
      more: [
        { when: { id: 'n1' }, json: { rows: [{ id: 2 }], next: 'n2' } },
        { when: { id: 'n2' }, json: { rows: [{ id: 3 }] } },
      ],
    }),
    expect: {
      ids: ['1', '2', '3'],
      tools: ['search', 'more', 'more'],
      calls: [
        { q: 'x', ttl: 5 },
        { wait: true, id: 'n1' },
        { wait: true, id: 'n2' },
      ],
    },
  },
  {
    title: 'sends the same arguments to next_tool without next_args',
    binding: {
      items_path: 'rows',
      mcp_args: { q: 'x' },
      pagination: { mode: 'cursor', cursor_param: 'id', next_cursor_path: 'next', next_tool: 'more' },
    },
    answers: script({
      search: [{ json: { rows: [{ id: 1 }], next: 'n1' } }],
      more: [{ json: { rows: [{ id: 2 }] } }],
    }),
    expect: { ids: ['1', '2'], calls: [{ q: 'x' }, { q: 'x', id: 'n1' }] },
  },
  {
    title: 'fills placeholders in next_args',
    params: { who: {} },
    given: { who: 'kim' },
    binding: {
      items_path: 'rows',
      pagination: {
        mode: 'cursor',
        cursor_param: 'id',
        next_cursor_path: 'next',
        next_tool: 'more',
        next_args: { user: '{{who}}' },
      },
    },
    answers: script({
      search: [{ json: { rows: [{ id: 1 }], next: 'n1' } }],
      more: [{ json: { rows: [{ id: 2 }] } }],
    }),
    expect: { ids: ['1', '2'], calls: [{}, { user: 'kim', id: 'n1' }] },
  },
  {
    title: 'refuses an unresolved placeholder in next_args before any call',
    binding: {
      items_path: 'rows',
      pagination: {
        mode: 'cursor',
        cursor_param: 'id',
        next_cursor_path: 'next',
        next_tool: 'more',
        next_args: { user: '{{whom}}' },
      },
    },
    expect: { exit: 2, error: { kind: 'config', words: ['whom', 'next_args'] }, callCount: 0 },
  },
  {
    title: 'refuses a next_tool that the server lacks before any call',
    binding: {
      items_path: 'rows',
      pagination: { mode: 'cursor', cursor_param: 'id', next_cursor_path: 'next', next_tool: 'moar' },
    },
    answers: script({
      search: [{ json: { rows: [{ id: 1 }], next: 'n1' } }],
      more: [{ json: { rows: [{ id: 2 }] } }],
    }),
    expect: {
      exit: 2,
      error: { code: 'TOOL_UNKNOWN', words: ['moar', 'its tools are search, more'] },
      callCount: 0,
    },
  },
]

const job = (more: JsonObject = {}): JsonObject => ({
  submit_tool: 'submit',
  id_path: 'job.id',
  poll_tool: 'poll',
  done_when: { path: 'state', in: ['DONE', 'ready'] },
  poll_interval: '5ms',
  ...more,
})

const jobs: RequestCase[] = [
  {
    title: 'submits a search, polls until it is done, then pages through its rows',
    binding: {
      mcp_tool: 'results',
      mcp_args: { search: '{{job.id}}' },
      pagination: {
        mode: 'offset',
        page_size: 2,
        offset_param: 'skip',
        job: job({ submit_args: { q: 'dns' } }),
      },
    },
    answers: script({
      submit: [{ json: { job: { id: 'j-7' } } }],
      poll: [{ times: 2, json: { state: 'RUNNING' } }, { json: { state: 'DONE' } }],
      results: [
        { when: { skip: 0, search: 'j-7' }, json: [{ id: 1 }, { id: 2 }] },
        { when: { skip: 2, search: 'j-7' }, json: [{ id: 3 }] },
      ],
    }),
    expect: {
      ids: ['1', '2', '3'],
      tools: ['submit', 'poll', 'poll', 'poll', 'results', 'results'],
    },
  },
  {
    title: 'submits without what waits for the id, and polls by the name of its argument',
    binding: {
      mcp_tool: 'results',
      mcp_args: { q: 'dns', ref: '{{ job.id }}' },
      pagination: { job: job() },
    },
    answers: script({
      submit: [{ json: { job: { id: 12 } } }],
      poll: [{ json: { state: 'ready' } }],
      results: [{ json: [{ id: 1 }] }],
    }),
    expect: { ids: ['1'], calls: [{ q: 'dns' }, { ref: 12 }, { q: 'dns', ref: 12 }] },
  },
  {
    title: 'fills placeholders in submit_args and poll_args',
    params: { who: {} },
    given: { who: 'kim' },
    binding: {
      mcp_tool: 'results',
      mcp_args: { ref: '{{job.id}}' },
      pagination: { job: job({ submit_args: { q: 'user={{who}}' }, poll_args: { tenant: '{{ who }}' } }) },
    },
    answers: script({
      submit: [{ json: { job: { id: 'j' } } }],
      poll: [{ json: { state: 'DONE' } }],
      results: [{ json: [{ id: 1 }] }],
    }),
    expect: { ids: ['1'], calls: [{ q: 'user=kim' }, { tenant: 'kim', ref: 'j' }, { ref: 'j' }] },
  },
  {
    title: 'fills secrets and the id into the arguments of every call',
    project: { secrets: { KEY: { value: 'key-of-the-source' } } },
    binding: {
      mcp_tool: 'results',
      items_path: 'rows',
      mcp_args: { ref: '{{job.id}}' },
      pagination: {
        mode: 'cursor',
        next_cursor_path: 'next',
        next_tool: 'more',
        next_args: { at: '{{page.cursor}}', of: '{{job.id}}', key: '{{secret.KEY}}' },
        job: job({
          submit_args: { key: '{{secret.KEY}}' },
          poll_args: { query: 'id={{job.id}}', key: '{{secret.KEY}}' },
        }),
      },
    },
    answers: script({
      submit: [{ json: { job: { id: 'j' } } }],
      poll: [{ json: { state: 'DONE' } }],
      results: [{ json: { rows: [{ id: 1 }], next: 'n' } }],
      more: [{ json: { rows: [{ id: 2 }] } }],
    }),
    expect: {
      ids: ['1', '2'],
      unsaid: ['key-of-the-source'],
      calls: [
        { key: 'key-of-the-source' },
        { query: 'id=j', key: 'key-of-the-source', ref: 'j' },
        { ref: 'j' },
        { at: 'n', of: 'j', key: 'key-of-the-source' },
      ],
    },
  },
  {
    title: 'fails when the submission answers without an id',
    binding: { mcp_tool: 'results', mcp_args: { ref: '{{job.id}}' }, pagination: { job: job() } },
    answers: script({ submit: [{ json: { ok: true } }], poll: [], results: [] }),
    expect: { exit: 4, outcome: 'failed', error: { kind: 'data', words: ['job.id'] }, callCount: 1 },
  },
  {
    title: 'fails when the search fails',
    binding: { mcp_tool: 'results', mcp_args: { ref: '{{job.id}}' }, pagination: { job: job() } },
    answers: script({
      submit: [{ json: { job: { id: 'j' } } }],
      poll: [{ json: { state: 'x', status: 'failed', message: 'syntax error near |' } }],
      results: [],
    }),
    expect: { exit: 3, outcome: 'failed', error: { kind: 'tool', words: ['syntax error near'] } },
  },
  {
    title: 'ends polling when the budget is spent, with an empty file',
    binding: {
      mcp_tool: 'results',
      budget: '300ms',
      mcp_args: { ref: '{{job.id}}' },
      pagination: { job: job({ poll_interval: '40ms' }) },
    },
    answers: script({
      submit: [{ json: { job: { id: 'j' } } }],
      poll: [{ json: { state: 'RUNNING' } }],
      results: [],
    }),
    expect: { exit: 5, outcome: 'time_budget', ids: [], within: 5_000 },
  },
  {
    title: 'bounds polling by max_calls',
    binding: {
      mcp_tool: 'results',
      max_calls: 4,
      mcp_args: { ref: '{{job.id}}' },
      pagination: { job: job() },
    },
    answers: script({
      submit: [{ json: { job: { id: 'j' } } }],
      poll: [{ json: { state: 'RUNNING' } }],
      results: [],
    }),
    expect: { exit: 5, outcome: 'limit_reached', callCount: 4 },
  },
]

const window = (more: JsonObject = {}): JsonObject => ({
  mode: 'time_window',
  window_param_start: 'since',
  window_param_end: 'until',
  window: '1h',
  ...more,
})
const span = (since: string, until: string) => ({ since, until })
const day = '2026-04-05T'

const timeWindows: RequestCase[] = [
  {
    title: 'cuts the interval into half-open slices',
    binding: {
      mcp_args: span(`${day}00:00:00Z`, `${day}02:30:00Z`),
      pagination: window(),
    },
    answers: [
      { when: { since: `${day}00:00:00.000Z` }, json: [{ id: 1 }] },
      { when: { since: `${day}01:00:00.000Z` }, json: [] },
      { when: { since: `${day}02:00:00.000Z` }, json: [{ id: 3 }] },
    ],
    expect: {
      ids: ['1', '3'],
      calls: [
        span(`${day}00:00:00.000Z`, `${day}01:00:00.000Z`),
        span(`${day}01:00:00.000Z`, `${day}02:00:00.000Z`),
        span(`${day}02:00:00.000Z`, `${day}02:30:00.000Z`),
      ],
    },
  },
  {
    title: 'takes the window of the run when the arguments name no interval',
    binding: { pagination: window() },
    args: ['--from', `${day}00:00:00Z`, '--to', `${day}01:00:00Z`],
    answers: [{ json: [{ id: 1 }] }],
    expect: { ids: ['1'], calls: [span(`${day}00:00:00.000Z`, `${day}01:00:00.000Z`)] },
  },
  {
    title: 'writes epoch seconds where the arguments are epoch seconds',
    binding: {
      mcp_args: { since: 1_775_347_200, until: 1_775_350_800 },
      pagination: window({ window: '30m' }),
    },
    answers: [{ when: { since: 1_775_347_200 }, json: [{ id: 1 }] }, { json: [{ id: 2 }] }],
    expect: {
      ids: ['1', '2'],
      calls: [
        { since: 1_775_347_200, until: 1_775_349_000 },
        { since: 1_775_349_000, until: 1_775_350_800 },
      ],
    },
  },
  {
    title: 'halves a slice that comes back truncated, and does not store it',
    binding: {
      mcp_args: span(`${day}00:00:00Z`, `${day}01:00:00Z`),
      items_path: 'rows',
      pagination: window(),
    },
    answers: [
      {
        when: span(`${day}00:00:00.000Z`, `${day}01:00:00.000Z`),
        json: { truncated: true, rows: [{ id: 1 }] },
      },
      { when: { since: `${day}00:00:00.000Z` }, json: { rows: [{ id: 1 }, { id: 2 }] } },
      { when: { since: `${day}00:30:00.000Z` }, json: { rows: [{ id: 3 }] } },
    ],
    expect: { ids: ['1', '2', '3'], callCount: 3 },
  },
  {
    title: 'halves a slice that fills its limit',
    binding: {
      mcp_args: span(`${day}00:00:00Z`, `${day}00:02:00Z`),
      pagination: window({ limit_param: 'n', page_size: 2 }),
    },
    answers: [
      { when: { until: `${day}00:02:00.000Z`, since: `${day}00:00:00.000Z` }, json: [{ id: 1 }, { id: 2 }] },
      { when: { until: `${day}00:01:00.000Z` }, json: [{ id: 1 }] },
      { when: { until: `${day}00:02:00.000Z` }, json: [{ id: 2 }] },
    ],
    expect: { ids: ['1', '2'], callCount: 3 },
  },
  {
    title: 'is source_capped when a truncated slice is too short to be halved, and keeps its rows',
    binding: {
      mcp_args: span(`${day}00:00:00Z`, `${day}00:00:02Z`),
      items_path: 'rows',
      pagination: window({ min_window: '2s' }),
    },
    answers: [{ json: { truncated: true, rows: [{ id: 1 }] } }],
    expect: { exit: 5, outcome: 'source_capped', ids: ['1'], callCount: 1 },
  },
  {
    title: 'fetches the latest slice first in descending order',
    binding: {
      mcp_args: span(`${day}00:00:00Z`, `${day}02:00:00Z`),
      pagination: window({ order: 'descending' }),
    },
    answers: [{ when: { since: `${day}01:00:00.000Z` }, json: [{ id: 2 }] }, { json: [{ id: 1 }] }],
    expect: { ids: ['2', '1'], callCount: 2 },
  },
  {
    title: 'refuses a time window without an interval before any call',
    binding: { pagination: window() },
    expect: { exit: 2, error: { kind: 'config', words: ['window_param_start', '--from'] }, callCount: 0 },
  },
  {
    title: 'refuses an interval that ends before it begins',
    binding: {
      mcp_args: span(`${day}02:00:00Z`, `${day}01:00:00Z`),
      pagination: window(),
    },
    expect: { exit: 2, error: { kind: 'config', words: ['window_param_'] }, callCount: 0 },
  },
  {
    title: 'refuses an interval in numbers that are no times',
    binding: {
      mcp_args: { since: 1e17, until: 2e17 },
      pagination: window(),
    },
    expect: { exit: 2, error: { kind: 'config', words: ['since'] }, callCount: 0 },
  },
  {
    title: 'fills page.start and page.end into the text of a query',
    binding: {
      query_template: 'ts >= "{{page.start}}" and ts < "{{page.end}}"',
      pagination: { mode: 'time_window', window: '1h' },
    },
    args: ['--from', `${day}00:00:00Z`, '--to', `${day}01:00:00Z`],
    answers: [{ json: [{ id: 1 }] }],
    expect: { calls: [{ query: `ts >= "${day}00:00:00.000Z" and ts < "${day}01:00:00.000Z"` }] },
  },
]

const parts: RequestCase[] = [
  {
    title: 'fetches a list parameter in chunks',
    params: { hosts: { type: 'list' } },
    given: { hosts: ['a', 'b', 'c'] },
    binding: { for_each: { param: 'hosts', chunk: 2, as: 'some' }, mcp_args: { hosts: '{{some}}' } },
    answers: [{ when: { hosts: ['a', 'b'] }, json: [{ id: 1 }] }, { json: [{ id: 2 }] }],
    expect: { ids: ['1', '2'], calls: [{ hosts: ['a', 'b'] }, { hosts: ['c'] }] },
  },
  {
    title: 'has nothing to ask for when the list is empty',
    params: { hosts: { type: 'list' } },
    given: { hosts: [] },
    binding: { for_each: { param: 'hosts' }, mcp_args: { hosts: '{{hosts}}' } },
    expect: { ids: [], callCount: 0 },
  },
  {
    title: 'takes the worst outcome of all parts and keeps the rows of the others',
    params: { hosts: { type: 'list' } },
    given: { hosts: ['a', 'b', 'c'] },
    binding: { for_each: { param: 'hosts', chunk: 1 }, mcp_args: { h: '{{hosts}}' } },
    answers: [
      { when: { h: ['b'] }, isError: true, text: 'no such host' },
      { when: { h: ['a'] }, json: [{ id: 1 }] },
      { json: [{ id: 3 }] },
    ],
    expect: { exit: 5, outcome: 'page_error', ids: ['1', '3'], callCount: 3 },
  },
  {
    title: 'lets max_rows cover all parts',
    params: { hosts: { type: 'list' } },
    given: { hosts: ['a', 'b', 'c'] },
    binding: { max_rows: 3, for_each: { param: 'hosts', chunk: 1 }, mcp_args: { h: '{{hosts}}' } },
    answers: [{ json: [{ id: 1 }, { id: 2 }] }],
    expect: { exit: 5, outcome: 'row_cap', rowCount: 3, callCount: 2 },
  },
  {
    title: 'refuses for_each over a parameter that is no list',
    params: { host: { type: 'str' }, names: { type: 'list' } },
    binding: { for_each: { param: 'host' } },
    expect: { exit: 2, error: { kind: 'config', words: ['"host"', 'names'] }, callCount: 0 },
  },
  {
    title: 'fetches a list of sources into one table',
    bindings: {
      events: [
        { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool: 'search' },
        { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool: 'other', field_map: { id: 'n' } },
      ],
    },
    answers: script({ search: [{ json: [{ id: 1 }] }], other: [{ json: [{ n: 2 }] }] }),
    expect: { ids: ['1', '2'], tools: ['search', 'other'] },
  },
  {
    title: 'fails only when every source of a table fails',
    bindings: {
      events: ['search', 'other'].map((mcp_tool) => ({
        fetch_mode: 'mcp_client',
        mcp_server: 'scripted',
        mcp_tool,
      })),
    },
    answers: script({ search: [{ isError: true, text: 'bad' }], other: [{ isError: true, text: 'worse' }] }),
    expect: { exit: 3, outcome: 'failed', callCount: 2 },
  },
  {
    title: 'counts what dedupe_key drops over all parts',
    params: { hosts: { type: 'list' } },
    given: { hosts: ['a', 'b'] },
    binding: { dedupe_key: 'id', for_each: { param: 'hosts', chunk: 1 }, mcp_args: { h: '{{hosts}}' } },
    answers: [{ json: [{ id: 1 }, { id: 1 }, { id: 2 }] }],
    expect: {
      ids: ['1', '2'],
      manifest: ({ tables }) => {
        if (tables['events']?.duplicates !== 4) throw new Error(`${tables['events']?.duplicates} duplicates`)
      },
    },
  },
]

testRequests({ 'next tools': nextTool, 'search jobs': jobs, 'time windows': timeWindows, parts })
