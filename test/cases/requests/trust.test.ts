import type { JsonObject } from '@huntfleet/contract'
import type { Step } from '@huntfleet/testing'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const secret = 'hunter2-s3cr3t/+=key'
const encoded = [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  JSON.stringify(secret).slice(1, -1),
]
const remote = (more: JsonObject): JsonObject => ({
  mcp_servers: { scripted: { remote: { url: '{{URL}}', ...more } } },
})
/** A source that repeats what it should not. */
const echo: Step = { isError: true, text: `bad key ${encoded.join(' or ')}` }

const secrets: RequestCase[] = [
  {
    title: 'sends a bearer token and masks it in every spelling of an error',
    project: remote({ auth: { type: 'bearer', token: { value: secret } } }),
    http: { authorize: (headers) => headers.authorization === `Bearer ${secret}` },
    answers: [echo],
    expect: { exit: 3, outcome: 'failed', unsaid: encoded, error: { words: ['bad key ***'] } },
  },
  {
    title: 'sends a basic password and masks it alone and with its user',
    project: remote({ auth: { type: 'basic', user: 'kim', password: { value: secret } } }),
    answers: [{ isError: true, text: `no ${Buffer.from(`kim:${secret}`).toString('base64')} ${secret}` }],
    expect: { exit: 3, unsaid: [...encoded, Buffer.from(`kim:${secret}`).toString('base64')] },
  },
  {
    title: 'masks a header of a credential',
    project: {
      ...remote({}),
      credentials: { vendor: { headers: { 'X-Key': { value: secret } } } },
    },
    binding: { config_key: 'vendor' },
    http: { authorize: (headers) => headers['x-key'] === secret },
    answers: [echo],
    expect: { exit: 3, outcome: 'failed', unsaid: encoded },
  },
  {
    title: 'fills a secret into arguments only when it calls, and masks it',
    project: { secrets: { API: { value: secret } } },
    binding: { mcp_args: { key: '{{ secret.API }}', q: 'k={{secret.API}};' } },
    answers: [echo],
    expect: { exit: 3, calls: [{ key: secret, q: `k=${secret};` }], unsaid: encoded },
  },
  {
    title: 'does not show a secret in a plan',
    command: 'plan',
    project: { secrets: { API: { value: secret } } },
    binding: { mcp_args: { key: '{{ secret.API }}' } },
    expect: { says: ['secret.api'], unsaid: encoded, callCount: 0 },
  },
  {
    title: 'never alters rows that hold a secret',
    columns: { v: 'VARCHAR' },
    project: { secrets: { API: { value: secret } } },
    binding: { mcp_args: { key: '{{secret.API}}' } },
    answers: [{ json: [{ v: `row with ${secret}` }] }],
    expect: { ids: [`row with ${secret}`], unsaid: encoded },
  },
  {
    title: 'fails with exit 2 for a secret that the project lacks',
    binding: { mcp_args: { key: '{{secret.API}}' } },
    expect: { exit: 2, outcome: 'failed', error: { kind: 'config', words: ['secret.API'] }, callCount: 0 },
  },
  {
    title: 'fails with exit 2 for a secret whose variable is not set',
    project: remote({ auth: { type: 'bearer', token: { env: 'HF_CASE_UNSET' } } }),
    expect: {
      exit: 2,
      outcome: 'failed',
      error: { code: 'SECRET_UNSET', words: ['HF_CASE_UNSET'] },
      callCount: 0,
    },
  },
  {
    title: 'reads a secret from a file beside the project file, without its line end',
    project: { secrets: { API: { file: 'key.txt' } } },
    files: { 'key.txt': `${secret}\n` },
    binding: { mcp_args: { key: '{{secret.API}}' } },
    expect: { calls: [{ key: secret }] },
  },
  {
    title: 'expands a variable in the value of a secret',
    project: { secrets: { API: { value: `$\{HF_CASE_KEY}` } } },
    env: { HF_CASE_KEY: secret },
    binding: { mcp_args: { key: '{{secret.API}}' } },
    answers: [echo],
    expect: { exit: 3, calls: [{ key: secret }], unsaid: encoded },
  },
  {
    title: 'refuses a secret with two sources',
    project: { secrets: { API: { value: 'x', env: 'Y' } } },
    expect: { exit: 2, error: { words: ['exactly one of value, env, file'] }, callCount: 0 },
  },
  {
    title: 'masks a secret in a preview that fails',
    command: 'preview',
    project: remote({ auth: { type: 'bearer', token: { value: secret } } }),
    answers: [echo],
    expect: { exit: 3, unsaid: encoded },
  },
  {
    title: 'masks a variable in the address of a server that cannot be reached',
    project: { mcp_servers: { scripted: { remote: { url: `http://127.0.0.1:9/$\{HF_CASE_PATH}/mcp` } } } },
    env: { HF_CASE_PATH: 'hidden-path-0815' },
    binding: { retry: { attempts: 1 } },
    expect: { exit: 3, outcome: 'failed', unsaid: ['hidden-path-0815'] },
  },
]

