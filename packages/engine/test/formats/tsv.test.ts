import { describe, expect, test } from 'vitest'
import { tsv } from '../../src/formats/tsv.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows } from './parsed-page.ts'

describeFormat('tsv', {
  format: tsv,
  context: contextOf(['id', 'note']),
  render: (names, records) => [names, ...records].map((cells) => cells.join('\t')).join('\n'),
  malformed: ['id\tnote\n1\t"open', 'id\tnote\n1\t2\t3', '"id\tnote\n1\t2'],
})

describe('tsv', () => {
  testGolden('tsv', tsv)

  test('separates cells by tabs, whatever csv.delimiter says', () => {
    const page = tsv('a\tb\n1,5\t\n\t""\n"x\ty" \tz', contextOf())
    expect(plainRows(page)).toEqual([
      { a: '1,5', b: null },
      { a: null, b: '' },
      { a: 'x\ty', b: 'z' },
    ])
  })
})
