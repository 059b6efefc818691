import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileOptions } from '../src/compile.ts'
import type { JsonObject } from '../src/json-value.ts'
import { RunError } from '../src/run-error.ts'
import { tableSpecSchema } from '../src/table-spec.ts'
import { bindingWith, compileDocuments, contractWith } from './read-documents.ts'

const specOf = (binding: string, contract = contractWith(), options: Partial<CompileOptions> = {}) => {
  const [spec] = compileDocuments(contract, binding, options).specs
  if (spec === undefined) throw new Error('the table is not fetched')
  return spec
}
const argsOf = (binding: string, contract?: string, options?: Partial<CompileOptions>) =>
  specOf(binding, contract, options).fetches[0]?.args

function errorOf(action: () => unknown): RunError {
  try {
    action()
  } catch (error) {
    if (error instanceof RunError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('a table spec', () => {
  it('has every default of the seeds', () => {
    const pagination = '    pagination: {mode: offset, offset_param: from}\n'
    const spec = specOf(bindingWith(pagination))
    expect(spec).toMatchObject({
      runId: 'dns.20261130T120000Z.abcdef',
      strategy: 'dns',
      version: '1',
      table: 'events',
      server: 'logs',
      tool: 'search',
      optional: false,
      budget: { timeMs: 300_000, maxRows: 10_000, maxBytes: null, maxPages: null, maxCalls: null },
      onReject: 'null',
      onIncomplete: 'keep',
      dedupeKey: [],
      dataPrefix: 'data/events',
      rejectsPrefix: '_rejects/data/events',
      scheduledAt: '2026-11-30T12:00:00.000Z',
      hashes: { contract: 'c', binding: 'b' },
    })
    expect(spec.columns).toEqual([
      {
        name: 'id',
        type: 'BIGINT',
        required: false,
        format: null,
        timezone: null,
        round: 'reject',
        sensitive: 'none',
      },
      {
        name: 'name',
        type: 'VARCHAR',
        required: false,
        format: null,
        timezone: null,
        round: 'reject',
        sensitive: 'none',
      },
    ])
    expect(spec.fetches).toHaveLength(1)
    expect(spec.fetches[0]).toMatchObject({
      configKey: null,
      label: '',
      args: {},
      late: [],
      timeoutMs: 30_000,
      answer: {
        format: 'json',
        adapter: null,
        contentFrom: 'auto',
        blocks: 'auto',
        extract: 'auto',
        csv: { delimiter: ',', comment: null, header: true },
        errorWhen: null,
        emptyWhen: [],
        truncatedWhen: null,
        onTruncated: 'warn',
        itemsPath: null,
        singleItem: false,
        rows: 'auto',
        nullValues: [],
      },
      pagination: {
        mode: 'offset',
        pageSize: 100,
        offsetParam: 'from',
        limitParam: null,
        totalPath: null,
        stopOn: 'partial',
        confirm: 'auto',
        repeatGuard: 'stop',
      },
      retry: { attempts: 4, baseMs: 1_000, maxMs: 30_000 },
    })
  })

  it('takes what the binding says', () => {
    const spec = specOf(
      bindingWith(
        [
          'timeout: 2m',
          'budget: 1h30m',
          'max_rows: 7',
          'max_bytes: 8',
          'max_pages: 9',
          'max_calls: 10',
          'on_reject: fail',
          'on_incomplete: fail',
          'dedupe_key: [id, name]',
          'retry: {attempts: 1, base: 500ms, max: 2s}',
          'config_key: vendor',
        ]
          .map((line) => `    ${line}\n`)
          .join(''),
      ),
    )
    expect(spec).toMatchObject({
      budget: { timeMs: 5_400_000, maxRows: 7, maxBytes: 8, maxPages: 9, maxCalls: 10 },
      onReject: 'fail',
      onIncomplete: 'fail',
      dedupeKey: ['id', 'name'],
    })
    expect(spec.fetches[0]).toMatchObject({
      timeoutMs: 120_000,
      configKey: 'vendor',
      retry: { attempts: 1, baseMs: 500, maxMs: 2_000 },
    })
  })

  it('names column types canonically', () => {
    const contract = contractWith(
      '',
      '        a: text\n        b: int64\n        c: hugeint\n        d: decimal(9,2)\n        e: "long[]"\n        f: datetime\n',
    )
    expect(specOf(bindingWith(), contract).columns.map((column) => column.type)).toEqual([
      'VARCHAR',
      'BIGINT',
      'DECIMAL(38,0)',
      'DECIMAL(9,2)',
      'BIGINT[]',
      'TIMESTAMP',
    ])
  })

  it('is small and is what a worker accepts', () => {
    const contract = contractWith(
      'params: {hosts: {type: list, default: [a, b]}}\n',
      Array.from({ length: 12 }, (_, i) => `        column_${i}: VARCHAR\n`).join(''),
    )
    const pagination =
      'mode: offset, page_size: 1000, offset_param: from, limit_param: size, total_path: meta.total'
    const spec = specOf(
      bindingWith(
        `    mcp_args: {index: logs, hosts: "{{hosts}}"}\n    items_path: data\n    pagination: {${pagination}}\n`,
      ),
      contract,
    )
    expect(tableSpecSchema.parse(spec)).toEqual(spec)
    expect(JSON.stringify(spec).length).toBeLessThan(4_096)
  })

  it('hashes its arguments', () => {
    const hash = (args: string) => specOf(bindingWith(`    mcp_args: ${args}\n`)).hashes.args
    expect(hash('{a: 1}')).toMatch(/^[0-9a-f]{64}$/)
    expect(hash('{a: 1}')).toBe(hash('{a: 1}'))
    expect(hash('{a: 1}')).not.toBe(hash('{a: 2}'))
  })
})

describe('limits of the command line', () => {
  it('lower max_rows and never raise it', () => {
    expect(specOf(bindingWith('    max_rows: 50\n'), undefined, { maxRows: 5 }).budget.maxRows).toBe(5)
    expect(specOf(bindingWith('    max_rows: 50\n'), undefined, { maxRows: 500 }).budget.maxRows).toBe(50)
  })

  it('choose tables', () => {
    const contract = contractWith(
      '',
      '        id: BIGINT\n    other: {optional: true, columns: {x: BIGINT}}\n',
    )
    expect(compileDocuments(contract, bindingWith(), { tables: ['other'] })).toMatchObject({
      specs: [],
      settled: { other: { outcome: 'skipped' } },
    })
    expect(compileDocuments(contract, bindingWith(), { tables: ['events'] }).settled).toEqual({})
    expect(errorOf(() => compileDocuments(contract, bindingWith(), { tables: ['evnts'] }))).toMatchObject({
      code: 'USAGE_INVALID',
      message: 'the contract has no table "evnts"; its tables are events, other; did you mean events?',
    })
  })
})

describe('parameters', () => {
  const contract = contractWith(
    'params: {days: {type: int, required: true}, hosts: {type: list, default: [a]}}\n',
  )
  const binding = bindingWith(
    '    mcp_args: {days: "{{days}}", q: {hosts: "{{ hosts }}"}, text: "last {{days}} d"}\n',
  )

  it('are coerced and keep their type', () => {
    expect(argsOf(binding, contract, { params: { days: '7' } })).toEqual({
      days: 7,
      q: { hosts: ['a'] },
      text: 'last 7 d',
    })
  })

  it('are all checked before anything is compiled', () => {
    const error = errorOf(() => argsOf(binding, contract, { params: { days: 'x', dyas: 1 } }))
    expect(error.code).toBe('PARAM_INVALID')
    expect(error.context.issues?.map((issue) => issue.message)).toEqual([
      expect.stringContaining('unknown parameter "dyas"; did you mean "days"?'),
      expect.stringContaining('parameter "days": "x" is not of type int'),
    ])
  })

  it('that are literal hold no placeholders', () => {
    const text = contractWith('params: {a: {}, b: {default: B}}\n')
    const params = { a: '{{b}}' }
    expect(argsOf(bindingWith('    mcp_args: {x: "{{a}}"}\n'), text, { params })).toEqual({ x: 'B' })
    expect(
      argsOf(bindingWith('    mcp_args: {x: "{{a}}"}\n'), text, { params, literal: new Set(['a']) }),
    ).toEqual({ x: '{{b}}' })
  })

  it('without a value are an error that says where', () => {
    const text = contractWith('params: {a: {}, "b": {}}\n')
    const error = errorOf(() =>
      argsOf(bindingWith('    mcp_args: {list: [x, {"k.1": "{{a}}"}]}\n    index: "{{b}}"\n'), text),
    )
    expect(error).toMatchObject({
      code: 'PLACEHOLDER_UNRESOLVED',
      context: { file: 'binding.yaml', line: 6, column: 34 },
    })
    expect(error.context.issues?.map((issue) => [issue.line, issue.message])).toEqual([
      [6, expect.stringContaining('source_bindings.events.mcp_args.list[1]["k.1"]: {{a}} has no value')],
      [7, expect.stringContaining('source_bindings.events.index: {{b}} has no value')],
    ])
  })

  it('of the run and its window are there', () => {
    const args = argsOf(
      bindingWith('    mcp_args: {id: "{{run.id}}", at: "{{run.scheduled_at}}", from: "{{window.start}}"}\n'),
      undefined,
      {
        window: { start: '2026-11-29T00:00:00Z', end: null },
      },
    )
    expect(args).toEqual({
      id: 'dns.20261130T120000Z.abcdef',
      at: '2026-11-30T12:00:00.000Z',
      from: '2026-11-29T00:00:00Z',
    })
  })

  it('of a window that the run lacks are an error', () => {
    expect(errorOf(() => argsOf(bindingWith('    mcp_args: {to: "{{window.end}}"}\n'))).message).toContain(
      '{{window.end}}',
    )
  })
})

describe('query_template and index', () => {
  it.each<[string, JsonObject]>([
    ['query_template: q, index: i', { query: 'q', index: 'i' }],
    ['query_template: q, query_param: sql, index: i, index_param: table', { sql: 'q', table: 'i' }],
    [
      'query_template: q, index: i, mcp_args: {query: mine, index: mine, x: 1}',
      { query: 'mine', index: 'mine', x: 1 },
    ],
    ['query_template: q, query_param: sql, mcp_args: {query: mine}', { query: 'mine', sql: 'q' }],
    ['query_param: sql', {}],
  ])('%s', (fields, args) => {
    const binding = `source_bindings:\n  events: {fetch_mode: fleet, mcp_server: logs, mcp_tool: t, ${fields}}\n`
    expect(argsOf(binding)).toEqual(args)
  })

  it('are blamed under their own names, renamed or not', () => {
    const contract = contractWith('params: {a: {}}\n')
    const wrong = (more: string) => errorOf(() => argsOf(bindingWith(more), contract)).message
    expect(wrong('    query_template: "{{a}}"\n    query_param: sql\n')).toContain(
      'source_bindings.events.query_template: ',
    )
    expect(wrong('    index: "{{a}}"\n    index_param: sql\n')).toContain('source_bindings.events.index: ')
  })
})

describe('for_each', () => {
  const contract = contractWith(
    'params: {hosts: {type: list}, more: {type: list, default: [x, "{{word}}"]}, word: {default: w}}\n',
  )
  const binding = (more = '') =>
    bindingWith(`    for_each: {param: hosts, chunk: 2${more}}\n    mcp_args: {hosts: "{{hosts}}"}\n`)
  const chunks = (params: JsonObject, text = binding()) =>
    specOf(text, contract, { params }).fetches.map((fetch) => [
      fetch.label,
      fetch.args['hosts'] ?? fetch.args['some'],
    ])

  it('makes a fetch per chunk', () => {
    expect(chunks({ hosts: ['a', 'b', 'c'] })).toEqual([
      ['hosts[0..1]', ['a', 'b']],
      ['hosts[2..2]', ['c']],
    ])
  })

  it('calls the chunk what `as` says, beside the whole list', () => {
    const text = bindingWith(
      '    for_each: {param: hosts, chunk: 1, as: one}\n    mcp_args: {some: "{{one}}", all: "{{hosts}}"}\n',
    )
    expect(
      specOf(text, contract, { params: { hosts: ['a', 'b'] } }).fetches.map((fetch) => fetch.args),
    ).toEqual([
      { some: ['a'], all: ['a', 'b'] },
      { some: ['b'], all: ['a', 'b'] },
    ])
  })

  it('over an empty list fetches nothing and still makes the table', () => {
    const spec = specOf(binding(), contract, { params: { hosts: [] } })
    expect(spec).toMatchObject({ fetches: [], server: 'logs', tool: 'search' })
    expect(tableSpecSchema.parse(spec)).toEqual(spec)
  })

  it('over a list that nobody gave is an error, not an empty table', () => {
    expect(errorOf(() => chunks({}))).toMatchObject({
      code: 'PLACEHOLDER_UNRESOLVED',
      message: expect.stringContaining('source_bindings.events.for_each.param: {{hosts}} has no value'),
      context: { line: 6, column: 23 },
    })
  })

  it('takes a list that comes out of another parameter', () => {
    expect(chunks({ hosts: '{{more}}' })).toEqual([['hosts[0..1]', ['x', 'w']]])
  })

  it('does not expand the elements twice', () => {
    const params = { hosts: ['{{word}}'], word: '{{more}}' }
    expect(errorOf(() => chunks(params)).code).toBe('PLACEHOLDER_UNRESOLVED')
    const literal = specOf(binding(), contract, {
      params: { hosts: ['{{word}}'] },
      literal: new Set(['hosts']),
    })
    expect(literal.fetches[0]?.args).toEqual({ hosts: ['{{word}}'] })
  })
})

describe('a list of sources', () => {
  const entry = (more: string) => `    - {fetch_mode: fleet, mcp_server: logs, mcp_tool: t${more}}\n`
  const binding = (...entries: string[]) => `source_bindings:\n  events:\n${entries.map(entry).join('')}`

  it('makes one table with the widest limits', () => {
    const spec = specOf(
      binding(', max_rows: 5, max_pages: 1', ', max_rows: 7, budget: 10m, on_incomplete: fail'),
    )
    expect(spec.fetches.map((fetch) => fetch.label)).toEqual(['1', '2'])
    expect(spec).toMatchObject({ budget: { maxRows: 7, timeMs: 600_000, maxPages: 1 }, onIncomplete: 'fail' })
  })

  it('waits for an agent if one of them does', () => {
    const run = compileDocuments(
      contractWith(),
      'source_bindings:\n  events:\n    - {fetch_mode: fleet, mcp_server: logs, mcp_tool: t}\n    - {fetch_mode: agent}\n',
    )
    expect(run).toMatchObject({ specs: [], settled: { events: { outcome: 'awaiting_agent' } } })
  })

  it('chunks each source by its own list', () => {
    const contract = contractWith('params: {hosts: {type: list, default: [a, b]}}\n')
    const spec = specOf(binding(', for_each: {param: hosts, chunk: 1}', ''), contract)
    expect(spec.fetches.map((fetch) => fetch.label)).toEqual(['1 hosts[0..0]', '1 hosts[1..1]', '2'])
  })
})

describe('the binding as read', () => {
  it('is not changed by a run', () => {
    const contract = contractWith('params: {a: {default: 1}}\n')
    const binding = bindingWith('    mcp_args: {q: {deep: "{{a}}"}}\n')
    expect(argsOf(binding, contract)).toEqual(argsOf(binding, contract))
  })
})

describe('any valid binding', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const paging = fc.oneof(
    fc.record({
      mode: fc.constant('offset'),
      offset_param: word,
      limit_param: maybe(word),
      page_size: maybe(fc.integer({ min: 1, max: 9_999 })),
    }),
    fc.record({ mode: fc.constant('page'), page_param: word, start_page: maybe(fc.nat(3)) }),
    fc.record({ mode: fc.constant('cursor'), cursor_param: word, next_cursor_path: word }),
    fc.record({
      mode: fc.constant('keyset'),
      cursor_param: word,
      cursor_from_last: fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })),
    }),
    fc.record({ mode: fc.constant('none') }),
  )
  const bindings = fc.record({
    fetch_mode: fc.constantFrom('mcp_client', 'fleet', 'fracta_mcp_gateway'),
    mcp_server: fc.constant('logs'),
    mcp_tool: word,
    mcp_args: maybe(
      fc.dictionary(
        word,
        // No placeholders, no integers beyond 2^53, no __proto__.
        fc.jsonValue({ maxDepth: 2 }).filter((json) => !/\{\{|\d{16}|__proto__/.test(JSON.stringify(json))),
      ),
    ),
    field_map: maybe(
      fc.record({
        id: fc.oneof(
          word,
          fc.constant('$'),
          fc.array(word, { minLength: 1 }),
          fc.record({ value: fc.nat() }),
        ),
      }),
    ),
    items_path: maybe(word),
    max_rows: maybe(fc.integer({ min: 1 })),
    timeout: maybe(fc.constantFrom('500ms', '1m', '1h30m')),
    on_reject: maybe(fc.constantFrom('null', 'drop_row', 'fail')),
    error_when: maybe(
      fc.array(fc.oneof(fc.record({ text: word }), fc.record({ path: word, equals: fc.nat() })), {
        maxLength: 3,
      }),
    ),
    pagination: maybe(paging),
  })

  it('compiles to a spec that a worker accepts as it is', () => {
    fc.assert(
      fc.property(bindings, (binding) => {
        const text = JSON.stringify({ source_bindings: { events: binding } })
        const spec = specOf(text)
        expect(tableSpecSchema.parse(JSON.parse(JSON.stringify(spec)))).toEqual(spec)
      }),
      { numRuns: 40 },
    )
  })
})
