import type { JsonObject } from '@huntfleet/contract'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

/** Parameters as they are declared and given, the arguments as written and as sent. */
const sends = (
  title: string,
  params: JsonObject,
  given: JsonObject,
  written: JsonObject,
  sent: JsonObject,
): RequestCase => ({ title, params, given, binding: { mcp_args: written }, expect: { calls: [sent] } })

const refuses = (
  title: string,
  params: JsonObject,
  given: JsonObject,
  written: JsonObject,
  ...words: string[]
): RequestCase => ({
  title,
  params,
  given,
  binding: { mcp_args: written },
  expect: { exit: 2, error: { kind: 'config', words }, callCount: 0 },
})

const list = { l: { type: 'list' } }
const text = { s: {} }

const values: RequestCase[] = [
  sends(
    'keeps the type of a sole placeholder',
    { n: { type: 'int' }, b: { type: 'bool' }, ...list },
    { n: 5, b: 'no', l: ['a', 1] },
    { a: { b: ['{{n}}', '{{ b }}', '{{l}}'] } },
    { a: { b: [5, false, ['a', 1]] } },
  ),
  sends(
    'renders scalars plainly inside longer strings',
    { n: { type: 'int' }, f: { type: 'float' }, b: { type: 'bool' } },
    { n: -3, f: 1e-7, b: true },
    { q: '{{n}}/{{f}}/{{b}}' },
    { q: '-3/0.0000001/true' },
  ),
  sends(
    'renders large floats without an exponent',
    { f: { type: 'float' } },
    { f: 1e21 },
    { q: 'x{{f}}' },
    { q: 'x1000000000000000000000' },
  ),
  sends(
    'makes text of a placeholder with blanks around it',
    { n: { type: 'int' } },
    { n: 5 },
    { q: ' {{n}}' },
    { q: ' 5' },
  ),
  sends('takes tabs and line ends inside the braces', text, { s: 'v' }, { q: '{{\t\n s \n}}' }, { q: 'v' }),
  sends('leaves keys alone', text, { s: 'v' }, { '{{s}}': '{{s}}' }, { '{{s}}': 'v' }),
  sends(
    'leaves numbers, null and booleans alone',
    {},
    {},
    { a: 1, b: null, c: [true, 1.5] },
    { a: 1, b: null, c: [true, 1.5] },
  ),
  sends(
    'writes literal braces',
    text,
    { s: 'v' },
    { q: '{{{{s}}}} {{s}} {{{{', r: '{{{{ }}}}' },
    { q: '{{s}} v {{', r: '{{ }}' },
  ),
  sends(
    'leaves single braces and JSON in text alone',
    text,
    { s: 'v' },
    { q: '{"a":{"b":"{{s}}"}}' },
    { q: '{"a":{"b":"v"}}' },
  ),
  sends('reads three braces as one and a placeholder', text, { s: 'v' }, { q: '{{{s}}}' }, { q: '{v}' }),
  sends(
    'keeps dollars and backslashes of values',
    text,
    { s: "$& $1 \\n $'" },
    { q: 'a{{s}}b' },
    { q: "a$& $1 \\n $'b" },
  ),
  sends(
    'fills the same placeholder everywhere',
    text,
    { s: 'v' },
    { a: '{{s}}{{s}}', b: ['{{s}}', { c: '{{s}}' }] },
    { a: 'vv', b: ['v', { c: 'v' }] },
  ),
  refuses(
    'refuses a list inside a longer string',
    list,
    { l: ['a'] },
    { q: 'x {{l}}' },
    '{{l}}',
    'a list',
    'join',
  ),
  refuses('refuses braces that nothing closes', text, { s: 'v' }, { q: 'a {{ s' }, 'mcp_args.q'),
  refuses('refuses an expression in the braces', text, { s: 'v' }, { q: '{{ s + 1 }}' }, 'mcp_args.q'),
  refuses('refuses empty braces', {}, {}, { q: '{{ }}' }, 'mcp_args.q', 'a name'),
  refuses(
    'tells the path, the name and the known names of an unresolved placeholder',
    { host: {}, limit: { type: 'int' } },
    { host: 'h' },
    { filter: [{ term: '{{ hots }}' }] },
    'filter[0].term',
    'hots',
    'host',
    'limit',
  ),
  refuses(
    'refuses an optional parameter without a value',
    { s: {} },
    {},
    { q: '{{s}}' },
    '{{s}}',
    'default(',
  ),
  refuses('tells every unresolved placeholder at once', {}, {}, { a: '{{one}}', b: '{{two}}' }, 'one', 'two'),
  refuses(
    'refuses a placeholder named like a member of objects',
    {},
    {},
    { q: '{{constructor}}' },
    'constructor',
  ),
  refuses('refuses a placeholder named __proto__', {}, {}, { q: '{{__proto__}}' }, '__proto__'),
]

