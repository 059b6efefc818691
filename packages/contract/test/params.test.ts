import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../src/json-value.ts'
import type { ParamSpec } from '../src/param-spec.ts'
import { checkParamSpecs, checkParams } from '../src/params.ts'

const scheduledAt = new Date('2026-03-10T12:00:00Z')
const spec = (name: string, more: Partial<ParamSpec> = {}): ParamSpec => ({
  name,
  type: 'str',
  required: false,
  description: '',
  ...more,
})
const check = (specs: ParamSpec[], given: JsonObject, literal: string[] = []) =>
  checkParams(specs, given, scheduledAt, new Set(literal))
const messages = (specs: ParamSpec[], given: JsonObject, literal: string[] = []) =>
  check(specs, given, literal).issues.map((issue) => issue.message)

describe('checkParams', () => {
  it('coerces given values and defaults alike', () => {
    const specs = [
      spec('n', { type: 'int', required: true }),
      spec('f', { type: 'float', default: '2.5' }),
      spec('b', { type: 'bool', required: true, default: true }),
      spec('l', { type: 'list', default: [] }),
      spec('s', { default: 'd' }),
      spec('since', { type: 'timestamp', default: '-1d' }),
    ]
    expect(check(specs, { n: '100', s: '5' })).toEqual({
      values: { n: 100, f: 2.5, b: true, l: [], s: '5', since: '2026-03-09T12:00:00Z' },
      issues: [],
    })
  })

  it('leaves an optional parameter without value out', () => {
    expect(check([spec('env')], {})).toEqual({ values: {}, issues: [] })
  })

  it('takes null for not given', () => {
    expect(check([spec('env', { default: 'prod' })], { env: null }).values).toEqual({ env: 'prod' })
  })

  it('says what a missing parameter is and how to give it', () => {
    const [message] = messages(
      [spec('host', { required: true, type: 'list', description: 'hosts to look at' })],
      {},
    )
    expect(message).toBe(
      'parameter "host" (list, hosts to look at) is required and has no value; give it with --param host=… (a JSON array such as ["a", "b"])',
    )
  })

  it('refuses undeclared parameters and suggests the declared one', () => {
    const { issues } = check([spec('lookback', { default: '7d' })], { lookbak: '30d' })
    expect(issues).toEqual([
      {
        code: 'PARAM_INVALID',
        message: 'unknown parameter "lookbak"; did you mean "lookback"? (known: lookback)',
        path: 'params.lookbak',
      },
    ])
  })

  it.each<[string, Partial<ParamSpec>, Json, string]>([
    ['a value of another type', { type: 'int' }, 7.9, 'parameter "p": 7.9 is not of type int'],
    [
      'a value outside the enum',
      { enum: ['low', 'high'] },
      'hihg',
      '"hihg" is not one of "low", "high"; did you mean "high"?',
    ],
    ['an int outside the enum', { type: 'int', enum: [1, '2'] }, 3, '3 is not one of 1, 2'],
    [
      'an element outside the enum',
      { type: 'list', enum: ['a', 'b'] },
      ['a', 'c'],
      'a list has "c", which is not one of',
    ],
    ['an int below the minimum', { type: 'int', min: 1 }, 0, '0 is below the minimum 1'],
    ['an int above the maximum', { type: 'int', max: '10' }, '11', '"11" is above the maximum "10"'],
    ['a float above the maximum', { type: 'float', max: 0.5 }, 0.50001, 'above the maximum'],
    [
      'a duration above the maximum',
      { type: 'duration', max: '1d' },
      '25h',
      '"25h" is above the maximum "1d"',
    ],
    [
      'a time before the minimum',
      { type: 'timestamp', min: '-30d' },
      '2026-01-01',
      'below the minimum "-30d"',
    ],
    ['an unclosed placeholder', {}, 'a {{ b', 'cannot read'],
    ['an unclosed placeholder in a list', { type: 'list' }, ['{{ b'], 'cannot read'],
  ])('refuses %s', (_, more, value, message) => {
    expect(messages([spec('p', more)], { p: value }).join()).toContain(message)
  })

  it.each<[Partial<ParamSpec>, Json, Json]>([
    [{ enum: ['low', 'high'] }, 'high', 'high'],
    [{ type: 'int', enum: ['1', '2'] }, 2, 2],
    [{ type: 'int', min: 1, max: 10 }, '10', 10],
    [{ type: 'list', enum: ['a', 'b'] }, ['b', 'b'], ['b', 'b']],
    [{ type: 'timestamp', min: '-30d', max: 'now' }, 'now', '2026-03-10T12:00:00Z'],
  ])('accepts within %j the value %j', (more, value, result) => {
    expect(check([spec('p', more)], { p: value })).toEqual({ values: { p: result }, issues: [] })
  })

  it('reports all findings at once', () => {
    const specs = [spec('a', { required: true }), spec('b', { type: 'int' })]
    expect(messages(specs, { b: 'x', c: 1 })).toHaveLength(3)
  })

  it('lets values with placeholders wait until these are filled', () => {
    const specs = [
      spec('scope', { default: 'index={{ index }}', enum: ['index=main'] }),
      spec('n', { type: 'int', default: '{{ other }}', max: 5 }),
      spec('hosts', { type: 'list', default: ['{{host}}', 'fixed'] }),
      spec('text_list', { type: 'list', default: '["{{host}}", "x"]' }),
    ]
    expect(check(specs, {})).toEqual({
      values: {
        scope: 'index={{ index }}',
        n: '{{ other }}',
        hosts: ['{{host}}', 'fixed'],
        text_list: ['{{host}}', 'x'],
      },
      issues: [],
    })
  })

  it('sees no placeholders in literal values', () => {
    const specs = [spec('q'), spec('n', { type: 'int' })]
    expect(check(specs, { q: 'a {{ b' }, ['q', 'n'])).toEqual({ values: { q: 'a {{ b' }, issues: [] })
    expect(messages(specs, { n: '{{ q }}' }, ['q', 'n']).join()).toContain('not of type int')
  })

  it('still expands the default of a parameter that would be literal if given', () => {
    expect(check([spec('q', { default: '{{ a }}' })], {}, ['q']).values).toEqual({ q: '{{ a }}' })
  })

  it('does not look into the prototype of what is given', () => {
    const specs = [spec('constructor'), spec('__proto__')]
    const given: JsonObject = JSON.parse('{"__proto__": "x"}')
    const { values, issues } = check(specs, given)
    expect(issues).toEqual([])
    expect(JSON.stringify(values)).toBe('{"__proto__":"x"}')
  })
})

