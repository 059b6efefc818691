import { RunError } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csv } from '../../src/formats/csv.ts'
import { describeFormat } from './format.suite.ts'
import { contextOf } from './format-context.ts'
import { testGolden } from './golden.ts'
import { plainRows, unaccounted } from './parsed-page.ts'

describeFormat('csv', {
  format: csv,
  context: contextOf(['id', 'note']),
  render: (names, records) => [names, ...records].map((cells) => cells.join(',')).join('\n'),
  malformed: [
    'id,note\n1,"open',
    'id,note\n1,2,3',
    'id,note\n"a"b,c',
    '"id,note\n1,2',
    'other,thing\n1,2\n1,2,3',
  ],
})

const context = contextOf()
const rowsOf = (text: string) => plainRows(csv(text, context))
const rejectsOf = (text: string) =>
  csv(text, context).rejects.map(({ row, stored, raw }) => [row, stored, raw])

describe('csv', () => {
  testGolden('csv', csv)

  test.each([
    ['keeps line ends inside quotes', 'a,b\r\n1,"x\r\ny\rz\n"\r\n', [{ a: '1', b: 'x\r\ny\rz\n' }]],
    [
      'takes a lone CR for a record end',
      'a,b\r1,2\r3,4',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['reads a doubled quote as one', 'a\n"""x"" y"\n""""', [{ a: '"x" y' }, { a: '"' }]],
    [
      'keeps a quote inside an unquoted cell',
      'a,b\n5.25" drive,O\'Neil "the box"',
      [{ a: '5.25" drive', b: 'O\'Neil "the box"' }],
    ],
    ['keeps blanks of a cell', 'a,b\n x ,"  "', [{ a: ' x ', b: '  ' }]],
    ['passes over blanks behind a closing quote', 'a,b\n"x" ,y', [{ a: 'x', b: 'y' }]],
    ['tells an empty cell from a quoted empty one', 'a,b\n,""', [{ a: null, b: '' }]],
    [
      'skips blank lines, not lines of empty cells',
      'a,b\n\n  \n,\n1,2\n\n',
      [
        { a: null, b: null },
        { a: '1', b: '2' },
      ],
    ],
    [
      'keeps a quoted empty line and a line of blanks in a table of one column',
      'a\n""\n  \n\nx',
      [{ a: '' }, { a: '  ' }, { a: 'x' }],
    ],
    ['reads the last record without a line end', 'a,b\n1,', [{ a: '1', b: null }]],
  ])('%s', (_, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
    expect(rejectsOf(text)).toEqual([])
  })

  test.each([
    ['trims names', ' a ,"b "', ['a', 'b']],
    ['numbers a name that comes again', 'x,x,x', ['x', 'x_2', 'x_3']],
    ['leaves a name alone that the header spells like that', 'x,x,x_2,x', ['x', 'x_3', 'x_2', 'x_4']],
    ['makes a name for an empty one', 'a,,c,', ['a', 'column_2', 'c', 'column_4']],
    ['keeps the names of properties', '__proto__,constructor', ['__proto__', 'constructor']],
  ])('%s', (_, header, names) => {
    const page = csv(
      `${header}\n1,2,3,4`.replace(/,3,4$/, names.length === 2 ? '' : names.length === 3 ? ',3' : ',3,4'),
      context,
    )
    expect(page.rows.map((row) => [...row.keys()])).toEqual([names])
  })

  test('gives ten thousand equal names their numbers in linear time', () => {
    const page = csv(`${'x,'.repeat(50_000)}x\n1`, context)
    expect(page.rows[0]?.size).toBe(50_001)
    expect([...(page.rows[0]?.keys() ?? [])].at(-1)).toBe('x_50001')
  })

  test('stores a short row with nulls and counts it', () => {
    expect(rowsOf('a,b,c\n1,2\n4,5,6')).toEqual([
      { a: '1', b: '2', c: null },
      { a: '4', b: '5', c: '6' },
    ])
    expect(rejectsOf('a,b,c\n1,2\n4,5,6')).toEqual([[1, true, '1,2']])
  })

  test('does not store a row with too many cells', () => {
    expect(rowsOf('a,b\n1,2,3\n4,5')).toEqual([{ a: '4', b: '5' }])
    expect(rejectsOf('a,b\n1,2,3\n4,5')).toEqual([[1, false, '1,2,3']])
  })

  test.each([
    [
      'costs one row when a quote is never closed',
      'id,note\n1,ok\n2,"open\n3,"fine, too"\n4,good\n',
      [
        { id: '1', note: 'ok' },
        { id: '3', note: 'fine, too' },
        { id: '4', note: 'good' },
      ],
      [[2, false, '2,"open']],
    ],
    [
      'costs one row when the next quote seems to close it',
      'id,note\n1,"open\n2,"fine"\n3,good',
      [
        { id: '2', note: 'fine' },
        { id: '3', note: 'good' },
      ],
      [[1, false, '1,"open']],
    ],
    [
      'makes no row of the rest of a broken cell',
      'id,note\n1,"line one\nline two" and more,x\n2,good',
      [{ id: '2', note: 'good' }],
      [
        [1, false, '1,"line one'],
        [2, false, 'line two" and more,x'],
      ],
    ],
    [
      'makes no row of the rest of a cell that is cut off',
      'id,note\n1,good\n2,"line one\nline two\nline',
      [{ id: '1', note: 'good' }],
      [
        [2, false, '2,"line one'],
        [3, false, 'line two'],
        [4, false, 'line'],
      ],
    ],
    [
      'makes no row of lines that fit by chance where others do not',
      'id,note\n1,"one\ntwo,three\nfour\nfive,six',
      [],
      [
        [1, false, '1,"one'],
        [2, false, 'two,three'],
        [3, false, 'four'],
        [4, false, 'five,six'],
      ],
    ],
    [
      'takes no line behind a broken quote in a table of one column',
      'note\n"open\nx\ny',
      [],
      [
        [1, false, '"open'],
        [2, false, 'x'],
        [3, false, 'y'],
      ],
    ],
    ['rejects text behind a closing quote', 'a,b\n"x"y,1\n2,3', [{ a: '2', b: '3' }], [[1, false, '"x"y,1']]],
  ])('%s', (_, text, rows, rejects) => {
    expect(rowsOf(text)).toEqual(rows)
    expect(rejectsOf(text)).toEqual(rejects)
  })

  test('says how many rows were read behind a broken quote', () => {
    expect(csv('id,note\n1,"open\n2,x\n3,y', context).notes).toEqual([expect.stringContaining('2 rows')])
  })

  test('reads other delimiters, comments and a table without a header', () => {
    const page = csv(
      '# total: 2\n1;"a;b"\n# more\n2;c',
      contextOf([], { csv: { delimiter: ';', comment: '#', header: false } }),
    )
    expect(plainRows(page)).toEqual([
      { column_1: '1', column_2: 'a;b' },
      { column_1: '2', column_2: 'c' },
    ])
    expect(page.remainder).toBe('# total: 2\n# more')
  })

  test('takes no line of a broken cell for a comment', () => {
    const options = { csv: { delimiter: ',', comment: '#', header: true } }
    const page = csv('id,note\n# fine\n1,"cut\n# next: evil', contextOf([], options))
    expect(page.remainder).toBe('# fine')
    expect(page.rejects.map(({ raw }) => raw)).toEqual(['1,"cut', '# next: evil'])
  })

  test('keeps a comment sign inside quotes', () => {
    const options = { csv: { delimiter: ',', comment: '#', header: true } }
    expect(plainRows(csv('a\n"x\n# y"', contextOf([], options)))).toEqual([{ a: 'x\n# y' }])
  })

  test.each(['', '"', '\n'])('refuses the delimiter %j', (delimiter) => {
    const options = { csv: { delimiter, comment: null, header: true } }
    expect(() => csv('a', contextOf([], options))).toThrow(
      expect.objectContaining({ code: 'BINDING_INVALID' }),
    )
  })

  test('gives a text of one line to the text rules', () => {
    const page = csv('No results found', contextOf(['id']))
    expect(page).toMatchObject({ rows: [], items: 0, remainder: 'No results found' })
    expect(page.notes).toEqual([expect.stringContaining('none of the wanted columns')])
    expect(csv('id,note\n', contextOf(['id']))).toMatchObject({ items: 0, notes: [] })
  })

  test('refuses a table that has none of the wanted columns', () => {
    const parse = () => csv('Sign in,please\nto,continue', contextOf(['id', 'host.name']))
    expect(parse).toThrow(RunError)
    expect(parse).toThrow(/"id", "host.name".*"Sign in", "please"/)
    expect(csv('host,x\n1,2', contextOf(['id', 'host.name'])).items).toBe(1)
    expect(csv('b\n1', contextOf(['a | b'])).items).toBe(1)
    expect(csv('a\n1', contextOf(['value "x"'])).items).toBe(1)
    expect(csv('a\n1', contextOf(['$', 'id'])).items).toBe(1)
  })

  test('gives back what a writer of RFC 4180 wrote', () => {
    const cell = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), (records) => {
        const page = csv(['a,b', ...records.map((cells) => cells.map(quote).join(','))].join('\r\n'), context)
        expect(page.rows.map((row) => [...row.values()])).toEqual(records)
        expect(page.rejects).toEqual([])
      }),
    )
  })

  test('accounts for every line, whatever the quotes', () => {
    const pieces = fc.array(fc.constantFrom('"', ',', '\n', 'a', ' ', '""', '"\n"', ',"'), { maxLength: 60 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = `h,i\n${parts.join('')}\nlast,row`
        const page = csv(text, context)
        expect(unaccounted(page)).toBe(0)
        const told = [
          ...page.rejects.map(({ raw }) => raw),
          ...page.rows.map((row) => [...row.values()].join(' ')),
        ].join(' ')
        expect(told.split('a').length).toBeGreaterThanOrEqual(text.split('a').length)
      }),
      { numRuns: 1000 },
    )
  })
})
