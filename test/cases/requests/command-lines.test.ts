import type { JsonObject } from '@huntfleet/contract'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const two: Pick<RequestCase, 'tables' | 'bindings' | 'answers'> = {
  tables: { alerts: { columns: { id: 'BIGINT' } } },
  bindings: Object.fromEntries(
    [
      ['events', 'search'],
      ['alerts', 'list'],
    ].map(([table = '', mcp_tool = '']) => [
      table,
      { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool, retry: { attempts: 1 } },
    ]),
  ),
  answers: {
    tools: [{ name: 'search' }, { name: 'list' }],
    script: { search: [{ json: [{ id: 1 }] }], list: [{ json: [{ id: 2 }, { id: 3 }] }] },
  },
}
const failing = (search: JsonObject, list: JsonObject): Pick<RequestCase, 'answers'> => ({
  answers: { tools: [{ name: 'search' }, { name: 'list' }], script: { search: [search], list: [list] } },
})
const bad = { isError: true, text: 'query is wrong' }
const prose = { text: 'nothing that parses' }
const fine = { json: [{ id: 1 }] }

const exits: RequestCase[] = [
  {
    ...two,
    title: 'exits with 0 when every table is complete',
    expect: {
      outcomes: { events: 'complete', alerts: 'complete' },
      manifest: ({ status, manifest_version, tables }) => {
        if (status !== 'complete' || manifest_version !== 1) throw new Error(status)
        if (Object.keys(tables).join() !== 'events,alerts') throw new Error('not in contract order')
      },
    },
  },
  {
    ...two,
    ...failing(bad, fine),
    title: 'exits with 5 when one of two tables fails, and keeps the other',
    expect: { exit: 5, outcomes: { events: 'failed', alerts: 'complete' } },
  },
  {
    ...two,
    ...failing(bad, prose),
    title: 'exits with the code of the first failed table when all fail',
    expect: { exit: 3, outcomes: { events: 'failed', alerts: 'failed' } },
  },
  {
    ...two,
    ...failing(prose, bad),
    title: 'exits with 4 when the first failed table is not parseable',
    expect: { exit: 4, outcomes: { events: 'failed', alerts: 'failed' } },
  },
  {
    ...two,
    ...failing(bad, fine),
    tables: { alerts: { optional: true, columns: { id: 'BIGINT' } } },
    title: 'is failed when only an optional table has a file',
    expect: {
      exit: 3,
      outcomes: { events: 'failed', alerts: 'complete' },
      manifest: ({ status }) => {
        if (status !== 'failed') throw new Error(status)
      },
    },
  },
  {
    ...two,
    ...failing(fine, bad),
    tables: { alerts: { optional: true, columns: { id: 'BIGINT' } } },
    title: 'is partial when an optional table fails',
    expect: { exit: 5, outcomes: { events: 'complete', alerts: 'failed' } },
  },
  {
    title: 'exits with 4 when an incomplete table is to fail',
    binding: { max_rows: 1, on_incomplete: 'fail' },
    answers: [{ json: [{ id: 1 }, { id: 2 }] }],
    expect: { exit: 4, outcome: 'failed', ids: [], error: { code: 'TABLE_INCOMPLETE', words: ['row_cap'] } },
  },
  {
    title: 'keeps a complete table with on_incomplete: fail',
    binding: { on_incomplete: 'fail' },
    expect: { ids: ['1'] },
  },
  {
    title: 'exits with 4 when a reject is to fail the table',
    binding: { on_reject: 'fail' },
    answers: [{ json: [{ id: 'x' }] }],
    expect: { exit: 4, outcome: 'failed', error: { code: 'ROW_REJECTED' } },
  },
  {
    title: 'exits with 6 when the storage cannot be written',
    args: ['--out', 'file:///dev/null/out'],
    expect: { exit: 6, error: { kind: 'sink' }, callCount: 0 },
  },
  {
    title: 'exits with 6 for a storage of another kind',
    args: ['--out', 'ftp://example/x'],
    expect: { exit: 6, error: { kind: 'sink', words: ['ftp', 's3://'] }, callCount: 0 },
  },
  {
    title: 'exits with 130 when it is interrupted, and keeps the rows so far',
    binding: { pagination: { mode: 'offset', page_size: 2, offset_param: 'skip' } },
    answers: [{ when: { skip: 0 }, json: [{ id: 1 }, { id: 2 }] }, { hang: true }],
    interruptAtCall: 2,
    expect: { exit: 130, outcome: 'cancelled', ids: ['1', '2'], callCount: 2 },
  },
  {
    title: 'has a file with the whole schema for no rows',
    columns: { a: 'BIGINT', b: 'VARCHAR[]', c: 'TIMESTAMPTZ' },
    answers: [{ json: [] }],
    expect: {
      ids: [],
      manifest: ({ tables }) => {
        if (Object.keys(tables['events']?.columns ?? {}).join() !== 'a,b,c') throw new Error('columns')
      },
    },
  },
]