const credentials: RequestCase[] = [
  {
    title: 'refuses a credential for a server that it may not go to',
    project: {
      ...remote({}),
      credentials: { vendor: { servers: ['other'], headers: { 'X-Key': { value: secret } } } },
    },
    binding: { config_key: 'vendor' },
    expect: { exit: 2, error: { kind: 'config', words: ['vendor', 'scripted', 'other'] }, callCount: 0 },
  },
  {
    title: 'refuses a credential without servers where there are two',
    project: {
      mcp_servers: {
        scripted: { remote: { url: '{{URL}}' } },
        other: { remote: { url: 'http://127.0.0.1:9/' } },
      },
      credentials: { vendor: { headers: { 'X-Key': { value: secret } } } },
    },
    binding: { config_key: 'vendor' },
    expect: { exit: 2, error: { kind: 'config', words: ['credentials.vendor', 'servers'] }, callCount: 0 },
  },
  {
    title: 'refuses to send a credential over http to another machine',
    project: {
      mcp_servers: {
        scripted: {
          remote: { url: 'http://mcp.example/mcp', auth: { type: 'bearer', token: { value: secret } } },
        },
      },
    },
    expect: { exit: 2, outcome: 'failed', error: { kind: 'config' }, unsaid: encoded },
  },
  {
    title: 'does not follow a redirect to another origin',
    answers: [{ redirect: 'http://127.0.0.1:9/mcp' }],
    expect: { exit: 2, outcome: 'failed', error: { kind: 'config' } },
  },
]

const annotated = (annotations: JsonObject) => ({
  tools: [{ name: 'search', annotations }],
  script: { search: [{ json: [{ id: 1 }] }] },
})

const policies: RequestCase[] = [
  {
    title: 'refuses a tool that says that it writes',
    answers: annotated({ readOnlyHint: false }),
    expect: {
      exit: 2,
      outcome: 'failed',
      error: { code: 'TOOL_REFUSED', words: ['search', 'allow_writes'] },
      callCount: 0,
    },
  },
  {
    title: 'calls a tool that writes where the server allows it',
    server: { allow_writes: ['search'] },
    answers: annotated({ readOnlyHint: false }),
    expect: { ids: ['1'] },
  },
  {
    title: 'notes that a server does not say whether a tool only reads',
    expect: { ids: ['1'], notes: ['search only reads'] },
  },
  {
    title: 'refuses a tool that tool_policy denies',
    server: { tool_policy: { deny: ['search'] } },
    expect: {
      exit: 2,
      outcome: 'failed',
      error: { code: 'TOOL_REFUSED', words: ['tool_policy'] },
      callCount: 0,
    },
  },
  {
    title: 'refuses a tool that allow_only does not list',
    server: { tool_policy: { allow_only: ['list'] } },
    expect: { exit: 2, outcome: 'failed', error: { code: 'TOOL_REFUSED', words: ['list'] }, callCount: 0 },
  },
  {
    title: 'refuses a next_tool that writes before any call',
    binding: {
      items_path: 'r',
      pagination: { mode: 'cursor', cursor_param: 'c', next_cursor_path: 'n', next_tool: 'drop' },
    },
    answers: {
      tools: [{ name: 'search' }, { name: 'drop', annotations: { readOnlyHint: false } }],
      script: { search: [{ json: { r: [{ id: 1 }], n: 'x' } }], drop: [{ json: { r: [] } }] },
    },
    expect: { exit: 2, error: { code: 'TOOL_REFUSED', words: ['drop'] }, callCount: 0 },
  },
  {
    title: 'refuses a misspelt tool_policy',
    server: { tool_policy: { allow_onyl: ['search'] } },
    expect: { exit: 2, error: { words: ['allow_onyl', 'allow_only'] }, callCount: 0 },
  },
]

/** ESC, BEL, CSI as one character, backspace, and a line that would be overwritten. */
const controls = '\u001b[2J\u0007\u009b31m\b\rgone'
const anyControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

