import type { JsonObject } from '@huntfleet/contract'
import type { Step } from '@huntfleet/testing'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const row: Step = { json: [{ id: 1 }] }
const pageTwo: JsonObject = { pagination: { mode: 'offset', page_size: 2, offset_param: 'skip' } }
const firstPage: Step = { when: { skip: 0 }, json: [{ id: 1 }, { id: 2 }] }

/** One failure, then a row. */
const passing = (title: string, failure: Step, binding: JsonObject = {}): RequestCase => ({
  title: `tries again after ${title}`,
  binding,
  answers: [{ times: 1, ...failure }, row],
  expect: { ids: ['1'], callCount: 2, retries: 1 },
})

/** A failure that is final. */
const final = (
  title: string,
  failure: Step,
  exit: number,
  error: RequestCase['expect']['error'],
  binding: JsonObject = {},
): RequestCase => ({
  title: `does not try again after ${title}`,
  binding,
  answers: [failure],
  expect: { exit, outcome: 'failed', callCount: 1, retries: 0, ...(error !== undefined && { error }) },
})

const text = (words: string): Step => ({ isError: true, text: words })

const transient: RequestCase[] = [
  passing('JSON-RPC -32603', { rpcError: { code: -32603, message: 'Internal error' } }),
  passing('JSON-RPC -32001', { rpcError: { code: -32001, message: 'Request timed out' } }),
  passing('HTTP 500', { httpStatus: 500, text: 'oops' }),
  passing('HTTP 502', { httpStatus: 502, text: '<html>Bad Gateway</html>' }),
  passing('HTTP 503', { httpStatus: 503 }),
  passing('HTTP 504', { httpStatus: 504 }),
  passing('HTTP 429', { httpStatus: 429 }),
  passing('a dropped connection', { fault: 'drop_socket' }),
  passing('an answer that is cut off', { fault: 'cut_body' }),
  passing('a lost session', { fault: 'lose_session' }),
  passing('a session that the server does not know', { fault: 'session_not_found' }),
  passing('"rate limit exceeded"', text('Rate limit exceeded for tenant 7')),
  passing('"too many requests"', text('Error: 429 Too Many Requests')),
  passing('"throttled"', text('ThrottlingException: Request was throttled')),
  passing('a time-out in words', text('upstream request timed out')),
  passing('"503 Service Unavailable"', text('HTTP 503 Service Unavailable')),
  passing('"connection refused"', text('connect ECONNREFUSED 10.0.0.1:9200')),
  passing('a rate limit in a payload', { json: { error: { code: 429, message: 'rate limited' } } }),
  passing(
    'a rate limit in an error payload beside an items_path',
    { json: { message: 'API rate limit exceeded' } },
    { items_path: 'hits' },
  ),
  passing(
    'an error_when of class transient',
    { json: { state: 'busy', hits: [] } },
    { items_path: 'hits[0]', error_when: [{ path: 'state', equals: 'busy', class: 'transient' }] },
  ),
  passing('an event stream that ends without the answer', { fault: 'end_stream' }),
  passing('a 404 inside a session', { httpStatus: 404, text: 'Session not found' }),
  passing('a 400 that tells of the session', { httpStatus: 400, text: 'Bad Request: no valid session ID' }),
  passing('a 403 that names a rate limit', { httpStatus: 403, text: 'API rate limit exceeded for user' }),
  passing('HTTP 408', { httpStatus: 408 }),
  passing(
    'an error_when of class rate_limited',
    { json: { code: 88, wait: 'please', hits: [] } },
    { items_path: 'hits', error_when: [{ path: 'code', equals: 88, class: 'rate_limited' }] },
  ),
  {
    title: 'makes four attempts by default',
    answers: [{ httpStatus: 500 }],
    expect: { exit: 3, outcome: 'failed', callCount: 4, retries: 3, error: { kind: 'transient' } },
  },
  {
    title: 'makes as many attempts as retry.attempts says',
    binding: { retry: { attempts: 2, base: '5ms' } },
    answers: [{ httpStatus: 500 }],
    expect: { exit: 3, outcome: 'failed', callCount: 2 },
  },
  {
    title: 'makes one attempt with retry.attempts 1',
    binding: { retry: { attempts: 1 } },
    answers: [{ httpStatus: 500 }],
    expect: { exit: 3, outcome: 'failed', callCount: 1, retries: 0 },
  },
  {
    title: 'counts attempts anew for each page',
    binding: pageTwo,
    answers: [
      { when: { skip: 0 }, times: 3, httpStatus: 500 },
      firstPage,
      { when: { skip: 2 }, times: 3, httpStatus: 500 },
      { when: { skip: 2 }, json: [{ id: 3 }] },
    ],
    expect: { ids: ['1', '2', '3'], callCount: 8, retries: 6 },
  },
  {
    title: 'keeps the rows so far when a later page fails in the end',
    binding: pageTwo,
    answers: [firstPage, { rpcError: { code: -32603, message: 'shard 3 is down' } }],
    expect: {
      exit: 5,
      outcome: 'page_error',
      ids: ['1', '2'],
      callCount: 5,
      error: { kind: 'transient', words: ['shard 3 is down'] },
    },
  },
  {
    title: 'stores no row of a page that failed once twice',
    binding: { ...pageTwo, timeout: '250ms' },
    answers: [
      { when: { skip: 0 }, times: 1, delayMs: 600, json: [{ id: 1 }, { id: 2 }] },
      firstPage,
      { json: [{ id: 3 }] },
    ],
    expect: { ids: ['1', '2', '3'], callCount: 3, retries: 1 },
  },
  {
    title: 'fails with exit 3 where nothing listens',
    server: { remote: { url: 'http://127.0.0.1:9/mcp' } },
    expect: { exit: 3, outcome: 'failed', error: { kind: 'transient' }, callCount: 0 },
  },
]

