import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../src/json-value.ts'
import { copyJson, depthOfJson, formatJsonPath, mapJson } from '../src/map-json.ts'

const json = () => fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)))

function nested(levels: number): Json {
  let value: Json = 'deep'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

describe('mapJson', () => {
  it('visits scalars in document order with their paths', () => {
    const seen: string[] = []
    mapJson(
      { a: [1, { b: 'x' }], 'c.d': null },
      {
        leaf: (leaf, path) => {
          seen.push(`${formatJsonPath('', path())}=${leaf}`)
          return leaf
        },
      },
    )
    expect(seen).toEqual(['a[0]=1', 'a[1].b=x', '["c.d"]=null'])
  })

  it('does not visit what a leaf became', () => {
    expect(mapJson(['x'], { leaf: () => ['x', 'x'] })).toEqual([['x', 'x']])
  })

  it('loses no entry when two keys become one', () => {
    expect(mapJson({ a: 1, b: 2, c: 3 }, { leaf: (leaf) => leaf, key: () => 'k' })).toEqual({
      k: 1,
      k_2: 2,
      k_3: 3,
    })
  })

  it('keeps a key named __proto__ without touching a prototype', () => {
    const hostile: Json = JSON.parse('{"__proto__": {"polluted": true}}')
    const copy = copyJson(hostile)
    expect(Object.hasOwn(Object(copy), '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}')
  })

  it('copies any value without changing it', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(copyJson(value)).toEqual(value)
      }),
    )
  })

  it('walks 20,000 levels', () => {
    expect(depthOfJson(copyJson(nested(20_000)))).toBe(20_000)
  })
})

describe('depthOfJson', () => {
  it.each([
    ['x', 0],
    [[], 1],
    [{ a: [], b: { c: [1] } }, 3],
  ])('measures %j as %d', (value, depth) => {
    expect(depthOfJson(value)).toBe(depth)
  })
})

describe('formatJsonPath', () => {
  it.each([
    ['mcp_args', ['range', 'lte'], 'mcp_args.range.lte'],
    ['mcp_args', ['tags', 0], 'mcp_args.tags[0]'],
    ['mcp_args', ['terms', 'dns.Category'], 'mcp_args.terms["dns.Category"]'],
    ['', ['index'], 'index'],
    ['query_template', [], 'query_template'],
  ])('writes %j %j as %s', (root, path, text) => {
    expect(formatJsonPath(root, path)).toBe(text)
  })
})
