import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../src/json-value.ts'
import {
  bindingWith,
  compileDocuments,
  complaintsOf,
  contractWith,
  oneServer,
  readDocuments,
} from './read-documents.ts'

const complaints = (binding: string, contract = contractWith(), project?: JsonObject) =>
  complaintsOf(readDocuments(contract, binding, project).findings)

const mapped = (binding: string, contract: string) =>
  compileDocuments(contract, binding).specs[0]?.fetches[0]?.mapping

describe('binding.yaml', () => {
  it('with a server, a tool and a mode is enough', () => {
    expect(complaints(bindingWith())).toEqual([])
  })

  it.each<[string, string, string]>([
    ['max_rows: 0', '6:15', 'source_bindings.events.max_rows: 0: Too small: expected number to be >0'],
    ['max_rows: "10"', '6:15', 'source_bindings.events.max_rows: "10" is not a number'],
    [
      'timeout: 30',
      '6:14',
      'source_bindings.events.timeout: 30 is not a duration; write a number with a unit, such as 500ms, 30s, 5m or 1h30m',
    ],
    [
      'timeout: "30"',
      '6:14',
      'source_bindings.events.timeout: "30": is not a duration; write a number with a unit, such as 500ms, 30s, 5m or 1h30m',
    ],
    [
      'response_format: cvs',
      '6:22',
      'source_bindings.events.response_format: "cvs" is not one of json, csv, ndjson, tsv; did you mean csv?',
    ],
    [
      'response_adapter: tabular_txt',
      '6:23',
      'source_bindings.events.response_adapter: "tabular_txt" is not one of tabular_text; did you mean tabular_text?',
    ],
    [
      'on_reject: drop',
      '6:16',
      'source_bindings.events.on_reject: "drop" is not one of null, drop_row, fail',
    ],
    [
      'error_when: [{text: "("}]',
      '6:25',
      'source_bindings.events.error_when.0.text: "(": not a valid regular expression',
    ],
    [
      'error_when: [{path: a, equals: 1, matches: b}]',
      '6:18',
      'source_bindings.events.error_when.0: a rule has one test: exists, equals, not_in or matches',
    ],
    [
      'field_map: {id: 5}',
      '6:21',
      'source_bindings.events.field_map.id: 5 is not a text, or a map, or a list',
    ],
    [
      'content: {blocks: frist}',
      '6:23',
      'source_bindings.events.content.blocks: "frist" is not one of auto, first, last, all, each; did you mean first?',
    ],
    [
      'retry: {attempts: 21}',
      '6:23',
      'source_bindings.events.retry.attempts: 21: Too big: expected number to be <=20',
    ],
  ])('refuses %s', (text, place, words) => {
    const all = complaints(bindingWith(`    ${text}\n`))
    expect(all).toHaveLength(1)
    expect(all[0]).toContain(`error binding.yaml:${place} ${words}`)
  })

  it.each(['api', 'direct'])('refuses fetch_mode: %s with advice', (mode) => {
    expect(complaints(bindingWith().replace('mcp_client', mode))).toEqual([
      `error binding.yaml:3:17 source_bindings.events.fetch_mode: "${mode}" is no longer supported; use mcp_client with an MCP server (mcp_server and mcp_tool)`,
    ])
  })

  it.each(['mcp_client', 'fracta_mcp_gateway', 'fleet'])(
    'takes fetch_mode %s as fetched by the fleet',
    (mode) => {
      expect(compileDocuments(contractWith(), bindingWith().replace('mcp_client', mode)).specs).toHaveLength(
        1,
      )
    },
  )

  it.each([
    ['mcp', 'awaiting_agent'],
    ['agent', 'awaiting_agent'],
    ['native', 'native'],
    ['strategy_native', 'native'],
  ])('takes fetch_mode %s as %s', (mode, outcome) => {
    const run = compileDocuments(contractWith(), `source_bindings:\n  events: {fetch_mode: ${mode}}\n`)
    expect(run).toMatchObject({ specs: [], settled: { events: { outcome } } })
  })

  it.each<[string, string]>([
    [
      'sourcebindings: {}',
      'warning binding.yaml:6:1 unknown key "sourcebindings"; did you mean "source_bindings"?',
    ],
    [
      '    max_row: 5',
      'warning binding.yaml:6:5 unknown key "source_bindings.events.max_row"; did you mean "max_rows"?',
    ],
    [
      '    pagination: {mode: none, page_sice: 5}',
      'warning binding.yaml:6:30 unknown key "source_bindings.events.pagination.page_sice"; did you mean "page_size"?',
    ],
    [
      '    content: {form: text}',
      'warning binding.yaml:6:15 unknown key "source_bindings.events.content.form"; did you mean "from"?',
    ],
    [
      '    retry: {attemps: 3}',
      'warning binding.yaml:6:13 unknown key "source_bindings.events.retry.attemps"; did you mean "attempts"?',
    ],
    [
      '    csv: {delimeter: x}',
      'warning binding.yaml:6:11 unknown key "source_bindings.events.csv.delimeter"; did you mean "delimiter"?',
    ],
  ])('warns of %j', (text, complaint) => {
    expect(complaints(bindingWith(`${text}\n`))).toEqual([complaint])
  })

  it('reports several mistakes at once, sorted by place', () => {
    const binding = bindingWith(
      '    max_row: 5\n    timeout: 30\n    mcp_args: {q: "{{nope}}"}\n    field_map: {nmae: x}\n',
    )
    expect(complaints(binding).map((complaint) => complaint.slice(0, 60))).toEqual([
      'warning binding.yaml:6:5 unknown key "source_bindings.events',
      'error binding.yaml:7:14 source_bindings.events.timeout: 30 i',
      'error binding.yaml:8:19 source_bindings.events: mcp_args.q: ',
      'error binding.yaml:9:17 source_bindings.events: field_map na',
    ])
  })

  it('takes a key without a value as not set', () => {
    expect(
      complaints(
        bindingWith('    mcp_args:\n    pagination:\n    max_rows: ~\n').concat('field_overrides:\n'),
      ),
    ).toEqual([])
  })

  it('may be empty when every table is optional', () => {
    const contract = contractWith().replace('      columns:', '      optional: true\n      columns:')
    for (const binding of ['', 'source_bindings:\n', '{}']) {
      expect(compileDocuments(contract, binding).settled).toMatchObject({ events: { outcome: 'skipped' } })
    }
  })
})

