import type { Json } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../src/json/parse-exact.ts'
import { toPlain } from '../../src/json/to-plain.ts'

describe('toPlain', () => {
  const values: [text: string, plain: Json][] = [
    ['"cursor"', 'cursor'],
    ['1770091506789', 1770091506789],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', 9007199254740992],
    ['1.50', 1.5],
    ['1e5', 100000],
    ['10.0', 10],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['1e400', '1e400'],
    ['-0', -0],
    ['0e9999999999', 0],
    ['[1770091506789,"id-1",12345678901234567890]', [1770091506789, 'id-1', '12345678901234567890']],
    ['{"after":{"v":true},"n":null}', { after: { v: true }, n: null }],
  ]
  it.each(values)('gives %s back exactly', (text, plain) => {
    expect(toPlain(parseExact(text))).toEqual(plain)
  })

  it('keeps __proto__ an own key', () => {
    const plain = toPlain(parseExact('{"__proto__":{"x":1}}'))
    expect(JSON.stringify(plain)).toBe('{"__proto__":{"x":1}}')
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('refuses a value too deep to be an argument', () => {
    expect(() => toPlain(parseExact('['.repeat(20_000) + ']'.repeat(20_000)))).toThrow('200 levels')
  })
})
