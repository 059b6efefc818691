import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

const projectFile = (text: string) => ({ 'huntfleet.yaml': text })
const refused = (title: string, text: string, ...words: string[]): RequestCase => ({
  title,
  files: projectFile(text),
  expect: { exit: 2, error: { kind: 'config', words: [...words, 'huntfleet.yaml'] }, callCount: 0 },
})
const accepted = (title: string, text: string, ...says: string[]): RequestCase => ({
  title,
  files: projectFile(text),
  expect: { ids: ['1'], says },
})
const server = 'mcp_servers: { scripted: { remote: { url: "{{URL}}" } } }\n'

const keys: RequestCase[] = [
  accepted(
    'warns of an unknown key and guesses which was meant',
    `${server}strategeis: x\n`,
    'strategeis',
    'did you mean "strategies"',
  ),
  refused(
    'refuses an unknown key of a server',
    'mcp_servers: { scripted: { remote: { url: "{{URL}}" }, limts: {} } }',
    'limts',
    'limits',
  ),
  refused(
    'refuses an unknown key of remote',
    'mcp_servers: { scripted: { remote: { url: "{{URL}}", header: {} } } }',
    'header',
    'headers',
  ),
  refused('refuses an unknown key of storage', `${server}storage: { ulr: x }\n`, 'ulr', 'url'),
  refused(
    'refuses an unknown key of a credential',
    `${server}credentials: { c: { header: {} } }\n`,
    'header',
    'headers',
  ),
  refused('refuses an unknown key of dashboard', `${server}dashboard: { prot: 1 }\n`, 'prot', 'port'),
  refused(
    'refuses an unknown auth type and lists the known',
    'mcp_servers: { scripted: { remote: { url: "{{URL}}", auth: { type: token } } } }',
    'token',
    'bearer',
  ),
  refused(
    'refuses a server that is neither remote nor local',
    'mcp_servers: { scripted: {} }',
    'scripted',
    'remote',
    'local',
  ),
  refused(
    'refuses a server that is both',
    'mcp_servers: { scripted: { remote: { url: "{{URL}}" }, local: { command: x } } }',
    'scripted',
    'either',
  ),
  refused(
    'refuses a server name that would build a path',
    'mcp_servers: { "../x": { remote: { url: "{{URL}}" } } }',
    '../x',
  ),
  refused(
    'refuses oauth without issuer or token_url',
    'mcp_servers: { scripted: { remote: { url: "{{URL}}", auth: { type: oauth, client_id: a, client_secret: { value: b } } } } }',
    'issuer',
    'token_url',
  ),
  refused('refuses a layout without the run id', `${server}storage: { layout: "t={table}" }\n`, '{run_id}'),
  refused('refuses a layout without the table', `${server}storage: { layout: "r={run_id}" }\n`, '{table}'),
  accepted(
    'takes the nesting mcp_servers.servers',
    'mcp_servers: { servers: { scripted: { remote: { url: "{{URL}}" } } } }',
  ),
  accepted(
    'takes a server that is called servers beside others',
    'mcp_servers: { servers: { remote: { url: "http://127.0.0.1:9" } }, scripted: { remote: { url: "{{URL}}" } } }',
  ),
  {
    title: 'writes files by the layout',
    files: projectFile(`${server}storage: { layout: "x/{run_id}/{strategy}/{table}" }\n`),
    expect: {
      manifest: ({ tables, run_id }) => {
        if (tables['events']?.path?.startsWith(`x/${run_id}/case/events/`) !== true)
          throw new Error(String(tables['events']?.path))
      },
    },
  },
]

const variables: RequestCase[] = [
  {
    title: 'expands variables and defaults in a server',
    env: { HF_CASE_TENANT: 'blue' },
    files: projectFile(
      `mcp_servers: { scripted: { remote: { url: "{{URL}}", headers: { X-A: "t-$\{HF_CASE_TENANT}", X-B: "$\{HF_CASE_NONE:-none}" } } } }\n`,
    ),
    http: { authorize: (headers) => headers['x-a'] === 't-blue' && headers['x-b'] === 'none' },
    expect: { ids: ['1'] },
  },
  {
    title: 'fails for a variable that is not set, and names it and its place',
    files: projectFile(
      `mcp_servers: { scripted: { remote: { url: "{{URL}}", headers: { X-A: "$\{HF_CASE_NONE}" } } } }\n`,
    ),
    expect: {
      exit: 2,
      error: { kind: 'config', words: ['HF_CASE_NONE', 'mcp_servers.scripted'] },
      callCount: 0,
    },
  },
  {
    title: 'does not ask for the variables of a server that is not used',
    files: projectFile(
      `mcp_servers: { scripted: { remote: { url: "{{URL}}" } }, other: { remote: { url: "$\{HF_CASE_NONE}" } } }\n`,
    ),
    expect: { ids: ['1'] },
  },
  {
    title: 'warns of a variable in a profile, which is sent as it is written',
    files: projectFile(
      `mcp_servers: { scripted: { remote: { url: "{{URL}}" }, defaults: { mcp_args: { space: "$\{HF_CASE_SPACE}" } } } }\n`,
    ),
    expect: {
      calls: [{ space: `$\{HF_CASE_SPACE}` }],
      says: ['mcp_servers.scripted.defaults.mcp_args.space', '{{secret.name}}'],
    },
  },
  {
    title: 'does not let the value of a variable change the structure of the file',
    env: { HF_CASE_EVIL: 'x"\n  evil: { a: 1 }\n# ' },
    files: projectFile(`${server}secrets: { S: { value: "$\{HF_CASE_EVIL}" } }\n`),
    binding: { mcp_args: { s: '{{secret.S}}' } },
    expect: { calls: [{ s: 'x"\n  evil: { a: 1 }\n# ' }] },
  },
]

