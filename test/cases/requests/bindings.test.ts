import type { JsonObject } from '@huntfleet/contract'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

/** A binding that is refused when it is read. */
const refused = (title: string, binding: JsonObject, ...words: string[]): RequestCase => ({
  title,
  binding,
  expect: {
    exit: 2,
    error: { kind: 'config', words, place: /binding\.yaml:\d+:\d+/ },
    callCount: 0,
  },
})

const cursor: JsonObject = { mode: 'cursor', cursor_param: 'after', next_cursor_path: 'next' }

const checks: RequestCase[] = [
  refused(
    'refuses a misspelt fetch_mode',
    { fetch_mode: 'mcp_clinet' },
    'mcp_clinet',
    'did you mean mcp_client',
  ),
  refused('refuses api, with advice', { fetch_mode: 'api' }, '"api"', 'mcp_client'),
  refused('refuses direct, with advice', { fetch_mode: 'direct' }, '"direct"', 'mcp_client'),
  refused(
    'refuses an unknown format and lists the known',
    { response_format: 'jsonl' },
    'jsonl',
    'ndjson',
    'csv',
  ),
  refused(
    'refuses an unknown adapter and lists the known',
    { response_adapter: 'tabular' },
    'tabular',
    'tabular_text',
  ),
  refused(
    'refuses format and adapter together',
    { response_format: 'csv', response_adapter: 'tabular_text' },
    'mutually exclusive',
  ),
  refused(
    'refuses an unknown server and lists the known',
    { mcp_server: 'scripetd' },
    'scripetd',
    'did you mean scripted',
  ),
  refused('refuses an entry without a server', { mcp_server: null }, 'mcp_server is missing'),
  refused('refuses an entry without a tool', { mcp_tool: null }, 'mcp_tool is missing'),
  refused('refuses a server named like a member of objects', { mcp_server: 'constructor' }, 'constructor'),
  refused('refuses a timeout without a unit', { timeout: 30 }, 'timeout', '30', '30s'),
  refused('refuses a timeout without a unit in a text', { timeout: '30' }, 'timeout', '30s'),
  refused('refuses a timeout of nothing', { timeout: '0s' }, 'timeout'),
  refused('refuses a negative timeout', { timeout: '-5s' }, 'timeout', '-5s'),
  refused('refuses a budget in words', { budget: '5 minutes' }, 'budget', '5 minutes'),
  refused('refuses max_rows of nought', { max_rows: 0 }, 'max_rows'),
  refused('refuses max_rows in text', { max_rows: '1k' }, 'max_rows', '1k'),
  refused('refuses a fraction of a row', { max_rows: 2.5 }, 'max_rows'),
  refused(
    'refuses a field_map column that the contract lacks',
    { field_map: { idd: 'x' } },
    'idd',
    'did you mean id',
  ),
  refused('refuses an invalid on_reject', { on_reject: 'skip' }, 'skip', 'drop_row'),
  refused('refuses arguments that are a list', { mcp_args: ['a'] }, 'mcp_args'),
  refused('refuses more than 20 attempts', { retry: { attempts: 500 } }, 'attempts'),
  refused(
    'refuses a regular expression with a back-reference',
    { error_when: [{ text: '(a)\\1' }] },
    'regular expression',
  ),
  refused(
    'refuses a regular expression that is none',
    { empty_when: [{ text: '(unclosed' }] },
    'regular expression',
    '(unclosed',
  ),
  refused(
    'refuses a rule with two tests',
    { error_when: [{ path: 'a', equals: 1, matches: 'x' }] },
    'one test',
  ),
  refused(
    'refuses a placeholder that no parameter fills',
    { mcp_args: { a: { b: ['{{nope}}'] } } },
    'mcp_args.a.b[0]',
    'nope',
  ),
  refused('refuses pagination without a mode', { pagination: { page_size: 5 } }, 'mode', 'offset'),
  refused(
    'refuses an unknown pagination mode',
    { pagination: { mode: 'ofset', offset_param: 'x' } },
    'ofset',
    'did you mean offset',
  ),
  refused(
    'refuses offset without offset_param',
    { pagination: { mode: 'offset' } },
    'offset_param is missing',
  ),
  refused('refuses page without page_param', { pagination: { mode: 'page' } }, 'page_param is missing'),
  refused(
    'refuses cursor without cursor_param',
    { pagination: { mode: 'cursor', next_cursor_path: 'n' } },
    'cursor_param is missing',
  ),
  refused(
    'refuses cursor without next_cursor_path',
    { pagination: { mode: 'cursor', cursor_param: 'c' } },
    'next_cursor_path is missing',
  ),
  refused(
    'refuses keyset without cursor_from_last',
    { pagination: { mode: 'keyset', cursor_param: 'c' } },
    'cursor_from_last is missing',
  ),
  refused(
    'refuses cursor with ndjson',
    { response_format: 'ndjson', pagination: cursor },
    'cursor',
    'ndjson',
  ),
  refused(
    'refuses cursor with an adapter',
    { response_adapter: 'tabular_text', pagination: cursor },
    'cursor',
    'tabular_text',
  ),
  refused(
    'refuses total_path with csv',
    { response_format: 'csv', pagination: { mode: 'offset', offset_param: 'o', total_path: 't' } },
    'total_path',
    'csv',
  ),
  refused(
    'refuses a page size of nought',
    { pagination: { mode: 'offset', offset_param: 'o', page_size: 0 } },
    'page_size',
  ),
  refused(
    'refuses a search job without done_when',
    { pagination: { job: { submit_tool: 's', id_path: 'i', poll_tool: 'p' } } },
    'done_when',
  ),
  {
    title: 'reports everything that is wrong at once, sorted by place',
    binding: { response_format: 'xml', max_rows: -1, timeout: 5, field_map: { nope: 'x' } },
    expect: { exit: 2, error: { issues: 4, words: ['xml', 'max_rows', 'timeout', 'nope'] }, callCount: 0 },
  },
  {
    title: 'points at line and column of a wrong value',
    files: {
      'binding.yaml':
        'source_bindings:\n  events:\n    fetch_mode: mcp_client\n    mcp_server: scripted\n    mcp_tool: search\n    response_format:   tsvv\n',
    },
    expect: { exit: 2, error: { place: /binding\.yaml:6:24/, words: ['tsvv', 'did you mean tsv'] } },
  },
  {
    title: 'refuses an entry for a table that the contract lacks',
    bindings: {
      events: { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool: 'search' },
      evnets: { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool: 'search' },
    },
    expect: { exit: 2, error: { words: ['evnets', 'did you mean events'] }, callCount: 0 },
  },
  {
    title: 'refuses a required table without an entry',
    tables: { alerts: { columns: { id: 'BIGINT' } } },
    expect: { exit: 2, error: { code: 'TABLE_UNBOUND', words: ['alerts'] }, callCount: 0 },
  },
  {
    title: 'skips an optional table without an entry',
    tables: { alerts: { optional: true, columns: { id: 'BIGINT' } } },
    expect: { outcomes: { events: 'complete', alerts: 'skipped' } },
  },
  {
    title: 'refuses an empty binding',
    files: { 'binding.yaml': '# nothing yet\n' },
    expect: { exit: 2, error: { code: 'TABLE_UNBOUND', words: ['events'] }, callCount: 0 },
  },
  {
    title: 'refuses a binding that is a list',
    files: { 'binding.yaml': '- source_bindings\n' },
    expect: { exit: 2, error: { kind: 'config', words: ['binding.yaml'] }, callCount: 0 },
  },
]