const recursion: RequestCase[] = [
  sends(
    'expands placeholders in values, whatever their order',
    { z: { default: 'q={{a}}' }, a: { default: '{{m}}!' }, m: {} },
    { m: 'end' },
    { q: '{{z}}' },
    { q: 'q=end!' },
  ),
  sends(
    'coerces a value once its placeholders are filled',
    { n: { type: 'int', default: '{{m}}' }, m: { default: '12' } },
    {},
    { n: '{{n}}' },
    { n: 12 },
  ),
  sends(
    'expands given values, too',
    { a: {}, b: {} },
    { a: '<{{b}}>', b: 'x' },
    { q: '{{a}}' },
    { q: '<x>' },
  ),
  sends(
    'expands elements of lists, which may be lists',
    { l: { type: 'list', default: ['{{m}}', 'x'] }, m: { type: 'list' } },
    { m: [1, 2] },
    { l: '{{l}}' },
    { l: [[1, 2], 'x'] },
  ),
  refuses(
    'names a circle',
    { a: { default: '{{b}}' }, b: { default: '{{c}}' }, c: { default: '{{a}}' } },
    {},
    { q: '{{a}}' },
    'circle',
    'a',
    'b',
    'c',
  ),
  refuses('refuses a value that names itself', { a: {} }, { a: 'x{{a}}' }, { q: '{{a}}' }, 'circle'),
  sends('expands ten levels', levels(10), {}, { q: '{{p1}}' }, { q: 'end' }),
  refuses('refuses eleven levels', levels(11), {}, { q: '{{p1}}' }, '10 levels'),
  refuses(
    'refuses values that grow beyond all memory',
    { p0: { default: 'x'.repeat(100) }, ...bomb(9) },
    {},
    { q: '{{p9}}' },
    'grow',
  ),
  refuses(
    'checks the bounds of a value once it is filled',
    { n: { type: 'int', max: 5, default: '{{m}}' }, m: { default: '12' } },
    {},
    { n: '{{n}}' },
    'maximum 5',
  ),
  refuses(
    'reports an unresolved placeholder in a value of a parameter',
    { a: { default: 'x {{nope}}' } },
    {},
    { q: '{{a}}' },
    'nope',
    '"a"',
  ),
]

/** p1 → p2 → … → p<n> → `end`. */
function levels(n: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: n }, (_, i) => [`p${i + 1}`, { default: i + 1 === n ? 'end' : `{{p${i + 2}}}` }]),
  )
}

/** Each level holds the one below ten times. */
function bomb(n: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: n }, (_, i) => [`p${i + 1}`, { default: `{{p${i}}}`.repeat(10) }]),
  )
}

