import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NeedleFinder } from '../src/needle-finder.ts'

describe('NeedleFinder', () => {
  it.each([
    ['finds nothing without needles', [], 'text', []],
    [
      'finds every occurrence',
      ['ab'],
      'ab-ab',
      [
        [0, 2],
        [3, 5],
      ],
    ],
    ['joins ranges that overlap', ['abcdef', 'efgh'], 'xabcdefghx', [[1, 9]]],
    ['joins occurrences of one needle that overlap', ['aba'], 'ababa', [[0, 5]]],
    ['prefers the longest', ['abc', 'abcd'], 'abcd', [[0, 4]]],
    [
      'covers a needle inside another',
      ['b', 'abc'],
      'abc b',
      [
        [0, 3],
        [4, 5],
      ],
    ],
    ['sees a short needle in a long one that is cut off', ['abcde', 'cd'], 'abcdx', [[2, 4]]],
    ['joins several earlier ranges under a longer one', ['a', 'c', 'abcd'], 'abcd', [[0, 4]]],
    [
      'keeps neighbours apart',
      ['ab'],
      'abab',
      [
        [0, 2],
        [2, 4],
      ],
    ],
  ])('%s', (_, needles, text, ranges) => {
    expect(new NeedleFinder(needles).find(text)).toEqual(ranges.map(([start, end]) => ({ start, end })))
  })

  it('covers exactly the characters that a search for each needle finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c') }),
        (needles, text) => {
          const expected = new Set<number>()
          for (const needle of needles) {
            for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
              for (let index = at; index < at + needle.length; index += 1) expected.add(index)
            }
          }
          const covered = new NeedleFinder(needles)
            .find(text)
            .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index))
          expect(covered).toEqual([...expected].sort((a, b) => a - b))
        },
      ),
    )
  })
})