const accepts = (title: string, binding: JsonObject, says: string[] = []): RequestCase => ({
  title,
  binding,
  expect: { ids: ['1'], ...(says.length > 0 && { says }) },
})

const kinds: RequestCase[] = [
  accepts('takes fracta_mcp_gateway for mcp_client', { fetch_mode: 'fracta_mcp_gateway' }),
  accepts('takes fleet for mcp_client', { fetch_mode: 'fleet' }),
  accepts('warns of an unknown key and guesses which was meant', { max_row: 5 }, [
    'max_row',
    'did you mean "max_rows"',
  ]),
  accepts('warns of an unknown key of the pagination', { pagination: { mode: 'none', pagesize: 5 } }, [
    'pagesize',
    'page_size',
  ]),
  accepts('warns of a config_key without an entry', { config_key: 'elastic' }, ['credentials.elastic']),
  accepts('takes a key without a value for not set', { items_path: null, timeout: null, pagination: null }),
  ...(['native', 'strategy_native'] as const).map(
    (fetch_mode): RequestCase => ({
      title: `leaves a table of ${fetch_mode} to the strategy`,
      bindings: { events: { fetch_mode } },
      expect: { outcome: 'native', callCount: 0 },
    }),
  ),
  ...([{ fetch_mode: 'mcp' }, { fetch_mode: 'agent' }, {}] as JsonObject[]).map(
    (mode): RequestCase => ({
      title: `waits for an agent with ${JSON.stringify(mode)}`,
      bindings: { events: { mcp_server: 'scripted', mcp_tool: 'search', ...mode } },
      expect: { exit: 5, outcome: 'awaiting_agent', callCount: 0 },
    }),
  ),
  {
    title: 'warns of pagination and arguments beside a missing fetch_mode',
    bindings: { events: { mcp_server: 'scripted', mcp_tool: 'search', mcp_args: { a: 1 }, items_path: 'x' } },
    expect: { exit: 5, outcome: 'awaiting_agent', says: ['fetch_mode is missing', 'mcp_args', 'items_path'] },
  },
  {
    title: 'is partial when a table waits for an agent and another is complete',
    tables: { notes: { columns: { id: 'BIGINT' } } },
    bindings: {
      events: { fetch_mode: 'mcp_client', mcp_server: 'scripted', mcp_tool: 'search' },
      notes: { fetch_mode: 'mcp' },
    },
    expect: { exit: 5, outcomes: { events: 'complete', notes: 'awaiting_agent' } },
  },
  {
    title: 'runs unquoted YAML of people: comments, anchors, norway',
    files: {
      'binding.yaml': `# people's YAML
x-common: &common
  fetch_mode: mcp_client   # the fleet
  mcp_server: scripted
source_bindings:
  events:
    <<: *common
    mcp_tool: search
    mcp_args: { country: NO, day: 2026-01-02, octal: 0o17, at: 12:30, ver: "1.10", yes: yes }
`,
    },
    expect: {
      calls: [{ country: 'NO', day: '2026-01-02', octal: 15, at: '12:30', ver: '1.10', yes: 'yes' }],
      says: ['x-common'],
    },
  },
]

