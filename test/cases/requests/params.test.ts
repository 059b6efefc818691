import type { Json, JsonObject } from '@huntfleet/contract'
import type { RequestCase } from './request-case.ts'
import { testRequests } from './test-requests.ts'

/** One parameter `p`, sent as the argument `p`. */
const given = (spec: JsonObject, value: Json | undefined): RequestCase => ({
  title: '',
  params: { p: spec },
  ...(value !== undefined && { given: { p: value } }),
  binding: { mcp_args: { p: '{{p}}' } },
  expect: {},
})

/** The argument that becomes of a value. */
const becomes = (title: string, spec: JsonObject, value: Json | undefined, sent: Json): RequestCase => ({
  ...given(spec, value),
  title,
  expect: { calls: [{ p: sent }] },
})

/** A value that is refused before anything is called. */
const refused = (
  title: string,
  spec: JsonObject,
  value: Json | undefined,
  ...words: string[]
): RequestCase => ({
  ...given(spec, value),
  title,
  expect: { exit: 2, error: { kind: 'config', words }, callCount: 0 },
})

/** What JSON.parse makes of 12345678901234567890. */
const rounded = 2 ** 63

const values: RequestCase[] = [
  becomes('reads digits as an int', { type: 'integer' }, ' 250 ', 250),
  becomes('reads 12.0 as an int', { type: 'int' }, '12.0', 12),
  becomes('reads a signed int', { type: 'int' }, '-7', -7),
  refused('refuses a fraction for an int', { type: 'int' }, 0.5, '0.5', '"p"'),
  refused('refuses an int with a unit', { type: 'int' }, '10k', '10k'),
  refused('refuses an empty text for an int', { type: 'int' }, '', 'int'),
  refused('refuses true for an int', { type: 'int' }, true, 'true'),
  refused('refuses hexadecimal for an int', { type: 'int' }, '0x1F', '0x1f'),
  refused('refuses digits beyond 2^53 for an int', { type: 'int' }, '9007199254740993', '2^53'),
  becomes('reads an exponent as a float', { type: 'number' }, '2.5e-1', 0.25),
  becomes('reads a whole number as a float', { type: 'float' }, 3, 3),
  refused('refuses NaN for a float', { type: 'float' }, 'NaN', 'nan'),
  refused('refuses 1e999 for a float', { type: 'float' }, '1e999', '1e999'),
  ...['yes', 'ON', 'T', '1', 1, true].map((word) =>
    becomes(`reads ${JSON.stringify(word)} as true`, { type: 'boolean' }, word, true),
  ),
  ...['no', 'Off', 'f', '0', 0, false].map((word) =>
    becomes(`reads ${JSON.stringify(word)} as false`, { type: 'bool' }, word, false),
  ),
  refused('refuses 2 for a bool', { type: 'bool' }, 2, '2', 'true'),
  becomes('writes a number as text', { type: 'str' }, 1.5, '1.5'),
  becomes(
    'writes a large number as text without an exponent',
    { type: 'str' },
    1e21 / 1e6,
    '1000000000000000',
  ),
  refused('refuses a rounded number for a text', { type: 'str' }, rounded, 'quotes'),
  becomes('keeps an empty text', { type: 'string' }, '', ''),
  becomes(
    'keeps a text with emoji, quotes and line ends',
    { type: 'str' },
    '🕵 "a"\r\n\'b\'',
    '🕵 "a"\r\n\'b\'',
  ),
  refused('refuses a list for a text', { type: 'str' }, ['a'], 'a list'),
  becomes('keeps a list with its types', { type: 'list' }, ['a', 2, true, null], ['a', 2, true, null]),
  becomes('makes a list of a single value', { type: 'list' }, 'dga', ['dga']),
  becomes('reads the text of a JSON array', { type: 'list' }, '["a","b"]', ['a', 'b']),
  becomes('keeps an empty list', { type: 'list' }, [], []),
  refused('refuses a text with commas for a list', { type: 'list' }, 'a,b', 'list'),
  refused('refuses a map for a list', { type: 'list' }, { a: 1 }, 'list'),
  refused('refuses a rounded number inside a list', { type: 'list' }, [rounded], '2^53'),
  becomes('writes a time in UTC', { type: 'timestamp' }, '2026-05-06T01:02:03+02:00', '2026-05-05T23:02:03Z'),
  becomes('takes a date for midnight UTC', { type: 'timestamp' }, '2026-05-06', '2026-05-06T00:00:00Z'),
  becomes(
    'takes a time without a zone for UTC',
    { type: 'timestamp' },
    '2026-05-06 07:08:09',
    '2026-05-06T07:08:09Z',
  ),
  becomes('reads epoch seconds', { type: 'timestamp' }, 1_778_000_000, '2026-05-05T16:53:20Z'),
  becomes(
    'reads epoch milliseconds in a text',
    { type: 'timestamp' },
    '1778000000500',
    '2026-05-05T16:53:20.5Z',
  ),
  refused('refuses a day that does not exist', { type: 'timestamp' }, '2026-02-30', '2026-02-30'),
  refused('refuses words for a time', { type: 'timestamp' }, 'yesterday', 'yesterday', '-7d'.slice(0, 1)),
  becomes('keeps a duration', { type: 'duration' }, '1h30m', '1h30m'),
  refused('refuses a duration without a unit', { type: 'duration' }, 30, 'unit'),
  refused('refuses a duration in the wrong order', { type: 'duration' }, '30m1h', '30m1h'),
]

