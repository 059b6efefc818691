import { describe, expect, it } from 'vitest'
import { compactJson } from '../../src/json/compact.ts'
import { ExactNumber } from '../../src/json/exact.ts'
import { toExact } from '../../src/json/to-exact.ts'

describe('toExact', () => {
  const values: [what: string, value: unknown, text: string][] = [
    ['objects in key order', { b: 1, a: [true, null, 'x'] }, '{"b":1,"a":[true,null,"x"]}'],
    ['a Map', new Map([['k', { v: 1 }]]), '{"k":{"v":1}}'],
    ['a bigint with all its digits', 12345678901234567890n, '12345678901234567890'],
    ['a small bigint', 7n, '7'],
    ['minus zero', -0, '-0'],
    ['numbers that are none', [Number.NaN, Number.POSITIVE_INFINITY], '["NaN","Infinity"]'],
    ['a Date', new Date('2026-02-03T04:05:06.789Z'), '"2026-02-03T04:05:06.789Z"'],
    ['a Date that is none', new Date(Number.NaN), 'null'],
    ['bytes', new Uint8Array([0, 255]), '"0x00ff"'],
    ['undefined in an object', { a: undefined, b: () => 1, c: Symbol('s') }, '{}'],
    ['undefined in an array', [undefined, () => 1], '[null,null]'],
    ['a sparse array', new Array(2), '[null,null]'],
    ['lone surrogates', { '\ud800': '\udc00' }, '{"\ufffd":"\ufffd"}'],
    ['an ExactNumber', [new ExactNumber('1.50')], '[1.50]'],
    ['nothing', undefined, 'null'],
  ]
  it.each(values)('takes %s', (_, value, text) => {
    expect(compactJson(toExact(value))).toBe(text)
  })

  it('takes an own key __proto__ for a key', () => {
    expect(compactJson(toExact(JSON.parse('{"__proto__":{"x":1}}')))).toBe('{"__proto__":{"x":1}}')
  })

  it('takes any nesting and refuses a value that contains itself', () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = [deep]
    expect(compactJson(toExact(deep))).toHaveLength(100_001)
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    expect(() => toExact(cycle)).toThrow('contains itself')
  })
})
