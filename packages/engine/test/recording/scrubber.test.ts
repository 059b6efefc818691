import {
  compileAnswer,
  type FetchSpec,
  type LateArgument,
  type PaginationSpec,
  type TableSpec,
} from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { compactJson } from '../../src/json/compact.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { toExact } from '../../src/json/to-exact.ts'
import type { ToolResult } from '../../src/ports.ts'
import { scrubber } from '../../src/recording/scrubber.ts'

const cursor: Extract<PaginationSpec, { mode: 'cursor' }> = {
  mode: 'cursor',
  pageSize: 10,
  limitParam: 'limit',
  totalPath: 'total',
  hasMorePath: null,
  stopOn: 'partial',
  maxPageSize: null,
  confirm: 'auto',
  repeatGuard: 'stop',
  nextTool: null,
  nextArgs: null,
  nextLate: [],
  job: null,
  cursorParam: 'body.after',
  nextCursorPath: 'next',
  nextCursorPattern: null,
}

const fetchOf = (pagination: PaginationSpec, late: LateArgument[] = []): FetchSpec => ({
  server: 's',
  configKey: null,
  tool: 'search',
  label: '',
  args: {},
  late,
  timeoutMs: 1_000,
  answer: compileAnswer({ error_when: [{ path: 'state', equals: 'BROKEN' }] }),
  pagination,
  retry: { attempts: 1, baseMs: 1, maxMs: 1 },
  mapping: [[{ from: 'path', path: 'src_host' }]],
})

const specOf = (fetch: FetchSpec): TableSpec => ({
  runId: 'r',
  strategy: 's',
  version: '1',
  table: 't',
  optional: false,
  server: 's',
  tool: 'search',
  columns: [
    {
      name: 'host',
      type: 'VARCHAR',
      required: false,
      format: null,
      timezone: null,
      round: 'reject',
      sensitive: 'none',
    },
  ],
  fetches: [fetch],
  budget: { timeMs: 1, maxRows: 1, maxBytes: null, maxPages: null, maxCalls: null },
  onReject: 'null',
  onIncomplete: 'keep',
  dedupeKey: [],
  dataPrefix: 'd',
  rejectsPrefix: 'r',
  scheduledAt: '2026-11-30T00:00:00Z',
  hashes: { contract: '', binding: '', args: '' },
})

const scrubberOf = (pagination: PaginationSpec, late: LateArgument[] = []) =>
  scrubber(specOf(fetchOf(pagination, late)), new Uint8Array(32).fill(7))
const resultOf = (text: string, rest: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: undefined,
  meta: undefined,
  isError: false,
  bytes: text.length,
  ...rest,
})

describe('a scrubbed answer', () => {
  test('keeps keys, structure, and what decides how the fetch goes on', () => {
    const { result } = scrubberOf(cursor)
    const text =
      '{"total":250,"state":"BROKEN","next":"alpha-1","hits":[{"user":"ann","n":4711,"ok":true,"none":null}]}'
    const scrubbed = result(resultOf(text)).content[0]?.text ?? ''
    expect(scrubbed).toMatch(
      /^\{"total":250,"state":"BROKEN","next":"[a-z]{5}-1","hits":\[\{"user":"[a-z]{3}","n":4\d{3},"ok":true,"none":null\}\]\}$/,
    )
    expect(scrubbed).not.toMatch(/alpha|ann"|4711/)
  })

  test('has the same fakes in the text, in structuredContent and in _meta, with every digit', () => {
    const { result } = scrubberOf(cursor)
    const value = parseExact('{"id":9007199254740993,"host":"ann"}')
    const scrubbed = result(resultOf(compactJson(value), { structuredContent: value, meta: { host: 'ann' } }))
    const text = scrubbed.content[0]?.text ?? ''
    expect(compactJson(toExact(scrubbed.structuredContent))).toBe(text)
    expect(text).toMatch(/^\{"id":9\d{15},"host":"[a-z]{3}"\}$/)
    expect(text).toContain(compactJson(toExact(scrubbed.meta)).slice(1, -1))
  })

  test('keeps the prose around JSON, and the columns of a text table', () => {
    const { text } = scrubberOf(cursor)
    expect(text('Found 2 results:\n```json\n[{"a": "bob"}]\n```')).toMatch(
      /^Found 2 results:\n```json\n\[\{"a":"[a-z]{3}"\}\]\n```$/,
    )
    expect(text('src_host,host\nsrv1,ann\n')).toMatch(/^src_host,host\n[a-z]{3}1,[a-z]{3}\n$/)
  })
})

describe('scrubbed arguments', () => {
  const faked = (value: string) => scrubberOf(cursor).text(value)

  test('have the cursor that the scrubbed answer sent, wherever it was put, and all others as they are', () => {
    const { args } = scrubberOf(cursor)
    const given = { q: 'user:ann', limit: 100, body: { after: 'alpha-1', size: 10 } }
    expect(args('search', given)).toEqual({ ...given, body: { after: faked('alpha-1'), size: 10 } })
    expect(given.body.after).toBe('alpha-1')
    const undotted = scrubberOf({ ...cursor, cursorParam: 'after' })
    expect(undotted.args('search', given)).toEqual({ ...given, body: { after: faked('alpha-1'), size: 10 } })
    expect(args('other', given)).toEqual(given)
  })

  test('have a numeric cursor as the number or the text that it was', () => {
    const { args } = scrubberOf({ ...cursor, cursorParam: 'after' })
    const { after } = args('search', { after: 4711 })
    expect(args('search', { after: '4711' })).toEqual({ after: String(after) })
  })

  test('have the cursor inside a query text', () => {
    const late: LateArgument[] = [
      {
        at: ['query'],
        parts: [
          'id > "',
          { name: 'page.cursor', filters: [] },
          '" LIMIT ',
          { name: 'page.limit', filters: [] },
        ],
      },
    ]
    const { args } = scrubberOf({ ...cursor, cursorParam: null }, late)
    expect(args('search', { query: 'id > "alpha-1" LIMIT 100' })).toEqual({
      query: `id > "${faked('alpha-1')}" LIMIT 100`,
    })
    expect(args('search', { query: 'another text' })).toEqual({ query: 'another text' })
  })
})