const options: RequestCase[] = [
  {
    ...two,
    title: 'fetches only the tables of --table',
    args: ['--table', 'alerts'],
    expect: {
      outcomes: { alerts: 'complete' },
      tools: ['list'],
      manifest: ({ tables }) => {
        if (tables['events'] !== undefined) throw new Error('events is there')
      },
    },
  },
  {
    ...two,
    title: 'fetches several tables of --table in contract order',
    args: ['--table', 'alerts', '--table', 'events'],
    expect: { outcomes: { alerts: 'complete', events: 'complete' } },
  },
  {
    ...two,
    title: 'refuses a --table that the contract lacks, and lists those it has',
    args: ['--table', 'alrets'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['alrets', 'events, alerts'] }, callCount: 0 },
  },
  ...['0', '-1', 'many', '1.5', ''].map(
    (n): RequestCase => ({
      title: `refuses --max-rows ${JSON.stringify(n)}`,
      args: ['--max-rows', n],
      expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['--max-rows'] }, callCount: 0 },
    }),
  ),
  {
    title: 'refuses an unknown option and guesses which was meant',
    args: ['--tabel', 'events'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['--tabel', '--table'] }, callCount: 0 },
  },
  {
    title: 'refuses an option without its value',
    args: ['--table'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['--table'] }, callCount: 0 },
  },
  {
    title: 'refuses a further argument',
    args: ['more'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID' }, callCount: 0 },
  },
  {
    title: 'refuses a project file that does not exist',
    args: ['--config', 'nowhere.yaml'],
    expect: { exit: 2, error: { words: ['nowhere.yaml', 'does not exist'] }, callCount: 0 },
  },
  {
    title: 'overlays project file and binding with --env',
    args: ['--env', 'prod'],
    files: {
      'huntfleet.prod.yaml': 'mcp_servers: { scripted: { defaults: { mcp_args: { tier: prod } } } }\n',
      'binding.prod.yaml': 'source_bindings: { events: { mcp_args: { q: overlaid } } }\n',
    },
    binding: { mcp_args: { q: 'base', keep: 1 } },
    expect: { calls: [{ tier: 'prod', q: 'overlaid', keep: 1 }] },
  },
  {
    title: 'refuses an --env whose overlay does not exist',
    args: ['--env', 'prdo'],
    expect: { exit: 2, error: { words: ['huntfleet.prdo.yaml'] }, callCount: 0 },
  },
  {
    title: 'plans the exact call and sends nothing',
    command: 'plan',
    params: { l: { type: 'list' } },
    given: { l: ['a', 'b'] },
    binding: {
      mcp_args: { q: '{{ l | join("|") }}' },
      pagination: { mode: 'offset', page_size: 7, offset_param: 'skip', limit_param: 'take' },
    },
    expect: { says: ['"q": "a|b"', '"skip": 0', '"take": 7'], callCount: 0 },
  },
  {
    title: 'previews one page',
    command: 'preview',
    binding: { pagination: { mode: 'offset', page_size: 2, offset_param: 'skip' } },
    answers: [{ json: [{ id: 41 }, { id: 42 }] }],
    expect: { says: ['41', '42'], callCount: 1 },
  },
  {
    title: 'validates without calling',
    command: 'validate',
    expect: { says: ['"valid": true'], callCount: 0 },
  },
  {
    title: 'reports all findings of all files with validate',
    command: 'validate',
    params: { p: { type: 'strng' } },
    binding: { response_format: 'cvs' },
    server: { limit: { concurrency: 1 } },
    expect: { exit: 2, says: ['"valid": false', 'strng', 'cvs', 'limits'], callCount: 0 },
  },
  {
    title: 'asks the server with validate --online',
    command: 'validate',
    args: ['--online'],
    binding: { mcp_tool: 'serach' },
    expect: { exit: 2, says: ['serach', 'did you mean search'], callCount: 0 },
  },
  {
    title: 'checks arguments against the schema with validate --online',
    command: 'validate',
    args: ['--online'],
    binding: { mcp_args: { indx: 'x' } },
    answers: {
      tools: [
        {
          name: 'search',
          inputSchema: {
            type: 'object',
            properties: { index: { type: 'string' } },
            required: ['index'],
            additionalProperties: false,
          },
        },
      ],
      script: {},
    },
    expect: { exit: 2, says: ['indx', 'did you mean index'], callCount: 0 },
  },
]

const http: RequestCase[] = [
  {
    title: 'fails with exit 3 when the server refuses the session',
    http: { authorize: () => false },
    expect: { exit: 3, outcome: 'failed', error: { kind: 'denied' }, callCount: 0 },
  },
  {
    title: 'reads answers that come as event streams',
    http: { answer: 'sse' },
    expect: { ids: ['1'] },
  },
  {
    title: 'works without session ids',
    http: { sessions: false },
    expect: { ids: ['1'] },
  },
  {
    title: 'opens a new session when the old one expires between pages',
    http: { expireAfterCalls: 1 },
    binding: { pagination: { mode: 'offset', page_size: 1, offset_param: 'skip' } },
    answers: [
      { when: { skip: 0 }, json: [{ id: 1 }] },
      { when: { skip: 1 }, json: [{ id: 2 }] },
      { json: [] },
    ],
    expect: { ids: ['1', '2'], callCount: 3 },
  },
  {
    title: 'speaks the old transport where the project says so',
    project: { mcp_servers: { scripted: { remote: { url: '{{SSE_URL}}', transport: 'sse' } } } },
    http: { legacySse: 'only' },
    expect: { ids: ['1'] },
  },
  {
    title: 'sends headers of the server',
    project: { mcp_servers: { scripted: { remote: { url: '{{URL}}', headers: { 'X-Tenant': 'blue' } } } } },
    http: { authorize: (headers) => headers['x-tenant'] === 'blue' },
    expect: { ids: ['1'] },
  },
  {
    title: 'fails with exit 4 for an answer larger than max_message_bytes',
    server: { max_message_bytes: 20_000 },
    answers: [{ padBytes: 100_000 }],
    expect: { exit: 4, outcome: 'failed', error: { kind: 'data' } },
  },
  {
    title: 'survives a compression bomb',
    server: { max_message_bytes: 1_000_000 },
    answers: [{ fault: 'gzip_bomb', json: [] }],
    expect: { exit: 4, outcome: 'failed', error: { kind: 'data' }, within: 20_000 },
  },
]

testRequests({ 'exit codes': exits, options, 'HTTP servers': http })
