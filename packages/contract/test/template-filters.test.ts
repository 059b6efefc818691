import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../src/json-value.ts'
import { applyFilter, checkFilter, filterEscapes, filterNames } from '../src/template-filters.ts'

const apply = (name: string, value: Json, ...args: Json[]) => applyFilter({ name, args }, value)

describe('applyFilter', () => {
  it.each<[string, Json, Json[], Json]>([
    ['join', ['dns', 'web'], [' OR '], 'dns OR web'],
    ['join', [1, true, null, 'x'], [], '1,true,,x'],
    ['join', [], [','], ''],
    ['json', ['dns', 'we"b'], [], '["dns","we\\"b"]'],
    ['json', null, [], 'null'],
    ['default', null, ['prod'], 'prod'],
    ['default', '', ['prod'], ''],
    ['default', 0, [5], 0],
    ['url', "a b/ü'(*)!~", [], 'a%20b%2F%C3%BC%27%28%2A%29%21~'],
    ['url', '\ud800', [], '%EF%BF%BD'],
    ['url', 5, [], '5'],
    ['epoch', '2026-01-01T00:00:00Z', [], 1_767_225_600],
    ['epoch', '2026-01-01T00:00:00.999Z', [], 1_767_225_600],
    ['epoch', '1969-12-31T23:59:59.5Z', [], -1],
    ['epoch', 1_767_225_600_000, [], 1_767_225_600],
    ['epoch_ms', '2026-01-01T00:00:00.1239Z', [], 1_767_225_600_123],
    ['date', '2026-01-01T10:00:00+02:00', ["yyyy/MM/dd HH'h'"], '2026/01/01 08h'],
    ['minus', '2026-01-01T00:00:00Z', ['10m'], '2025-12-31T23:50:00Z'],
    ['plus', '2026-01-01', ['1d'], '2026-01-02T00:00:00Z'],
  ])('%s makes of %j with %j the right value', (name, value, args, result) => {
    expect(apply(name, value, ...args)).toEqual(result)
  })

  it.each<[string, Json, Json[], string]>([
    ['sql', "o'neil", [], "o''neil"],
    ['sql', ["o'neil", 5, true], [], "'o''neil',5,true"],
    ['sql', 1e21, [], '1000000000000000000000'],
    ['sql', "a\\' or 1=1 --", ['backslash'], "a\\\\'' or 1=1 --"],
    ['sql', ['C:\\x'], ['backslash'], "'C:\\\\x'"],
    ['spl', 'a"b\\c', [], 'a\\"b\\\\c'],
    ['spl', ['a"', 5], [], '"a\\"",5'],
    ['kql', `a"b'c\\d\ne`, [], `a\\"b\\'c\\\\d\\ne`],
    ['kql', ['x', 'y"'], [], '"x","y\\""'],
    ['lucene', 'a b:c/(d) && "e"*', [], 'a\\ b\\:c\\/\\(d\\)\\ \\&\\&\\ \\"e\\"\\*'],
    ['lucene', 'AND', [], '\\AND'],
    ['lucene', 'ANDROID', [], 'ANDROID'],
    ['lucene', ['evil "x"', 'b\\', '>5'], [], '"evil \\"x\\"" OR "b\\\\" OR ">5"'],
  ])('%s quotes %j', (name, value, args, result) => {
    expect(apply(name, value, ...args)).toBe(result)
  })

  it.each<[string, Json, string]>([
    ['sql', 'C:\\x', 'backslash'],
    ['sql', ['C:\\x'], 'backslash'],
    ['sql', 'a\0b', 'NUL'],
    ['sql', [], 'empty'],
    ['sql', [['a']], 'a list'],
    ['sql', ['a', null], 'null'],
    ['sql', { a: 1 }, 'map'],
    ['spl', [], 'empty'],
    ['lucene', '<5', 'starts with <'],
    ['join', 'x', 'a string, not a list'],
    ['join', [['x']], 'a list'],
    ['url', ['x'], 'join'],
    ['epoch', 'yesterday', '"yesterday" is not a time'],
    ['epoch', '-7d', 'not a time'],
    ['epoch', null, 'not a time'],
    ['epoch', ['2026-01-01'], 'a list is not a time'],
  ])('%s refuses %j', (name, value, reason) => {
    const refusal = (): Json => {
      try {
        return apply(name, value)
      } catch (error) {
        return JSON.stringify(error)
      }
    }
    expect(refusal()).toContain('ARGUMENT_INVALID')
    expect(refusal()).toContain(JSON.stringify(reason).slice(1, -1))
  })

  it('refuses to serialise what would exhaust the stack', () => {
    let deep: Json = 1
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    expect(() => apply('json', deep)).toThrow('levels of nesting')
  })

  it('leaves no way out of a SQL literal', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", 'a', '"', ';', '-') }), (text) => {
        expect(String(apply('sql', text)).replaceAll("''", '')).not.toContain("'")
      }),
    )
  })

  it('writes SPL and Kusto literals that read back as the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', 'n', "'", 'a') }), (text) => {
        for (const filter of ['spl', 'kql']) {
          const literal = String(apply(filter, text))
          expect(literal).toMatch(/^(?:[^"\\]|\\.)*$/s)
          expect(literal.replace(/\\(.)/gs, '$1')).toBe(text)
        }
      }),
    )
  })

  it('encodes any text so that it reads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const encoded = String(apply('url', text))
        expect(encoded).toMatch(/^[\w.~%-]*$/)
        expect(decodeURIComponent(encoded)).toBe(text.toWellFormed())
      }),
    )
  })
})

describe('checkFilter', () => {
  it('suggests and lists filters for an unknown name', () => {
    const message = checkFilter({ name: 'jion', args: [] })
    expect(message).toContain('did you mean "join"')
    for (const name of filterNames) expect(message).toContain(name)
  })

  it.each([
    ['constructor', []],
    ['join', [5]],
    ['join', [',', ',']],
    ['json', ['x']],
    ['sql', ['mysql']],
    ['default', []],
    ['date', []],
    ['date', ['QQQ']],
    ['minus', ['10']],
    ['minus', []],
    ['plus', [10]],
  ])('refuses %s with %j', (name, args) => {
    expect(checkFilter({ name, args })).toBeTypeOf('string')
    expect(() => applyFilter({ name, args }, '2026-01-01')).toThrow('filter')
  })

  it.each([
    ['join', []],
    ['sql', ['backslash']],
    ['default', [5]],
    ['date', ['yyyy']],
    ['minus', ['1h30m']],
  ])('accepts %s with %j', (name, args) => {
    expect(checkFilter({ name, args })).toBeUndefined()
  })
})

describe('filterEscapes', () => {
  it('counts only filters whose result cannot change a query', () => {
    expect(filterNames.filter((name) => !filterEscapes(name))).toEqual(['join', 'default'])
    expect(filterEscapes('nonsense')).toBe(false)
  })
})