describe('tables', () => {
  it('that the contract lacks are errors with a guess', () => {
    expect(complaints(bindingWith().replace('  events:', '  evnts:'))).toEqual([
      'error binding.yaml:2:3 source_bindings.evnts: the contract has no table "evnts"; its tables are events; did you mean events?',
      'error binding.yaml:2:3 the required table events has no entry in source_bindings; bind it, or mark it optional: automatic resolution comes with the catalog',
    ])
  })

  it('that are required need an entry', () => {
    const [complaint] = complaintsOf(readDocuments(contractWith(), null).findings)
    expect(complaint).toMatch(
      /^error contract\.yaml:\d+:\d+ the required table events has no entry in binding\.yaml \(there is none in dns\)/,
    )
  })

  it('whose entry is wrong are not also said to have none', () => {
    expect(complaints('source_bindings:\n  events: 5\n')).toEqual([
      'error binding.yaml:2:11 source_bindings.events: 5 is not a map, or a list',
    ])
    expect(complaints('source_bindings:\n  events:\n')[0]).toMatch(
      /^error binding\.yaml:2:\d+ source_bindings\.events: nothing is not a map/,
    )
  })

  it('may have a list of sources, each checked at its place', () => {
    const entry = '{fetch_mode: fleet, mcp_server: logs, mcp_tool: a}'
    const binding = `source_bindings:\n  events:\n    - ${entry}\n    - ${entry.replace('a}', 'b, max_row: 5, field_map: {x: y}}')}\n`
    expect(complaints(binding)).toEqual([
      'warning binding.yaml:4:58 unknown key "source_bindings.events.1.max_row"; did you mean "max_rows"?',
      'error binding.yaml:4:82 source_bindings.events.1: field_map names the column "x", which the contract lacks; its columns are id, name',
    ])
  })

  it('may not have an empty list', () => {
    expect(complaints('source_bindings:\n  events: []\n')[0]).toMatch(
      /^error binding\.yaml:2:11 source_bindings\.events: /,
    )
  })
})

