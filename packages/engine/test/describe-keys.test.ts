import { describe, expect, it } from 'vitest'
import { arrayPaths, describeKeys } from '../src/describe-keys.ts'
import { parseExact } from '../src/json/parse-exact.ts'

describe('describeKeys', () => {
  const values: [value: string, words: string][] = [
    ['{"took":1,"hits":[],"meta":{}}', 'its keys: took, hits (array), meta (object)'],
    ['{}', 'it has no keys'],
    ['[1]', 'it is an array'],
    ['null', 'it is null'],
    ['{"a\\u001b[31m":1}', 'its keys: a\\u001b[31m'],
  ]
  it.each(values)('of %s: %s', (value, words) => {
    expect(describeKeys(parseExact(value))).toBe(words)
  })

  it('stops after thirty keys', () => {
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1])),
    )
    expect(describeKeys(parseExact(many))).toMatch(/k29 and 70 more$/)
  })
})

describe('arrayPaths', () => {
  it('finds arrays down to three levels, nearest first, in the grammar of paths', () => {
    const value = parseExact('{"a":{"b.c":[],"d":{"e":[1],"f":{"deep":[]}}},"rows":[]}')
    expect(arrayPaths(value)).toEqual(['rows', 'a.["b.c"]', 'a.d.e'])
  })
})