const filters: RequestCase[] = [
  sends(
    'joins a list',
    list,
    { l: ['a', 2, true] },
    { q: '{{ l | join(" OR ") }}', r: '{{l|join}}' },
    { q: 'a OR 2 OR true', r: 'a,2,true' },
  ),
  sends('joins an empty list to an empty text', list, { l: [] }, { q: '[{{ l | join(",") }}]' }, { q: '[]' }),
  sends(
    'writes JSON',
    { ...list, s: {} },
    { l: ['a"b', 1, null], s: 'x\ny' },
    { q: '{"t":{{l|json}},"s":{{s|json}}}' },
    { q: '{"t":["a\\"b",1,null],"s":"x\\ny"}' },
  ),
  sends(
    'quotes for SQL',
    { s: {}, ...list },
    { s: "O'Neil''", l: ["a'b", 5, true] },
    { q: "n='{{s|sql}}' and x in ({{l|sql}})" },
    { q: "n='O''Neil''''' and x in ('a''b',5,true)" },
  ),
  sends(
    'quotes for SQL dialects with backslashes',
    text,
    { s: "a\\'b" },
    { q: '\'{{ s | sql("backslash") }}\'' },
    { q: "'a\\\\''b'" },
  ),
  refuses(
    'refuses a backslash for SQL without a dialect',
    text,
    { s: 'a\\b' },
    { q: "'{{s|sql}}'" },
    'backslash',
  ),
  refuses('refuses an empty list for SQL', list, { l: [] }, { q: 'x in ({{l|sql}})' }, 'empty'),
  sends(
    'takes a default for a parameter without a value',
    text,
    {},
    { q: '{{ s | default("x y") }}', n: '{{ s | default(5) }}' },
    { q: 'x y', n: 5 },
  ),
  sends(
    'does not take the default for an empty text',
    text,
    { s: '' },
    { q: '[{{ s | default("x") }}]' },
    { q: '[]' },
  ),
  sends(
    'quotes for SPL and KQL',
    text,
    { s: 'a"b\\c' },
    { q: '"{{s|spl}}" "{{s|kql}}"' },
    { q: '"a\\"b\\\\c" "a\\"b\\\\c"' },
  ),
  sends(
    'quotes for Lucene',
    text,
    { s: '10.0.0.0/8 (x)' },
    { q: 'ip:{{s|lucene}}' },
    { q: 'ip:10.0.0.0\\/8\\ \\(x\\)' },
  ),
  sends(
    'encodes for addresses',
    text,
    { s: 'a b&c/é' },
    { q: '/x?q={{s|url}}' },
    { q: '/x?q=a%20b%26c%2F%C3%A9' },
  ),
  sends(
    'writes times as numbers and patterns',
    { t: { type: 'timestamp' } },
    { t: '2026-05-06T07:08:09.250Z' },
    { a: '{{t|epoch}}', b: '{{t|epoch_ms}}', c: '{{ t | date("yyyy-MM-dd") }}', d: '{{ t | minus("10m") }}' },
    { a: 1778051289, b: 1778051289250, c: '2026-05-06', d: '2026-05-06T06:58:09.250Z' },
  ),
  sends(
    'applies filters from left to right',
    { t: { type: 'timestamp' } },
    { t: '2026-05-06T00:00:05Z' },
    { q: '{{ t | minus("10s") | date("yyyy/MM/dd HH:mm:ss") }}' },
    { q: '2026/05/05 23:59:55' },
  ),
  sends(
    'never scans again what a filter returns',
    { s: {}, t: {} },
    { s: '{{{{t}}}}', t: 'no' },
    { q: '{{ s | url }}', r: '{{ s | default("{{t}}") }}' },
    { q: '%7B%7Bt%7D%7D', r: '{{t}}' },
  ),
  refuses(
    'refuses an unknown filter and lists the known',
    text,
    { s: 'v' },
    { q: '{{ s | upper }}' },
    'upper',
    'join',
    'json',
    'sql',
  ),
  refuses(
    'refuses a filter with the wrong argument',
    { t: { type: 'timestamp' } },
    { t: 'now' },
    { q: '{{ t | minus("10") }}' },
    'minus',
  ),
  refuses('refuses to join what is no list', text, { s: 'v' }, { q: '{{ s | join(",") }}' }, 'join', 'list'),
]