const waits: RequestCase[] = [
  {
    title: 'waits for Retry-After in seconds',
    answers: [{ times: 1, httpStatus: 429, headers: { 'retry-after': '1' } }, row],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 1000 } },
  },
  {
    title: 'waits for Retry-After of a 503',
    answers: [{ times: 1, httpStatus: 503, headers: { 'retry-after': '1' } }, row],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 1000 } },
  },
  {
    title: 'waits until a date in Retry-After',
    answers: [
      { times: 1, httpStatus: 429, headers: { 'retry-after': new Date(Date.now() + 20_000).toUTCString() } },
      row,
    ],
    binding: { budget: '1s' },
    expect: { exit: 5, outcome: 'time_budget', ids: [], callCount: 1 },
  },
  {
    title: 'waits for retry_after in an error payload',
    answers: [{ times: 1, isError: true, json: { error: 'rate limited', retry_after: 0.8 } }, row],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 800 } },
  },
  {
    title: 'waits for retry_after in the data of a JSON-RPC error',
    answers: [
      { times: 1, rpcError: { code: -32000, message: 'rate limited', data: { retry_after: 0.6 } } },
      row,
    ],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 600 } },
  },
  {
    title: 'waits for retry_after in the body of a 429',
    answers: [{ times: 1, httpStatus: 429, text: '{"error":"slow down","retry_after":0.7}' }, row],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 700 } },
  },
  {
    title: 'never waits shorter than its own back-off for a Retry-After of nought',
    answers: [{ times: 1, httpStatus: 429, headers: { 'retry-after': '0' } }, row],
    expect: { ids: ['1'], callCount: 2 },
  },
  {
    title: 'passes over a Retry-After that is neither a number nor a date',
    answers: [{ times: 1, httpStatus: 429, headers: { 'retry-after': 'soon' } }, row],
    expect: { ids: ['1'], callCount: 2, within: 5_000 },
  },
  {
    title: 'waits as long as words ask for',
    answers: [{ times: 1, ...text('Too many requests, retry after 500 ms') }, row],
    expect: { ids: ['1'], callCount: 2, waits: { 1: 500 } },
  },
  {
    title: 'does not wait for a Retry-After in the past',
    answers: [
      { times: 1, httpStatus: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } },
      row,
    ],
    expect: { ids: ['1'], callCount: 2, within: 5_000 },
  },
  {
    title: 'ends a wait that is longer than the budget with it',
    binding: { ...pageTwo, budget: '700ms' },
    answers: [firstPage, { httpStatus: 429, headers: { 'retry-after': '3600' } }],
    expect: { exit: 5, outcome: 'time_budget', ids: ['1', '2'], callCount: 2, within: 6_000 },
  },
  {
    title: 'keeps to calls_per_minute',
    server: { limits: { calls_per_minute: 120 } },
    binding: pageTwo,
    answers: [firstPage, { when: { skip: 2 }, json: [{ id: 3 }, { id: 4 }] }, { json: [] }],
    expect: { ids: ['1', '2', '3', '4'], callCount: 3 },
  },
]