const profile = (title: string, server: JsonObject, binding: JsonObject, sent: JsonObject): RequestCase => ({
  title,
  server,
  binding,
  expect: { calls: [sent] },
})

const profiles: RequestCase[] = [
  profile('takes mcp_args of the defaults', { defaults: { mcp_args: { tenant: 't' } } }, {}, { tenant: 't' }),
  profile(
    'joins mcp_args key by key, the binding over the tool over the defaults',
    { defaults: { mcp_args: { a: 1, b: 1, c: 1 } }, tools: { search: { mcp_args: { b: 2, c: 2 } } } },
    { mcp_args: { c: 3 } },
    { a: 1, b: 2, c: 3 },
  ),
  profile('does not take the profile of another tool', { tools: { other: { mcp_args: { a: 1 } } } }, {}, {}),
  {
    title: 'takes fetch_mode and tool from the defaults',
    server: {
      defaults: { fetch_mode: 'mcp_client', mcp_tool: 'search' },
      tools: { search: { items_path: 'hits' } },
    },
    bindings: { events: { mcp_server: 'scripted' } },
    answers: [{ json: { hits: [{ id: 4 }] } }],
    expect: { ids: ['4'] },
  },
  {
    title: 'lets an adapter of the binding take the place of a format of the profile',
    server: { tools: { search: { response_format: 'csv' } } },
    binding: { response_adapter: 'tabular_text' },
    answers: [{ text: 'Columns: id | x\n---\n5 | a' }],
    expect: { ids: ['5'] },
  },
  {
    ...profile(
      'fills placeholders of a profile with the parameters of the strategy',
      { defaults: { mcp_args: { a: '{{s}}' } } },
      {},
      { a: 'v' },
    ),
    params: { s: {} },
    given: { s: 'v' },
  },
  {
    title: 'refuses a misspelt key in a profile',
    server: { defaults: { timeot: '5s' } },
    expect: {
      exit: 2,
      error: {
        kind: 'config',
        words: ['timeot', 'did you mean', 'timeout'],
        place: /huntfleet\.yaml:\d+:\d+/,
      },
      callCount: 0,
    },
  },
  {
    title: 'refuses a wrong value in a profile',
    server: { tools: { search: { response_format: 'cvs' } } },
    expect: { exit: 2, error: { kind: 'config', words: ['cvs', 'csv', 'huntfleet.yaml'] }, callCount: 0 },
  },
]

const mapping: RequestCase[] = [
  {
    title: 'warns of an override for a table or a semantic that the contract lacks',
    columns: { id: { type: 'BIGINT', semantic: 'host' } },
    files: {
      'binding.yaml': `source_bindings:
  events: { fetch_mode: mcp_client, mcp_server: scripted, mcp_tool: search }
field_overrides:
  host: { evnts: h }
  hots: { events: h }
`,
    },
    expect: { ids: ['1'], says: ['evnts', 'hots'] },
  },
  {
    title: 'reads an unmapped column from the field of its own name',
    columns: { a: 'VARCHAR', b: 'VARCHAR' },
    binding: { field_map: { a: 'x.y' } },
    answers: [{ json: [{ 'x.y': 'exact', x: { y: 'nested' }, b: 'own' }] }],
    expect: { ids: ['exact'] },
  },
  {
    title: 'takes overrides nested either way, and field_map over them',
    columns: { a: { type: 'VARCHAR', semantic: 'host' }, b: { type: 'VARCHAR', semantic: 'user' } },
    files: {
      'binding.yaml': `source_bindings:
  events: { fetch_mode: mcp_client, mcp_server: scripted, mcp_tool: search, field_map: { b: mapped } }
field_overrides:
  host: { events: h }
  events: { user: u }
`,
    },
    answers: [{ json: [{ h: 'from override', u: 'no', mapped: 'yes', a: 'no', b: 'no' }] }],
    expect: { ids: ['from override'] },
  },
]

testRequests({ checks, kinds, profiles, mapping })