describe('servers and tools', () => {
  it.each<[string, string, string]>([
    [
      'mcp_server: logs',
      'mcp_server: lgos',
      'error binding.yaml:4:17 source_bindings.events: huntfleet.yaml has no MCP server "lgos"; its servers are logs; did you mean logs?',
    ],
    [
      '    mcp_server: logs\n',
      '',
      'error binding.yaml:3:5 source_bindings.events: mcp_server is missing: name a server of huntfleet.yaml',
    ],
    [
      '    mcp_tool: search\n',
      '',
      'error binding.yaml:3:5 source_bindings.events: mcp_tool is missing: name the tool to call',
    ],
  ])('%j become %j', (before, after, complaint) => {
    expect(complaints(bindingWith().replace(before, after))).toEqual([complaint])
  })

  it('do not matter to tables that others fetch', () => {
    expect(
      complaints('source_bindings:\n  events: {fetch_mode: mcp, mcp_server: vendor, mcp_tool: t}\n'),
    ).toEqual([])
  })
})

describe('a missing fetch_mode', () => {
  it('warns beside what only counts for the fleet', () => {
    const binding =
      'source_bindings:\n  events:\n    mcp_args: {a: 1}\n    items_path: x\n    pagination: {mode: none}\n'
    expect(complaints(binding)).toEqual([
      'warning binding.yaml:3:5 source_bindings.events: fetch_mode is missing, so an agent must stage this table; mcp_args, items_path, pagination only count with fetch_mode: mcp_client',
    ])
  })

  it('is the seeds’ default otherwise', () => {
    expect(complaints('source_bindings:\n  events: {backend: vendor}\n')).toEqual([])
  })
})

describe('format and adapter', () => {
  it('exclude each other', () => {
    expect(complaints(bindingWith('    response_format: csv\n    response_adapter: tabular_text\n'))).toEqual(
      [
        'error binding.yaml:7:23 source_bindings.events: response_format and response_adapter are mutually exclusive; set one of the two',
      ],
    )
  })

  it.each(['response_format: csv', 'response_format: ndjson', 'response_adapter: tabular_text'])(
    '%s does not go with cursors',
    (format) => {
      const pagination = '    pagination: {mode: cursor, cursor_param: c, next_cursor_path: n}\n'
      expect(complaints(bindingWith(`    ${format}\n${pagination}`))).toEqual([
        `error binding.yaml:7:24 source_bindings.events: pagination.mode: cursor does not go with ${format}: the next cursor is looked up in a JSON answer; use mode offset, or give next_cursor_pattern`,
      ])
    },
  )

  it('fields that lead through JSON have no effect on a text', () => {
    expect(complaints(bindingWith('    response_format: csv\n    items_path: rows\n'))).toEqual([
      'warning binding.yaml:7:17 source_bindings.events: items_path has no effect with csv: it leads through JSON',
    ])
  })

  it('item_path without items_path is probably a typo', () => {
    expect(complaints(bindingWith('    item_path: a\n'))).toEqual([
      'warning binding.yaml:6:16 source_bindings.events: item_path unwraps each row, but items_path is not set; did you mean items_path?',
    ])
  })
})

describe('field_map', () => {
  it('names columns of the contract', () => {
    expect(complaints(bindingWith('    field_map:\n      id: x\n      nmae: y\n'))).toEqual([
      'error binding.yaml:8:7 source_bindings.events: field_map names the column "nmae", which the contract lacks; its columns are id, name; did you mean name?',
    ])
  })

  it('takes paths, lists of paths, constants and the whole row; other columns are read from their own name', () => {
    const contract = contractWith('', '        a:\n        b:\n        c:\n        d:\n        e:\n')
    const fieldMap = '    field_map: {a: x.y, b: [p, q, {value: 0}], c: {value: [1]}, d: $}\n'
    expect(mapped(bindingWith(fieldMap), contract)).toEqual([
      [{ from: 'path', path: 'x.y' }],
      [
        { from: 'path', path: 'p' },
        { from: 'path', path: 'q' },
        { from: 'value', value: 0 },
      ],
      [{ from: 'value', value: [1] }],
      [{ from: 'row' }],
      [{ from: 'path', path: 'e' }],
    ])
  })
})