const finals: RequestCase[] = [
  final('HTTP 401', { httpStatus: 401, text: 'no token' }, 3, { kind: 'denied' }),
  final('HTTP 400', { httpStatus: 400, text: 'no such argument' }, 2, {
    kind: 'config',
    words: ['no such argument'],
  }),
  final('HTTP 413', { httpStatus: 413 }, 4, { kind: 'data' }),
  final('an answer that is no JSON-RPC', { fault: 'not_json' }, 4, { kind: 'data' }),
  final('HTTP 403', { httpStatus: 403, text: 'no' }, 3, { kind: 'denied' }),
  final('"forbidden"', text('403 Forbidden: role reader may not search'), 3, {
    kind: 'denied',
    words: ['role reader'],
  }),
  final('"permission denied"', text('permission denied for table alerts'), 3, { kind: 'denied' }),
  final('"invalid API key"', text('Invalid API key provided'), 3, { kind: 'denied' }),
  final('a denial in a payload', { json: { error: { status: 401, message: 'Unauthorized' } } }, 3, {
    kind: 'denied',
  }),
  final('the tool’s own words', text('parsing_exception: line 1:5 mismatched input'), 3, {
    kind: 'tool',
    words: ['mismatched input'],
  }),
  final('an isError without words', { isError: true, text: '' }, 3, { kind: 'tool' }),
  final('JSON-RPC -32602', { rpcError: { code: -32602, message: 'Invalid params: q is required' } }, 2, {
    kind: 'config',
    words: ['q is required'],
  }),
  final('words of an input validation', text('Input validation error: unrecognized key "q"'), 2, {
    kind: 'config',
  }),
  final('a body that is no JSON', { text: 'Here are your rows, my friend.' }, 4, { kind: 'data' }),
  final(
    'items_path that is not there',
    { json: { results: [], page: 1 } },
    4,
    { kind: 'data', words: ['hits', 'results'] },
    { items_path: 'hits' },
  ),
  final(
    'an error_when of its own',
    { json: { state: 'broken', hits: [{ id: 1 }] } },
    3,
    { kind: 'tool', words: ['broken'] },
    { items_path: 'hits', error_when: [{ path: 'state', not_in: ['ok'] }] },
  ),
  final(
    'an error_when of class denied',
    { json: { locked: true } },
    3,
    { kind: 'denied' },
    { error_when: [{ path: 'locked', exists: true, class: 'denied' }] },
  ),
  final('success: false', { json: { success: false, message: 'no index' } }, 3, {
    kind: 'tool',
    words: ['no index'],
  }),
  final('a login page', { fault: 'html' }, 2, {}),
  {
    title: 'ends with what came when a later page is denied',
    binding: pageTwo,
    answers: [firstPage, { httpStatus: 403, text: 'window closed' }],
    expect: { exit: 5, outcome: 'page_error', ids: ['1', '2'], callCount: 2, error: { kind: 'denied' } },
  },
  {
    title: 'does not take rate-limit words inside rows for a rate limit',
    columns: { msg: 'VARCHAR' },
    answers: [{ json: [{ msg: 'rate limit exceeded, retry after 60' }, { msg: '403 forbidden' }] }],
    expect: { ids: ['rate limit exceeded, retry after 60', '403 forbidden'], callCount: 1 },
  },
  {
    title: 'does not take trigger words inside csv rows for anything',
    columns: { msg: 'VARCHAR' },
    binding: { response_format: 'csv' },
    answers: [{ text: 'msg\nToo many requests\n... and 5 more rows\nAccess denied\n' }],
    expect: { ids: ['Too many requests', '... and 5 more rows', 'Access denied'], callCount: 1 },
  },
  {
    title: 'does not take a row with a column named error for an error',
    columns: { error: 'VARCHAR' },
    binding: { items_path: 'hits' },
    answers: [{ json: { hits: [{ error: 'HTTP 429' }] } }],
    expect: { ids: ['HTTP 429'], callCount: 1 },
  },
]