const declarations: RequestCase[] = [
  becomes('coerces a default', { type: 'int', default: '40' }, undefined, 40),
  becomes(
    'lets a default rescue a required parameter',
    { type: 'str', required: true, default: 'x' },
    undefined,
    'x',
  ),
  becomes('takes null for not given', { type: 'str', default: 'x' }, null, 'x'),
  becomes('takes a value over its default', { type: 'str', default: 'x' }, 'y', 'y'),
  becomes('has the type str where none is given', {}, 5, '5'),
  refused(
    'refuses a run without a required parameter',
    { type: 'list', required: true, description: 'hosts to look at' },
    undefined,
    '"p"',
    'hosts to look at',
    '--param p=',
  ),
  refused('refuses null for a required parameter', { type: 'str', required: true }, null, 'required'),
  refused(
    'refuses a value outside the enum',
    { type: 'str', enum: ['low', 'high'] },
    'hihg',
    'hihg',
    'low',
    'did you mean "high"',
  ),
  becomes('compares with the enum after coercion', { type: 'int', enum: [1, '2'] }, '2', 2),
  refused(
    'refuses an element of a list outside the enum',
    { type: 'list', enum: ['a', 'b'] },
    ['a', 'c'],
    '"c"',
    '"a", "b"',
  ),
  becomes('allows the bounds themselves', { type: 'int', min: 1, max: 10 }, 10, 10),
  refused('refuses a value above the maximum', { type: 'int', min: 1, max: 10 }, 11, '11', 'maximum 10'),
  refused('refuses a value below the minimum', { type: 'float', min: 0.5 }, '0.25', 'minimum 0.5'),
  refused('compares durations by length', { type: 'duration', max: '1h' }, '61m', 'maximum "1h"'),
  refused('compares times', { type: 'timestamp', min: '2026-01-01' }, '2025-12-31T23:59:59Z', 'minimum'),
  refused('compares a time with a relative bound', { type: 'timestamp', max: 'now' }, '+1h', 'maximum "now"'),
  refused(
    'refuses a default that is not of the type',
    { type: 'int', default: 'many' },
    5,
    'default',
    'many',
  ),
  refused(
    'refuses a default outside the enum',
    { type: 'str', enum: ['a'], default: 'b' },
    undefined,
    'default',
  ),
  refused('refuses bounds of a text', { type: 'str', max: 5 }, 'abc', 'max'),
  refused(
    'refuses an unknown type',
    { type: 'datetime' },
    undefined,
    'datetime',
    'timestamp',
    'contract.yaml',
  ),
  {
    title: 'refuses an undeclared parameter and guesses which was meant',
    params: { host_name: { type: 'str' }, limit: { type: 'int' } },
    given: { hostname: 'a' },
    expect: {
      exit: 2,
      error: { kind: 'config', words: ['hostname', 'did you mean', 'host_name'] },
      callCount: 0,
    },
  },
  {
    title: 'tells everything that is wrong with the parameters at once',
    params: { a: { type: 'int' }, b: { type: 'bool' }, c: { required: true } },
    given: { a: 'x', b: 'maybe', d: 1 },
    expect: { exit: 2, error: { issues: 4, words: ['"a"', '"b"', '"c"', '"d"'] }, callCount: 0 },
  },
  {
    title: 'refuses an undeclared parameter named __proto__',
    given: JSON.parse('{"__proto__": {"x": 1}}'),
    expect: { exit: 2, error: { words: ['__proto__'] }, callCount: 0 },
  },
  {
    title: 'refuses an undeclared --param __proto__',
    args: ['--param', '__proto__=["x"]'],
    expect: { exit: 2, error: { words: ['__proto__'] }, callCount: 0 },
  },
  {
    title: 'refuses undeclared parameters named like members of objects',
    given: { constructor: 1, toString: 2, hasOwnProperty: 3 },
    expect: { exit: 2, error: { issues: 3, words: ['constructor', 'toString'] }, callCount: 0 },
  },
  {
    title: 'refuses a parameter whose name is no name',
    params: { 'a b': { type: 'str' } },
    expect: { exit: 2, error: { words: ['contract.yaml', 'a b'] }, callCount: 0 },
  },
]