const builtins: RequestCase[] = [
  {
    title: 'fills the run and the window',
    binding: {
      mcp_args: { w: '{{window.start}}/{{ window.end }}', id: 'r-{{run.id}}', at: '{{run.scheduled_at}}' },
    },
    args: ['--from', '2026-04-05', '--to', '2026-04-06T00:00:00+02:00'],
    expect: {
      manifest: ({ window }) => {
        if (window.start !== '2026-04-05T00:00:00Z' || window.end !== '2026-04-05T22:00:00Z')
          throw new Error(JSON.stringify(window))
      },
      callCount: 1,
    },
  },
  refuses(
    'refuses window.start in a run without a window',
    {},
    {},
    { w: '{{window.start}}' },
    'window',
    '--from',
  ),
  {
    title: 'takes relative times for --from and --to',
    binding: { mcp_args: { w: '{{window.start | date("yyyy")}}' } },
    args: ['--from', '-2d', '--to', 'now'],
    expect: { callCount: 1 },
  },
  {
    title: 'refuses a window that ends before it begins',
    args: ['--from', '2026-04-06', '--to', '2026-04-05'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['window', '2026-04-06'] }, callCount: 0 },
  },
  {
    title: 'refuses a --from that is no time',
    args: ['--from', 'monday'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['--from', 'monday', '-7d'] }, callCount: 0 },
  },
  refuses('lists the built-in names for one that is near', {}, {}, { q: '{{run.idd}}' }, 'run.idd', 'run.id'),
  {
    title: 'renders page variables anew for each page, and needs no offset_param then',
    binding: {
      query_template: 'limit {{page.limit}} offset {{page.offset}}',
      query_param: 'sql',
      pagination: { mode: 'offset', page_size: 2 },
    },
    answers: [
      { when: { sql: 'limit 2 offset 0' }, json: [{ id: 1 }, { id: 2 }] },
      { when: { sql: 'limit 2 offset 2' }, json: [{ id: 3 }] },
    ],
    expect: { ids: ['1', '2', '3'], callCount: 2 },
  },
  {
    title: 'sends page variables as numbers where they stand alone',
    binding: {
      mcp_args: { body: { from: '{{page.offset}}', size: '{{page.limit}}' } },
      pagination: { mode: 'offset', page_size: 2 },
    },
    answers: [{ json: [{ id: 1 }] }],
    expect: { calls: [{ body: { from: 0, size: 2 } }] },
  },
  {
    title: 'leaves page.cursor out of the first call where it stands alone, and empty in text',
    binding: {
      items_path: 'r',
      mcp_args: { after: '{{page.cursor}}', q: 'c={{page.cursor}};' },
      pagination: { mode: 'cursor', next_cursor_path: 'n' },
    },
    answers: [{ times: 1, json: { r: [{ id: 1 }], n: 'x' } }, { json: { r: [{ id: 2 }] } }],
    expect: { calls: [{ q: 'c=;' }, { after: 'x', q: 'c=x;' }] },
  },
  {
    title: 'takes a default for page.cursor in the first call',
    binding: {
      items_path: 'r',
      mcp_args: { after: '{{ page.cursor | default("*") }}' },
      pagination: { mode: 'cursor', next_cursor_path: 'n' },
    },
    answers: [{ when: { after: '*' }, json: { r: [{ id: 1 }], n: 'x' } }, { json: { r: [{ id: 2 }] } }],
    expect: { ids: ['1', '2'], calls: [{ after: '*' }, { after: 'x' }] },
  },
  {
    title: 'refuses page variables without a pagination before any call',
    binding: { mcp_args: { q: 'offset {{page.offset}}' } },
    expect: { exit: 2, error: { kind: 'config', words: ['page.offset', 'pagination'] }, callCount: 0 },
  },
]

const query = (binding: JsonObject, sent: JsonObject): Pick<RequestCase, 'binding' | 'expect'> => ({
  binding,
  expect: { calls: [sent] },
})

const queries: RequestCase[] = [
  {
    title: 'sends query_template as query and index as index',
    params: text,
    given: { s: 'v' },
    ...query({ query_template: 'x={{s}}', index: 'logs-{{ s }}-*' }, { query: 'x=v', index: 'logs-v-*' }),
  },
  {
    title: 'renames query and index',
    ...query(
      { query_template: 'q', query_param: 'sql', index: 'i', index_param: 'table' },
      { sql: 'q', table: 'i' },
    ),
  },
  {
    title: 'lets mcp_args win over query_template and index',
    ...query(
      { query_template: 'q', index: 'i', mcp_args: { query: 'mine', index: 'too' } },
      { query: 'mine', index: 'too' },
    ),
  },
  {
    title: 'keeps the type of a query_template that is one placeholder',
    params: list,
    given: { l: ['a'] },
    ...query({ query_template: '{{l}}' }, { query: ['a'] }),
  },
  {
    title: 'points at query_template when a placeholder in it is unresolved',
    binding: { query_template: 'x={{nope}}' },
    expect: {
      exit: 2,
      error: { words: ['query_template', 'nope'], place: /binding\.yaml:\d+:\d+/ },
      callCount: 0,
    },
  },
  {
    title: 'warns of unfiltered text in a query',
    command: 'validate',
    params: text,
    binding: { query_template: "select * from t where u = '{{ s }}'" },
    expect: { says: ['query_template', '{{ s }}', 'sql'] },
  },
  {
    title: 'does not warn of filtered text, numbers and enums in a query',
    command: 'validate',
    params: { s: {}, n: { type: 'int' }, e: { enum: ['a'] } },
    binding: { query_template: "u = '{{ s | sql }}' and n = {{n}} and e = '{{e}}'" },
    expect: { says: ['"warnings": 0'] },
  },
]

testRequests({ values, recursion, filters, 'built-in names': builtins, queries })