describe('checkParamSpecs', () => {
  it.each<[Partial<ParamSpec>, string]>([
    [{ type: 'int', default: 'x' }, 'default "x" is not of type int'],
    [{ enum: ['a'], default: 'b' }, 'default "b" is not one of "a"'],
    [{ type: 'int', enum: [1, 'x'] }, 'enum value "x" is not of type int'],
    [{ type: 'int', min: 'x' }, 'min "x" is not of type int'],
    [{ max: 5 }, 'type str has no max'],
    [{ default: '{{ a' }, 'default cannot read'],
  ])('finds what is wrong with %j', (more, message) => {
    const [issue] = checkParamSpecs([spec('p', more)], scheduledAt)
    expect(issue).toMatchObject({ code: 'CONTRACT_INVALID', path: 'params.p' })
    expect(issue?.message).toContain(message)
  })

  it('accepts sound declarations, a required parameter without default among them', () => {
    const specs = [
      spec('a', { required: true }),
      spec('b', { type: 'int', min: 1, max: 9, enum: [3, '4'], default: '4' }),
      spec('c', { type: 'list', enum: ['x', 1], default: ['x'] }),
      spec('d', { default: '{{ a }}' }),
    ]
    expect(checkParamSpecs(specs, scheduledAt)).toEqual([])
  })
})