describe('field_overrides', () => {
  const contract = contractWith(
    '',
    '        ip: {semantic: ip_address}\n        user: {semantic: user_name}\n        plain: VARCHAR\n',
  )

  it.each([
    ['semantic → table → field', 'field_overrides: {ip_address: {events: src_ip}}\n'],
    ['table → semantic → field', 'field_overrides: {events: {ip_address: src_ip}}\n'],
  ])('are read as %s', (_, text) => {
    expect(complaints(bindingWith() + text, contract)).toEqual([])
    expect(mapped(bindingWith() + text, contract)).toEqual([
      [{ from: 'path', path: 'src_ip' }],
      [{ from: 'path', path: 'user' }],
      [{ from: 'path', path: 'plain' }],
    ])
  })

  it('give way to field_map', () => {
    const text = `${bindingWith('    field_map: {ip: mapped}\n')}field_overrides: {ip_address: {events: src_ip}}\n`
    expect(mapped(text, contract)?.[0]).toEqual([{ from: 'path', path: 'mapped' }])
  })

  it.each<[string, string]>([
    [
      '{ip_address: {evnts: x}}',
      'warning binding.yaml:6:32 field_overrides.ip_address.evnts: the contract has no table "evnts"; did you mean events?',
    ],
    [
      '{ip_adress: {events: x}}',
      'warning binding.yaml:6:31 field_overrides.ip_adress.events: no column of the table events has the semantic "ip_adress"; did you mean ip_address?',
    ],
    [
      '{events: {host: x}}',
      'warning binding.yaml:6:28 field_overrides.events.host: no column of the table events has the semantic "host"; there are ip_address, user_name',
    ],
  ])('that nothing uses are warnings: %s', (text, complaint) => {
    expect(complaints(`${bindingWith()}field_overrides: ${text}\n`, contract)).toEqual([complaint])
  })
})

describe('placeholders', () => {
  const contract = contractWith('params: {days: {type: int}, hosts: {type: list}, who: {type: str}}\n')

  it.each<[string, string]>([
    [
      'mcp_args: {q: {deep: ["x", "{{dys}}"]}}',
      'error binding.yaml:6:32 source_bindings.events: mcp_args.q.deep[1]: nothing fills {{dys}}; known names are days, hosts, who, run.id, run.scheduled_at, window.start, window.end; did you mean days?',
    ],
    [
      'mcp_args: {"a.b": "{{dys}}"}',
      'error binding.yaml:6:23 source_bindings.events: mcp_args["a.b"]: nothing fills {{dys}}; known names are days, hosts, who, run.id, run.scheduled_at, window.start, window.end; did you mean days?',
    ],
    ['index: "logs-{{days}"', 'error binding.yaml:6:12 source_bindings.events: index: '],
    [
      'query_template: "x {{who}}"',
      'warning binding.yaml:6:21 source_bindings.events: query_template: {{who}} puts text into a query as it is; quote it with a filter such as sql, spl, kql or lucene',
    ],
  ])('are checked in %s', (text, complaint) => {
    const all = complaints(bindingWith(`    ${text}\n`), contract)
    expect(all).toHaveLength(1)
    expect(all[0]?.startsWith(complaint)).toBe(true)
  })

  it('of parameters, runs, windows, pages, jobs and secrets are known', () => {
    const names = [
      'days',
      'run.id',
      'run.scheduled_at',
      'window.start',
      'window.end',
      'page.offset',
      'page.cursor',
      'job.id',
      'secret.token',
    ]
    const args = names.map((name) => `"${name}": "{{ ${name} }}"`).join(', ')
    expect(complaints(bindingWith(`    mcp_args: {${args}}\n`), contract)).toEqual([])
  })

  it('are not looked for in keys', () => {
    expect(complaints(bindingWith('    mcp_args: {"{{x}}": 1}\n'), contract)).toEqual([])
  })

  it.each([
    [
      'days',
      'error binding.yaml:6:23 source_bindings.events: for_each.param "days" is not a list parameter of the contract; its lists are hosts',
    ],
    [
      'nope',
      'error binding.yaml:6:23 source_bindings.events: for_each.param "nope" is not a list parameter of the contract; its lists are hosts',
    ],
  ])('of for_each need a list: %s', (param, complaint) => {
    expect(complaints(bindingWith(`    for_each: {param: ${param}}\n`), contract)).toEqual([complaint])
  })

  it('of a chunk are known under its name', () => {
    const binding = bindingWith('    for_each: {param: hosts, as: some}\n    mcp_args: {q: "{{some}}"}\n')
    expect(complaints(binding, contract)).toEqual([])
  })
})

