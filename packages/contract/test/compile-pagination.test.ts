import { describe, expect, it } from 'vitest'
import { bindingWith, compileDocuments, complaintsOf, contractWith, readDocuments } from './read-documents.ts'

const text = (pagination: string, more = '') => bindingWith(`${more}    pagination: {${pagination}}\n`)

const complaints = (pagination: string, more = '') =>
  complaintsOf(readDocuments(contractWith(), text(pagination, more)).findings).map((complaint) =>
    complaint.replace('source_bindings.events: ', ''),
  )

const specOf = (
  pagination: string,
  more = '',
  window = { start: null, end: null } as { start: string | null; end: string | null },
) => compileDocuments(contractWith(), text(pagination, more), { window }).specs[0]?.fetches[0]?.pagination

describe('what a pagination needs', () => {
  it.each<[string, string[]]>([
    ['page_size: 5', ['pagination.mode is missing: one of offset, cursor, page, keyset, time_window, none']],
    [
      'mode: offset',
      [
        'pagination.offset_param is missing: mode offset needs it (or write {{page.offset}} into the arguments)',
      ],
    ],
    [
      'mode: page',
      ['pagination.page_param is missing: mode page needs it (or write {{page.number}} into the arguments)'],
    ],
    [
      'mode: cursor',
      [
        'pagination.cursor_param is missing: mode cursor needs it (or write {{page.cursor}} into the arguments)',
        'pagination.next_cursor_path is missing: mode cursor needs it',
      ],
    ],
    ['mode: cursor, cursor_param: c, next_cursor_pattern: "next=(\\\\w+)"', []],
    ['mode: keyset, cursor_param: c', ['pagination.cursor_from_last is missing: mode keyset needs it']],
    [
      'mode: time_window, window_param_end: e',
      [
        'pagination.window_param_start is missing: mode time_window needs it (or write {{page.start}} into the arguments)',
      ],
    ],
    ['mode: none', []],
    [
      'mode: none, job: {submit_tool: s, id_path: id, poll_tool: p, done_when: {path: done}}',
      ['pagination.job.done_when: a rule has one test: exists, equals, in or matches'],
    ],
    ['job: {submit_tool: s, id_path: id, poll_tool: p, done_when: {path: state, equals: done}}', []],
  ])('%s', (pagination, expected) => {
    const said = complaints(pagination)
    expect(said).toHaveLength(expected.length)
    for (const [i, words] of expected.entries()) expect(said[i]).toContain(words)
  })

  it.each([
    ['mode: offset', '{o: "{{page.offset}}"}'],
    ['mode: page', '{q: "page {{ page.number }}"}'],
    ['mode: keyset, cursor_from_last: id', '{c: "{{page.cursor}}"}'],
    ['mode: cursor, next_cursor_path: n', '{c: "{{page.cursor}}"}'],
  ])('%s may stand in the arguments instead: %s', (pagination, args) => {
    expect(complaints(pagination, `    mcp_args: ${args}\n`)).toEqual([])
  })

  it.each(['total_path', 'has_more_path'])('%s needs JSON around the rows', (field) => {
    const said = complaints(`mode: offset, offset_param: o, ${field}: t`, '    response_format: csv\n')
    expect(said).toEqual([
      expect.stringContaining(
        `pagination.${field} does not go with response_format: csv: there is no JSON around the rows`,
      ),
    ])
  })

  it('is JSON where text_path says that there is some around the text', () => {
    const more = '    response_format: csv\n    text_path: result.text\n'
    expect(complaints('mode: cursor, cursor_param: c, next_cursor_path: n', more)).toEqual([])
  })
})

describe('a compiled pagination', () => {
  it('without a mode is one call', () => {
    expect(specOf('mode: none')).toMatchObject({ mode: 'none', job: null })
    expect(compileDocuments(contractWith(), bindingWith()).specs[0]?.fetches[0]?.pagination).toMatchObject({
      mode: 'none',
    })
  })

  it('clamps the page size', () => {
    expect(specOf('mode: offset, offset_param: o, page_size: 500, max_page_size: 200')).toMatchObject({
      pageSize: 200,
      maxPageSize: 200,
    })
    expect(specOf('mode: offset, offset_param: o, max_page_size: 20')).toMatchObject({ pageSize: 20 })
  })

  it('counts pages from 1 unless told otherwise', () => {
    expect(specOf('mode: page, page_param: p')).toMatchObject({ startPage: 1 })
    expect(specOf('mode: page, page_param: p, start_page: 0')).toMatchObject({ startPage: 0 })
  })

  it('tells one field of the last row from a list of one', () => {
    expect(specOf('mode: keyset, cursor_param: c, cursor_from_last: id')).toMatchObject({
      cursorFromLast: ['id'],
      single: true,
    })
    expect(specOf('mode: keyset, cursor_param: c, cursor_from_last: [id]')).toMatchObject({
      cursorFromLast: ['id'],
      single: false,
    })
  })
})

describe('a time window', () => {
  const pagination = 'mode: time_window, window_param_start: from, window_param_end: range.to'
  const args = (from: string, to: string) => `    mcp_args: {from: ${from}, range: {to: ${to}}}\n`

  it.each([
    ['2026-01-01', '2026-01-02', '2026-01-01T00:00:00.000Z', 'iso'],
    ['"2026-01-01T00:00:00+01:00"', '2026-01-02', '2025-12-31T23:00:00.000Z', 'iso'],
    ['"2026-01-01 00:00:00"', '2026-01-02', '2026-01-01T00:00:00.000Z', 'iso'],
    ['1767225600', '1767312000', '2026-01-01T00:00:00.000Z', 's'],
    ['"1767225600"', '1767312000', '2026-01-01T00:00:00.000Z', 's'],
    ['1767225600000', '1767312000000', '2026-01-01T00:00:00.000Z', 'ms'],
    ['0', '1767312000', '1970-01-01T00:00:00.000Z', 's'],
  ])('starts at %s', (from, to, start, timeFormat) => {
    expect(specOf(pagination, args(from, to))).toMatchObject({
      ...{ start, timeFormat, end: '2026-01-02T00:00:00.000Z' },
      ...{
        windowMs: 3_600_000,
        minWindowMs: 1_000,
        order: 'ascending',
        startParam: 'from',
        endParam: 'range.to',
      },
    })
  })

  it('loses nothing of an interval that ends between two milliseconds', () => {
    const times = args('"2026-01-01T00:00:00.0005Z"', '"2026-01-02T00:00:00.000001Z"')
    expect(specOf(pagination, times)).toMatchObject({
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-01-02T00:00:00.001Z',
    })
  })

  it('is that of the run where the arguments name none', () => {
    const window = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' }
    expect(specOf(pagination, '', window)).toMatchObject({
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-01-02T00:00:00.000Z',
    })
  })

  it.each([
    ['yesterday', '2026-01-02'],
    ['2026-02-30', '2026-03-01'],
    ['"5"', 'true'],
    ['1767225600000000', '1767312000000'],
    ['1767225600000000000', '1767312000'],
  ])('that cannot be told is an error, not a crash: %s to %s', (from, to) => {
    // Integers beyond 2^53 are refused when the file is read already.
    expect(() => specOf(pagination, args(from, to))).toThrow(/of the interval is not known|would lose digits/)
  })

  it('must not end before it begins', () => {
    expect(() => specOf(pagination, args('2026-01-02', '2026-01-01'))).toThrow(/ends .* before it begins/)
  })
})