const hostile: RequestCase[] = [
  ...(['run', 'preview', 'plan'] as const).map(
    (command): RequestCase => ({
      title: `escapes control characters of answers, notes and parameters in what ${command} shows to people`,
      ...(command !== 'run' && { command }),
      plain: true,
      columns: { v: 'VARCHAR' },
      params: { s: {} },
      given: { s: controls },
      binding: { mcp_args: { s: '{{s}}' }, response_format: 'csv' },
      answers: [{ text: `v,w\n${controls.replace('\r', '')},1\n2\n` }],
      expect: { unsaid: [anyControl] },
    }),
  ),
  {
    title: 'escapes control characters of an error that people see',
    plain: true,
    answers: [{ isError: true, text: `no ${controls}` }],
    expect: { exit: 3, says: ['no '], unsaid: [anyControl] },
  },
  {
    title: 'escapes control characters of file names and keys that people see',
    plain: true,
    command: 'validate',
    files: { 'binding.yaml': 'source_bindings: { "ev\\e[2Jents": { fetch_mode: "\\a" } }\n' },
    expect: { exit: 2, unsaid: [anyControl] },
  },
  {
    title: 'tells names of members of objects from tables, columns, parameters and arguments',
    columns: { constructor: 'BIGINT', toString: 'VARCHAR', valueOf: 'VARCHAR' },
    params: { toString: {}, constructor: { default: 'c' } },
    given: { toString: 'v' },
    tables: { constructor: { optional: true, columns: { id: 'BIGINT' } } },
    binding: { mcp_args: { hasOwnProperty: '{{toString}}', constructor: '{{constructor}}' } },
    answers: [{ json: [{ constructor: 5 }] }],
    expect: {
      ids: ['5'],
      outcomes: { events: 'complete', constructor: 'skipped' },
      calls: [{ hasOwnProperty: 'v', constructor: 'c' }],
    },
  },
  {
    title: 'leaves out a table named like a member of objects with --table',
    tables: { constructor: { optional: true, columns: { id: 'BIGINT' } } },
    args: ['--table', 'events'],
    expect: {
      ids: ['1'],
      manifest: ({ tables }) => {
        if (Object.keys(tables).join() !== 'events') throw new Error(Object.keys(tables).join())
      },
    },
  },
  {
    title: 'escapes control characters of an error',
    answers: [{ isError: true, text: `no ${controls}` }],
    expect: { exit: 3, outcome: 'failed', unsaid: [anyControl] },
  },
  {
    title: 'escapes control characters of a key that a message names',
    binding: { items_path: 'hits' },
    answers: [{ json: { [`rows${controls}`]: [] } }],
    expect: { exit: 4, outcome: 'failed', unsaid: [anyControl] },
  },
  {
    title: 'escapes control characters of tool names',
    binding: { mcp_tool: 'find' },
    answers: { tools: [{ name: `search${controls}` }], script: {} },
    expect: { exit: 2, outcome: 'failed', unsaid: [anyControl] },
  },
  {
    title: 'escapes control characters of parameters in the manifest',
    params: { s: {} },
    given: { s: controls },
    binding: { mcp_args: { s: '{{s}}' } },
    expect: { calls: [{ s: controls }], unsaid: [anyControl] },
  },
  {
    title: 'escapes control characters of rows in a preview',
    command: 'preview',
    columns: { v: 'VARCHAR' },
    answers: [{ json: [{ v: controls }] }],
    expect: { unsaid: [anyControl] },
  },
  {
    title: 'keeps control characters of rows',
    columns: { v: 'VARCHAR' },
    answers: [{ json: [{ v: `${controls}\u0000🕵` }] }],
    expect: { ids: [`${controls}\u0000🕵`] },
  },
  {
    title: 'does not take a hostile regular expression long',
    binding: { error_when: [{ text: '(a+)+$' }, { text: '(a|aa)+b' }] },
    answers: [{ text: ['[{"id": 1}]', `${'a'.repeat(100_000)}!`] }],
    expect: { ids: ['1'], within: 15_000 },
  },
  {
    title: 'refuses a table whose name would build a path',
    files: {
      'contract.yaml':
        'name: case\ndescription: d\ntags: [t]\nrequires: { tables: { "a/../b": { columns: { id: BIGINT } } } }\n',
    },
    expect: { exit: 2, error: { words: ['a/../b', 'at most 64'] }, callCount: 0 },
  },
  {
    title: 'refuses a strategy whose name would build a path',
    files: {
      'contract.yaml':
        'name: ../evil\ndescription: d\ntags: [t]\nrequires: { tables: { events: { columns: { id: BIGINT } } } }\n',
    },
    expect: { exit: 2, error: { words: ['../evil', 'contract.yaml'] }, callCount: 0 },
  },
]

testRequests({ secrets, credentials, 'tool policies': policies, 'hostile input': hostile })
