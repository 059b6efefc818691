import { describe, expect, test } from 'vitest'
import { splitColumnNames } from '../../src/adapters/column-names.ts'
import { contextOf } from '../formats/format-context.ts'

const split = (list: string, declared: number | null, ofRows: number | null, wanted: string[] = []) =>
  splitColumnNames(list, { declared, ofRows }, contextOf(wanted).fields)

describe('splitColumnNames', () => {
  test.each<[string, string, number | null, number | null, string[], string[]]>([
    ['splits at ", "', 'a, b.c, d()', 3, 3, [], ['a', 'b.c', 'd()']],
    ['keeps a comma without a blank', 'concat(a,b), n', 2, 2, [], ['concat(a,b)', 'n']],
    ['splits at bare commas where that is the count', 'a,b,c', null, 3, [], ['a', 'b', 'c']],
    ['believes the rows more than the declared count', 'a, b', 3, 2, [], ['a', 'b']],
    ['takes a declared count of one for one name', 'concat(a, b)', 1, 1, [], ['concat(a, b)']],
    ['lets a wanted column tell the names apart', 'concat(a, b), n', 2, 2, ['n'], ['concat(a, b)', 'n']],
    [
      'lets a wanted name with a comma tell the names apart',
      'x, f(a, b), y',
      3,
      3,
      ['f(a, b)'],
      ['x', 'f(a, b)', 'y'],
    ],
    ['lets a path into a column tell it', 'f(a, b), tags', 2, 2, ['tags.name'], ['f(a, b)', 'tags']],
    ['splits at ", " where nothing tells the count', 'f(a, b), n', null, null, [], ['f(a', 'b)', 'n']],
    ['leaves names alone that rows of an odd length do not fit', 'a, b', null, 1, ['a', 'b'], ['a', 'b']],
  ])('%s', (_, list, declared, ofRows, wanted, names) => {
    expect(split(list, declared, ofRows, wanted)).toEqual(names)
  })

  test.each<[string, string, number, string[]]>([
    ['nothing is known of the names', 'concat(a, b), n', 2, []],
    ['two readings have the wanted column', 'a, b, c, n', 3, ['n']],
    ['there are too few names', 'a, b', 3, []],
    [
      'the list is too long to search',
      Array.from({ length: 200 }, (_, i) => `c${i}`).join(', '),
      199,
      ['c1'],
    ],
  ])('asks for aliases when %s', (_, list, count, wanted) => {
    expect(() => split(list, count, count, wanted)).toThrow(
      expect.objectContaining({
        code: 'PARSE_FAILED',
        context: { hint: expect.stringContaining('alias your columns') },
      }),
    )
  })
})