const times: RequestCase[] = [
  {
    title: 'ends a call at its timeout and tries again',
    binding: { timeout: '200ms' },
    answers: [{ times: 1, hang: true }, row],
    expect: { ids: ['1'], callCount: 2, retries: 1 },
  },
  {
    title: 'fails when every call hangs',
    binding: { timeout: '100ms', retry: { attempts: 2, base: '5ms' } },
    answers: [{ hang: true }],
    expect: { exit: 3, outcome: 'failed', callCount: 2, error: { code: 'SOURCE_TIMEOUT' }, within: 8_000 },
  },
  {
    title: 'ends a hanging call with the budget, with an empty file',
    binding: { budget: '400ms' },
    answers: [{ hang: true }],
    expect: { exit: 5, outcome: 'time_budget', ids: [], callCount: 1, within: 8_000 },
  },
  {
    title: 'keeps the pages that came within the budget',
    binding: { ...pageTwo, budget: '900ms' },
    answers: [firstPage, { hang: true }],
    expect: { exit: 5, outcome: 'time_budget', ids: ['1', '2'], callCount: 2, within: 8_000 },
  },
  {
    title: 'lets progress extend the timeout of a call where the server is configured so',
    server: { progress_extends: true },
    binding: { timeout: '400ms' },
    http: { answer: 'sse' },
    answers: [{ progress: { times: 10, everyMs: 100 }, json: [{ id: 1 }] }],
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'does not let progress extend a call past the budget',
    server: { progress_extends: true },
    binding: { timeout: '400ms', budget: '800ms' },
    http: { answer: 'sse' },
    answers: [{ progress: { times: 60, everyMs: 100 }, json: [{ id: 1 }] }],
    expect: { exit: 5, outcome: 'time_budget', ids: [], within: 5_000 },
  },
  {
    title: 'takes the default budget from HUNTFLEET_BUDGET',
    env: { HUNTFLEET_BUDGET: '500ms' },
    answers: [{ hang: true }],
    expect: { exit: 5, outcome: 'time_budget', ids: [] },
  },
  {
    title: 'refuses a HUNTFLEET_BUDGET without a unit',
    env: { HUNTFLEET_BUDGET: '300' },
    expect: { exit: 2, error: { words: ['HUNTFLEET_BUDGET', '300'] }, callCount: 0 },
  },
]

const processes: RequestCase[] = [
  {
    title: 'starts a server again that ends in the middle of a call',
    transport: 'stdio',
    binding: pageTwo,
    answers: [
      { when: { skip: 0 }, exitAfter: 0, json: [{ id: 1 }, { id: 2 }] },
      { when: { skip: 2 }, json: [{ id: 3 }] },
    ],
    expect: { ids: ['1', '2', '3'] },
  },
  {
    title: 'fails with exit 3 and the last words of a server that always ends',
    transport: 'stdio',
    binding: { retry: { attempts: 2, base: '5ms' } },
    answers: [{ stderr: 'panic: out of cheese\n', exit: 7 }],
    expect: {
      exit: 3,
      outcome: 'failed',
      callCount: 2,
      error: { kind: 'transient', words: ['out of cheese'] },
    },
  },
  {
    title: 'passes over a banner on stdout',
    transport: 'stdio',
    answers: { tools: [{ name: 'search' }], process: { banner: '🚀 ready!' }, script: { search: [row] } },
    expect: { ids: ['1'] },
  },
  {
    title: 'fails with exit 2 where the command does not exist',
    project: { mcp_servers: { scripted: { local: { command: 'no-such-program-here' } } } },
    expect: { exit: 2, outcome: 'failed', error: { kind: 'config', words: ['no-such-program-here'] } },
  },
  {
    title: 'fails with exit 2 for a tool that the server lacks, and names those it has',
    binding: { mcp_tool: 'serach' },
    answers: { tools: [{ name: 'search' }, { name: 'list' }], script: {} },
    expect: {
      exit: 2,
      outcome: 'failed',
      error: { code: 'TOOL_UNKNOWN', words: ['serach', 'did you mean search', 'list'] },
      callCount: 0,
    },
  },
  {
    title: 'finds a tool on a later page of the list',
    binding: { mcp_tool: 'c' },
    answers: { tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], toolsPerPage: 1, script: { c: [row] } },
    expect: { ids: ['1'], tools: ['c'] },
  },
]

testRequests({ 'transient failures': transient, waits, 'final failures': finals, times, processes })