const lately = (text: string): number => Math.abs(Date.parse(text) - Date.now())

const relativeTimes: RequestCase[] = [
  ...(
    [
      ['now', 0],
      ['-90m', 90 * 60_000],
      ['-7d', 7 * 86_400_000],
      ['-1w', 7 * 86_400_000],
    ] as const
  ).map(
    ([text, ago]): RequestCase => ({
      ...given({ type: 'timestamp', default: text }, undefined),
      title: `takes ${text} against the scheduled time`,
      expect: {
        manifest: ({ params, scheduled_at }) => {
          const time = String(params['p'])
          if (Date.parse(scheduled_at ?? '') - Date.parse(time) !== ago)
            throw new Error(`${time} is not ${text}`)
          if (lately(scheduled_at ?? '') > 60_000) throw new Error(`${scheduled_at} is not now`)
        },
      },
    }),
  ),
  {
    title: 'gives every relative time of a run the same base',
    params: { a: { type: 'timestamp', default: '-1h' }, b: { type: 'timestamp', default: '-1h' } },
    binding: { mcp_args: { a: '{{a}}', b: '{{ b }}' } },
    expect: {
      manifest: ({ params }) => {
        if (params['a'] !== params['b']) throw new Error(`${params['a']} and ${params['b']}`)
      },
    },
  },
  refused('refuses a relative time without a unit', { type: 'timestamp' }, '-7', '-7'),
  refused('refuses a relative time before the year 1', { type: 'timestamp' }, '-999999w', '-999999w'),
]

const commandLine: RequestCase[] = [
  {
    title: 'reads --param as text, JSON arrays as lists',
    params: { s: {}, n: { type: 'int' }, l: { type: 'list' }, e: {} },
    args: ['--param', 's=007', '--param', 'n=12', '--param', 'l=["a","b=c"]', '--param', 'e='],
    binding: { mcp_args: { s: '{{s}}', n: '{{n}}', l: '{{l}}', e: '{{e}}' } },
    expect: { calls: [{ s: '007', n: 12, l: ['a', 'b=c'], e: '' }] },
  },
  {
    title: 'keeps everything behind the first = of --param',
    params: { s: {} },
    args: ['--param', 's=a=b==c'],
    binding: { mcp_args: { s: '{{s}}' } },
    expect: { calls: [{ s: 'a=b==c' }] },
  },
  {
    title: 'lets --param win over --params',
    params: { a: {}, b: {} },
    given: { a: 'file', b: 'file' },
    args: ['--param', 'a=line'],
    binding: { mcp_args: { a: '{{a}}', b: '{{b}}' } },
    expect: { calls: [{ a: 'line', b: 'file' }] },
  },
  {
    title: 'keeps long digits of a text parameter',
    params: { s: {} },
    args: ['--param', 's=00012345678901234567890'],
    binding: { mcp_args: { s: '{{s}}' } },
    expect: { calls: [{ s: '00012345678901234567890' }] },
  },
  {
    title: 'refuses --param without a =',
    args: ['--param', 'limit'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['limit', 'name=value'] }, callCount: 0 },
  },
  {
    title: 'refuses a parameter file that is a list',
    given: [1],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['params.json', 'object'] }, callCount: 0 },
  },
  {
    title: 'refuses a parameter file that is not JSON',
    given: {},
    files: { 'params.json': '{"a": 1,}' },
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['params.json', 'not json'] }, callCount: 0 },
  },
  {
    title: 'reads a parameter file with a BOM',
    params: { s: {} },
    given: {},
    files: { 'params.json': '\ufeff{"s": "x"}' },
    binding: { mcp_args: { s: '{{s}}' } },
    expect: { calls: [{ s: 'x' }] },
  },
  {
    title: 'refuses a list of 20,000 levels',
    params: { l: { type: 'list' } },
    given: {},
    files: { 'params.json': `{"l": ${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
    expect: { exit: 2, error: { words: ['"l"', 'levels'] }, callCount: 0 },
  },
  {
    title: 'sends a text of a megabyte',
    params: { s: {} },
    given: { s: 'x'.repeat(1 << 20) },
    binding: { mcp_args: { s: '{{s}}' } },
    expect: { ids: ['1'], callCount: 1 },
  },
  {
    title: 'refuses a parameter file that does not exist',
    args: ['--params', 'nowhere.json'],
    expect: { exit: 2, error: { code: 'USAGE_INVALID', words: ['nowhere.json'] }, callCount: 0 },
  },
]

testRequests({
  'values of parameters': values,
  'declarations of parameters': declarations,
  'relative times': relativeTimes,
  'parameters on the command line': commandLine,
})
