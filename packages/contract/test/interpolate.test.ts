import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { interpolate } from '../src/interpolate.ts'
import type { Json, JsonObject } from '../src/json-value.ts'
import type { ParamSpec } from '../src/param-spec.ts'
import type { Scope } from '../src/scope.ts'

const builtins = {
  'run.id': 'dns-hourly.20260310T120000Z',
  'run.scheduled_at': '2026-03-10T12:00:00Z',
  'window.start': '2026-03-10T11:00:00Z',
  'window.end': '2026-03-10T12:00:00Z',
}
const scope = (params: JsonObject, more: Partial<Scope> = {}): Scope => ({
  params,
  literal: new Set(),
  builtins,
  ...more,
})
const filled = (value: Json, params: JsonObject, more: Partial<Scope> = {}) => {
  const result = interpolate(value, scope(params, more), 'mcp_args')
  return result.issues.length > 0 ? result.issues : result.value
}
const messages = (value: Json, params: JsonObject, more: Partial<Scope> = {}) =>
  interpolate(value, scope(params, more), 'mcp_args').issues.map(({ message }) => message)

describe('interpolate', () => {
  it('gives a string that is one placeholder the type of its value', () => {
    const params = { categories: ['malware', 'c2, "exfil"'], limit: 50, exact: false, who: "o'neil {x}" }
    const args = {
      index: 'logs-{{ who }}-*',
      body: { size: '{{limit}}', exact: '{{ exact }}', terms: { 'dns.Category': '{{categories}}' } },
      untouched: [5, null, true],
      '{{who}}': 'key untouched',
    }
    expect(filled(args, params)).toEqual({
      index: "logs-o'neil {x}-*",
      body: { size: 50, exact: false, terms: { 'dns.Category': ['malware', 'c2, "exfil"'] } },
      untouched: [5, null, true],
      '{{who}}': 'key untouched',
    })
  })

  it('writes scalars plainly inside a longer string', () => {
    const params = { n: 1e21, small: 1e-7, yes: true, nothing: null, text: 'x' }
    expect(filled('{{n}} {{small}} {{yes}} [{{nothing}}] {{text}}', params)).toBe(
      '1000000000000000000000 0.0000001 true [] x',
    )
  })

  it('expands placeholders in the values of parameters and in the elements of lists', () => {
    const params = {
      index: 'main',
      scope: 'index={{ index }}',
      search: 'search {{scope}} host={{host}}',
      host: 'web-1',
      hosts: ['{{host}}', 'fixed', { '{{host}}': '{{scope}}' }],
    }
    expect(filled({ q: '{{search}} | head 5', hosts: '{{ hosts }}' }, params)).toEqual({
      q: 'search index=main host=web-1 | head 5',
      hosts: ['web-1', 'fixed', { '{{host}}': 'index=main' }],
    })
  })

  it.each<[string, Json]>([
    ['cat:({{ cats | join(" OR ") }})', 'cat:(dns OR web)'],
    ['{"terms":{{ cats | json }}}', '{"terms":["dns","web"]}'],
    ["name = '{{ who | sql }}'", "name = 'o''neil'"],
    ['x IN ({{ cats | sql }})', "x IN ('dns','web')"],
    ['env={{ env | default("prod") }}', 'env=prod'],
    ['{{ env | default(5) }}', 5],
    ['{{ env | default("a b") | url }}', 'a%20b'],
    ['{{ cats | join(",") }}', 'dns,web'],
    ['{{ window.start | minus("10m") | epoch }}', 1_773_139_800],
    [
      '{{ run.id }} {{ run.scheduled_at }} {{ window.end }}',
      `${builtins['run.id']} 2026-03-10T12:00:00Z 2026-03-10T12:00:00Z`,
    ],
  ])('fills %j', (template, result) => {
    expect(filled(template, { cats: ['dns', 'web'], who: "o'neil" })).toEqual(result)
  })

  it('expands a value fully before its filters apply', () => {
    expect(filled('{{ a | sql }}', { a: "it's {{ b }}", b: "o'neil" })).toBe("it''s o''neil")
  })

  it('never scans results again', () => {
    const params = {
      evil: 'x',
      json: { '{{evil}}': 1 },
      list: ['{{{{evil', '}}}}'],
      escaped: '{{{{ evil }}}}',
    }
    expect(filled('{{ list | join("") }}', params)).toBe('{{evil}}}}')
    expect(filled('{{ json | json }}', params)).toBe('{"{{evil}}":1}')
    expect(filled('{{ none | default("{{evil}}") }}', params)).toBe('{{evil}}')
    expect(filled(['{{{{ evil }}}}', '{{ escaped }}', 'a {{ escaped }}'], params)).toEqual([
      '{{ evil }}',
      '{{ evil }}',
      'a {{ evil }}',
    ])
  })

  it('does not expand literal values', () => {
    const params = {
      given: '{{ secret.KEY }} {{ other }}',
      list: ['{{ other }}'],
      other: 'x',
      outer: '<{{ given }}>',
    }
    const literal = new Set(['given', 'list'])
    expect(
      filled(['{{ given }}', 'a {{ given }}', '{{ list }}', '{{ outer }}'], params, { literal }),
    ).toEqual([
      '{{ secret.KEY }} {{ other }}',
      'a {{ secret.KEY }} {{ other }}',
      ['{{ other }}'],
      '<{{ secret.KEY }} {{ other }}>',
    ])
  })

  it('names an unresolved placeholder, its place and what it could have been', () => {
    const args = { range: { gte: '{{start_time}}', lte: '{{ end_tme }}' } }
    const { issues } = interpolate(args, scope({ start_time: 'a', end_time: 'now' }), 'mcp_args')
    expect(issues).toHaveLength(1)
    expect(issues[0]).toMatchObject({ code: 'PLACEHOLDER_UNRESOLVED', path: 'mcp_args.range.lte' })
    expect(issues[0]?.message).toContain('{{ end_tme }} has no value')
    expect(issues[0]?.message).toContain('did you mean "end_time"')
    expect(issues[0]?.message).toContain('known: start_time, end_time, run.id')
  })

  it('reports every problem with its place', () => {
    const args = { a: '{{ x }} {{ y }}', b: ['{{ broken', '{{ ok | nope }}'] }
    const { issues } = interpolate(args, scope({ ok: 1 }), 'mcp_args')
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      ['mcp_args.a', 'PLACEHOLDER_UNRESOLVED'],
      ['mcp_args.a', 'PLACEHOLDER_UNRESOLVED'],
      ['mcp_args.b[0]', 'BINDING_INVALID'],
      ['mcp_args.b[1]', 'BINDING_INVALID'],
    ])
  })

  it.each<[string, Json, JsonObject, string]>([
    ['a list in a longer string', 'x {{ l }}', { l: ['a'] }, '{{ l }} is a list, which has no plain text'],
    ['a map in a longer string', 'x {{ m }}', { m: { a: 1 } }, 'is a map'],
    ['a filter that does not suit', '{{ s | join(",") }}', { s: 'x' }, '{{ s | join(",") }}: filter join'],
    [
      'a problem inside a parameter',
      '{{ a }}',
      { a: '{{ nope }}' },
      'in the value of parameter "a": {{ nope }} has no value',
    ],
    ['a name of the prototype', '{{ constructor }}', {}, 'unknown placeholder "constructor"'],
    ['a misspelt late name', '{{ page.ofset }}', {}, 'did you mean "page.offset"'],
    ['an empty secret name', '{{ secret }}', {}, 'unknown placeholder "secret"'],
  ])('refuses %s', (_, value, params, message) => {
    expect(messages(value, params).join('\n')).toContain(message)
  })

  it('tells an optional parameter that is not given from an unknown one', () => {
    const specs: ParamSpec[] = [{ name: 'env', type: 'str', required: false, description: '' }]
    expect(messages('{{ env }}', {}, { specs }).join()).toContain(
      'optional and not given; give it with --param env=…',
    )
  })

  it('says when the run has no window', () => {
    const { 'run.id': id, 'run.scheduled_at': at } = builtins
    const windowless = { builtins: { 'run.id': id, 'run.scheduled_at': at } }
    expect(messages('{{ window.start }}', {}, windowless).join()).toContain('the run has no window')
    expect(filled('{{ window.start | default("-") }}', {}, windowless)).toBe('-')
  })

  it.each<[JsonObject, string]>([
    [{ a: '{{ b }}', b: 'x {{ a }}' }, 'a → b → a'],
    [{ a: '{{ a }}' }, 'a → a'],
    [{ a: '{{ b }}', b: '{{ c }}', c: ['{{ b }}'] }, 'b → c → b'],
  ])('names the cycle in %j', (params, cycle) => {
    expect(messages('{{ a }}', params).join()).toContain(cycle)
  })

  const chain = (length: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `p${index + 1}`,
        index + 1 === length ? 'end' : `{{ p${index + 2} }}`,
      ]),
    )

  it('expands ten levels and no more, whichever parameter comes first', () => {
    expect(filled('{{ p1 }}', chain(10))).toBe('end')
    expect(messages('{{ p1 }}', chain(11)).join()).toContain('nest more than 10 levels')
    expect(messages(['{{ p2 }}', '{{ p1 }}'], chain(11)).join()).toContain('nest more than 10 levels')
    expect(messages('{{ p1 }}', chain(100_000)).join()).toContain('nest more than 10 levels')
  })

  it.each<[string, (next: string) => Json, Json]>([
    ['texts', (next) => `{{ ${next} }}`.repeat(50), 'x'.repeat(50)],
    ['lists', (next) => Array.from({ length: 50 }, () => `{{ ${next} }}`), [[], [], []]],
  ])(
    'stops %s that outgrow the memory',
    (_, repeated, end) => {
      const params: JsonObject = { p9: end }
      for (let level = 8; level >= 0; level -= 1) params[`p${level}`] = repeated(`p${level + 1}`)
      expect(messages({ q: '{{ p0 }}' }, params).join()).toContain('grow beyond')
    },
    20_000,
  )

  it('reports a problem once, however often the parameter that has it is named', () => {
    const params: JsonObject = { p9: '{{ nope }}' }
    for (let level = 8; level >= 0; level -= 1) params[`p${level}`] = `{{ p${level + 1} }}`.repeat(50)
    expect(messages('{{ p0 }}', params)).toHaveLength(1)
  })

  it('coerces and checks values once their placeholders are filled', () => {
    const specs: ParamSpec[] = [
      { name: 'n', type: 'int', required: false, description: '', max: 5 },
      { name: 'since', type: 'timestamp', required: false, description: '' },
      { name: 'text', type: 'str', required: false, description: '' },
    ]
    const params = { n: '{{ digits }}', since: '{{ when }}', text: '{{ n }}', digits: '5', when: '-1h' }
    expect(filled(['{{ n }}', '{{ since }}', '{{ text }}'], params, { specs })).toEqual([
      5,
      '2026-03-10T11:00:00Z',
      '5',
    ])
    expect(messages('{{ n }}', { ...params, digits: '6' }, { specs })).toEqual([
      'in the value of parameter "n": "6" is above the maximum 5',
    ])
  })

  it('shares nothing with its input and does not change it', () => {
    const params = { list: ['a', { b: 'c' }] }
    const args = { one: '{{ list }}', two: '{{ list }}', own: ['x'] }
    const before = JSON.stringify([params, args])
    const { value } = interpolate(args, scope(params, { literal: new Set(['list']) }))
    expect(value).toEqual({ one: params.list, two: params.list, own: ['x'] })
    const { one, two, own } = Object(value)
    one.push('changed')
    own.push('changed')
    expect(two).toEqual(['a', { b: 'c' }])
    expect(JSON.stringify([params, args])).toBe(before)
  })

  it('walks 20,000 levels', () => {
    let deep: Json = '{{ nope }}'
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    expect(messages(deep, {})).toHaveLength(1)
  })

  it('is the identity for values without double braces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json: Json = JSON.parse(JSON.stringify(value))
        fc.pre(!JSON.stringify(json).includes('{{'))
        expect(interpolate(json, scope({}))).toEqual({ value: json, late: [], issues: [] })
      }),
    )
  })
})