const entry = '{ fetch_mode: mcp_client, mcp_server: scripted, mcp_tool: search'
const binding = (text: string) => ({ 'binding.yaml': text })
const broken = (title: string, text: string, ...words: string[]): RequestCase => ({
  title,
  files: binding(text),
  expect: {
    exit: 2,
    error: { kind: 'config', words: ['binding.yaml', ...words] },
    callCount: 0,
    within: 10_000,
  },
})
/** Each anchor holds the one before nine times. */
const aliasBomb = `a0: &a0 [x]\n${Array.from(
  { length: 12 },
  (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join(', ')}]\n`,
).join('')}`

const yaml: RequestCase[] = [
  broken(
    'refuses a key that stands twice',
    `source_bindings:\n  events: ${entry} }\n  events: ${entry} }\n`,
    'events',
    'twice',
  ),
  broken(
    'refuses a key that stands twice in a flow map',
    `source_bindings: { events: ${entry}, mcp_tool: other } }`,
    'mcp_tool',
  ),
  broken('refuses an alias bomb', aliasBomb),
  broken(
    'refuses an anchor that holds itself',
    `source_bindings: { events: ${entry}, mcp_args: &a { x: *a } } }`,
  ),
  broken('refuses an alias without its anchor', `source_bindings: { events: *nope }`, 'nope'),
  broken(
    'refuses a second document',
    `source_bindings: { events: ${entry} } }\n---\nsource_bindings: {}\n`,
    'document',
  ),
  broken('refuses tabs for indentation', `source_bindings:\n\tevents: ${entry} }\n`),
  broken('refuses a quote that nothing closes', `source_bindings: { events: "x\n`),
  broken('refuses a million brackets', '['.repeat(1_000_000), 'deep'),
  broken('refuses nesting by dashes', `${'- '.repeat(5_000)}x`, 'deep'),
  broken('refuses a file of megabytes', `# ${'x'.repeat(3 << 20)}\n`, 'mib'),
  broken(
    'refuses infinity in arguments',
    `source_bindings: { events: ${entry}, mcp_args: { x: .inf } } }`,
    'mcp_args',
  ),
  broken(
    'refuses 1e999 in arguments',
    `source_bindings: { events: ${entry}, mcp_args: { x: 1e999 } } }`,
    'mcp_args',
  ),
  broken(
    'refuses integers beyond 2^53 in arguments',
    `source_bindings: { events: ${entry}, mcp_args: { x: 9007199254740993 } } }`,
    'mcp_args.x',
    'quotes',
  ),
  broken(
    'refuses a key __proto__',
    `source_bindings: { events: ${entry}, mcp_args: { __proto__: { x: 1 } } } }`,
    '__proto__',
  ),
  broken('refuses a tag', `source_bindings: { events: ${entry}, mcp_args: { x: !!binary aGk= } } }`, 'tag'),
  {
    title: 'reads anchors and merges, the own key over the merged one',
    files: binding(
      `source_bindings:\n  events:\n    <<: [&b ${entry} }, { mcp_tool: other, timeout: 5s }]\n    mcp_args: { x: 1 }\n`,
    ),
    expect: { ids: ['1'], calls: [{ x: 1 }] },
  },
  {
    title: 'reads a file with a BOM and CRLF',
    files: binding(`\ufeffsource_bindings:\r\n  events: ${entry} }\r\n`),
    expect: { ids: ['1'] },
  },
  {
    title: 'reads one anchor two hundred times',
    files: binding(
      `x: &v 5\nsource_bindings: { events: ${entry}, mcp_args: { l: [${'*v, '.repeat(200)}*v] } } }`,
    ),
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'keeps block texts with their line ends',
    files: binding(
      `source_bindings:\n  events:\n    fetch_mode: mcp_client\n    mcp_server: scripted\n    mcp_tool: search\n    query_template: |\n      select *\n      from t\n`,
    ),
    expect: { calls: [{ query: 'select *\nfrom t\n' }] },
  },
]

const contracts: RequestCase[] = (
  [
    [
      'refuses a contract without tags',
      'name: case\ndescription: d\nrequires: { tables: { events: { columns: { id: BIGINT } } } }',
      'tags',
    ],
    [
      'refuses a contract without a description',
      'name: case\ntags: [a]\nrequires: { tables: { events: { columns: { id: BIGINT } } } }',
      'description',
    ],
    [
      'refuses an empty list of tags',
      'name: case\ndescription: d\ntags: []\nrequires: { tables: { events: { columns: { id: BIGINT } } } }',
      'tag',
    ],
    [
      'refuses a name with capitals',
      'name: Case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: { id: BIGINT } } } }',
      'Case',
    ],
    [
      'refuses an unknown column type and lists the known',
      'name: case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: { id: BIGINTEGER } } } }',
      'BIGINTEGER',
    ],
    [
      'refuses a column name with a dot',
      'name: case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: { a.b: BIGINT } } } }',
      'a.b',
    ],
    [
      'refuses a column name of 65 characters',
      `name: case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: { ${'x'.repeat(65)}: BIGINT } } } }`,
      '64',
    ],
    [
      'refuses a table without columns',
      'name: case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: {} } } }',
      'column',
    ],
    [
      'refuses a mask of a number',
      'name: case\ndescription: d\ntags: [a]\nrequires: { tables: { events: { columns: { id: { type: BIGINT, sensitive: mask } } } } }',
      'mask',
    ],
  ] as const
).map(
  ([title, text, word]): RequestCase => ({
    title,
    files: { 'contract.yaml': `${text}\n` },
    expect: { exit: 2, error: { kind: 'config', words: [word, 'contract.yaml'] }, callCount: 0 },
  }),
)

testRequests({ keys, variables, yaml, contracts })