describe('credentials', () => {
  const server = { remote: { url: 'https://mcp.example/' } }
  const at = 'binding.yaml:6:17 source_bindings.events'

  it.each<[string, JsonObject, string[]]>([
    [
      'without an entry are a warning',
      oneServer,
      [`warning ${at}: huntfleet.yaml has no credentials.vendor; the server's own headers and env are used`],
    ],
    ['may go to the only server', { ...oneServer, credentials: { vendor: {} } }, []],
    [
      'must list servers as soon as there are two',
      { mcp_servers: { logs: server, other: server }, credentials: { vendor: {} } },
      [
        `error ${at}: credentials.vendor must say which servers it may go to (credentials.vendor.servers), because there is more than one`,
      ],
    ],
    [
      'may go to a listed server',
      { mcp_servers: { logs: server, other: server }, credentials: { vendor: { servers: ['logs'] } } },
      [],
    ],
    [
      'may not go elsewhere',
      { ...oneServer, credentials: { vendor: { servers: ['other'] } } },
      [`error ${at}: credentials.vendor may not go to the server logs; it may go to other`],
    ],
    [
      'with an empty list may go nowhere',
      { ...oneServer, credentials: { vendor: { servers: [] } } },
      [`error ${at}: credentials.vendor may not go to the server logs; it may go to none`],
    ],
  ])('%s', (_, project, expected) => {
    expect(complaints(bindingWith('    config_key: vendor\n'), contractWith(), project)).toEqual(expected)
  })
})

describe('profiles of a server', () => {
  const project = (defaults: JsonObject, tools: JsonObject = {}): JsonObject => ({
    mcp_servers: { logs: { remote: { url: 'https://mcp.example/' }, defaults, tools } },
  })
  const fetchOf = (binding: string, from: JsonObject) =>
    compileDocuments(contractWith(), binding, {}, from).specs[0]?.fetches[0]

  it('give way to the binding, and defaults to the tool', () => {
    const from = project(
      { timeout: '1s', items_path: 'd', max_rows: 5 },
      { search: { timeout: '2s', items_path: 't' } },
    )
    const fetch = fetchOf(bindingWith('    timeout: 3s\n'), from)
    expect(fetch).toMatchObject({ timeoutMs: 3_000, answer: { itemsPath: 't' } })
    expect(compileDocuments(contractWith(), bindingWith(), {}, from).specs[0]?.budget.maxRows).toBe(5)
  })

  it('join arguments and maps key by key', () => {
    const from = project(
      { mcp_args: { a: 1, b: 1 }, field_map: { id: 'x' } },
      { search: { mcp_args: { b: 2, c: 2 } } },
    )
    const fetch = fetchOf(bindingWith('    mcp_args: {c: 3}\n    field_map: {name: n}\n'), from)
    expect(fetch?.args).toEqual({ a: 1, b: 2, c: 3 })
    expect(fetch?.mapping).toEqual([[{ from: 'path', path: 'x' }], [{ from: 'path', path: 'n' }]])
  })

  it('let a format take the place of an adapter, and the other way round', () => {
    const adapter = project({ response_adapter: 'tabular_text' })
    expect(fetchOf(bindingWith('    response_format: csv\n'), adapter)?.answer).toMatchObject({
      format: 'csv',
      adapter: null,
    })
    const format = project({}, { search: { response_format: 'csv' } })
    expect(fetchOf(bindingWith('    response_adapter: tabular_text\n'), format)?.answer).toMatchObject({
      adapter: 'tabular_text',
    })
  })

  it('may name the mode and the tool', () => {
    const from = project({ fetch_mode: 'mcp_client', mcp_tool: 'search' }, { search: { items_path: 'hits' } })
    const fetch = fetchOf('source_bindings:\n  events: {mcp_server: logs}\n', from)
    expect(fetch).toMatchObject({ tool: 'search', answer: { itemsPath: 'hits' } })
  })
})