describe('late placeholders', () => {
  const late = (value: Json, params: JsonObject = {}) => interpolate(value, scope(params), 'mcp_args')

  it('leave null and the text around them', () => {
    const result = late(
      { q: 'LIMIT {{ page.limit }} OFFSET {{page.offset}} -- {{ who }}{{ who }}', n: 1 },
      { who: 'x' },
    )
    expect(result).toEqual({
      value: { q: null, n: 1 },
      late: [
        {
          at: ['q'],
          parts: [
            'LIMIT ',
            { name: 'page.limit', filters: [] },
            ' OFFSET ',
            { name: 'page.offset', filters: [] },
            ' -- xx',
          ],
        },
      ],
      issues: [],
    })
  })

  it('keep their filters and work through parameters', () => {
    const params = {
      paging: 'from {{ page.offset }}',
      cursor: '{{ page.cursor | url }}',
      list: ['a', '{{ job.id }}'],
    }
    const {
      value,
      late: found,
      issues,
    } = late(
      { a: 'x {{ paging }}', b: ['{{ cursor | default("*") }}'], c: '{{ list }}', d: '{{ secret.TOKEN }}' },
      params,
    )
    expect(issues).toEqual([])
    expect(value).toEqual({ a: null, b: [null], c: ['a', null], d: null })
    expect(found).toEqual([
      { at: ['a'], parts: ['x from ', { name: 'page.offset', filters: [] }] },
      {
        at: ['b', 0],
        parts: [
          {
            name: 'page.cursor',
            filters: [
              { name: 'url', args: [] },
              { name: 'default', args: ['*'] },
            ],
          },
        ],
      },
      { at: ['c', 1], parts: [{ name: 'job.id', filters: [] }] },
      { at: ['d'], parts: [{ name: 'secret.TOKEN', filters: [] }] },
    ])
  })

  it('do not let literal braces around them be read again', () => {
    expect(late('{{{{ x }}}} {{ page.number }}').late).toEqual([
      { at: [], parts: ['{{ x }} ', { name: 'page.number', filters: [] }] },
    ])
  })

  it.each<[string, Json, JsonObject, string]>([
    [
      'a filter on a text that holds one',
      '{{ q | url }}',
      { q: 'x {{ page.offset }}' },
      'put the filter on that placeholder',
    ],
    [
      'a filter on a list that holds one',
      '{{ q | json }}',
      { q: ['{{ page.offset }}'] },
      'put the filter on that placeholder',
    ],
    ['a list that holds one in a longer text', 'x {{ q }}', { q: ['{{ page.offset }}'] }, 'is a list'],
    ['an unknown filter on one', '{{ page.cursor | nope }}', {}, 'unknown filter "nope"'],
  ])('refuse %s', (_, value, params, message) => {
    expect(
      late(value, params)
        .issues.map((issue) => issue.message)
        .join(),
    ).toContain(message)
  })
})
