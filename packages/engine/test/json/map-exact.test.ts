import { describe, expect, test } from 'vitest'
import { compactJson } from '../../src/json/compact.ts'
import { mapExact } from '../../src/json/map-exact.ts'
import { parseExact } from '../../src/json/parse-exact.ts'

describe('mapExact', () => {
  test('replaces scalars and keys in place, in order, and leaves the input alone', () => {
    const root = parseExact('{"b":[1,"x",null,{"a":true}],"a":1.50}')
    const mapped = mapExact(root, {
      leaf: (leaf) => (typeof leaf === 'string' ? 'y' : leaf),
      key: (name) => `${name}${name}`,
    })
    expect(compactJson(mapped)).toBe('{"bb":[1,"y",null,{"aa":true}],"aa":1.50}')
    expect(compactJson(root)).toBe('{"b":[1,"x",null,{"a":true}],"a":1.50}')
  })

  test('loses no member when two keys become one', () => {
    const mapped = mapExact(parseExact('{"secret1":1,"secret2":2}'), {
      leaf: (leaf) => leaf,
      key: () => '***',
    })
    expect(compactJson(mapped)).toBe('{"***":1,"***_2":2}')
  })

  test('goes 50,000 levels deep', () => {
    const text = '['.repeat(50_000) + ']'.repeat(50_000)
    expect(compactJson(mapExact(parseExact(text), { leaf: (leaf) => leaf }))).toBe(text)
  })
})
