import type { AnswerSpec, FetchSpec, PaginationSpec, TableSpec } from '@huntfleet/contract'
import { RunError } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import type { ToolInfo, ToolResult } from '../src/ports.ts'
import { pagedSource } from './paged-source.ts'
import { type Answer, jsonResult, readTool, ScriptedSessions, textResult } from './scripted-sessions.ts'
import { answerSpec, budgetSpec, columnSpec, fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { idsOf, run } from './table-run.ts'

const row = (id: number) => ({ id })
const rows = (start: number, count: number) => Array.from({ length: count }, (_, n) => row(start + n))

interface Case {
  pagination?: PaginationSpec
  answer?: Partial<AnswerSpec>
  fetch?: Partial<FetchSpec>
  table?: Partial<TableSpec>
  tools?: ToolInfo[]
}

/** Runs a table of one fetch against these answers. */
async function outcomeOf(answer: Answer, { pagination, answer: reading, fetch, table, tools }: Case = {}) {
  const sessions = new ScriptedSessions(answer, tools)
  const one = fetchSpec({ ...(pagination && { pagination }), answer: answerSpec(reading), ...fetch })
  const result = await run(tableSpec([one], table), sessions)
  return { ...result, ids: idsOf(result), args: sessions.args, sessions }
}

/** Answers with these in turn, the last one for ever. */
function inTurn(...answers: (ToolResult | (() => never))[]): Answer {
  return ({ number }) => {
    const answer = answers[Math.min(number, answers.length) - 1]
    if (answer === undefined) throw new Error('no answer')
    return typeof answer === 'function' ? answer() : answer
  }
}
const pageOf = (start: number, count: number, around: object = {}) =>
  jsonResult({ rows: rows(start, count), ...around })
const failing =
  (code: ConstructorParameters<typeof RunError>[0], message = 'unwell') =>
  () => {
    throw new RunError(code, message)
  }

describe('outcomes of SPEC section 8', () => {
  const offset = pagedBy('offset')

  test('complete: the one call brought less than it asked for', async () => {
    const { entry, ids } = await outcomeOf(() => pageOf(0, 3), { fetch: { args: { limit: 10 } } })
    expect(entry).toMatchObject({ outcome: 'complete', proof: 'unpaged', whole: true, calls: 1, error: null })
    expect(ids).toEqual([0, 1, 2])
  })

  test.each<[string, Partial<FetchSpec>, ToolInfo[]]>([
    ['an argument', { args: { limit: 3 } }, [readTool('search')]],
    ['a nested argument', { args: { body: { size: '3' } } }, [readTool('search')]],
    ['a default of the schema', {}, [readTool('search', { limit: { type: 'integer', default: 3 } })]],
  ])('source_capped: exactly as many rows came as %s asked for', async (_, fetch, tools) => {
    const { entry, ids } = await outcomeOf(() => pageOf(0, 3), { fetch, tools })
    expect(entry).toMatchObject({ outcome: 'source_capped', whole: false, proof: null, rows: 3 })
    expect(ids).toHaveLength(3)
  })

  test.each<[string, number, Partial<PaginationSpec & { mode: 'offset' }>, object]>([
    ['an exact multiple', 20, {}, { outcome: 'complete', proof: 'empty_page', calls: 3 }],
    ['a short page', 13, {}, { outcome: 'complete', proof: 'short_page', calls: 2 }],
    ['nothing', 0, {}, { outcome: 'complete', proof: 'empty_page', calls: 1, rows: 0 }],
    ['a total', 20, { totalPath: 'total' }, { outcome: 'complete', proof: 'total', calls: 2 }],
  ])('complete: %s', async (_, total, more, expected) => {
    const source = pagedSource({ total, tellsTotal: true })
    const { entry, ids } = await outcomeOf(source.answer, { pagination: pagedBy('offset', more) })
    expect(entry).toMatchObject({ whole: true, ...expected })
    expect(ids).toHaveLength(total)
  })

  test('row_cap: exactly max_rows rows, and no page more than that takes', async () => {
    const source = pagedSource({ total: 100 })
    const table = { budget: budgetSpec({ maxRows: 15 }) }
    const { entry, ids } = await outcomeOf(source.answer, { pagination: offset, table })
    expect(entry).toMatchObject({ outcome: 'row_cap', rows: 15, calls: 2 })
    expect(ids).toEqual(rows(0, 15).map(({ id }) => id))
  })

  test.each([
    ['complete', 'a total proves the end', { totalPath: 'total' }],
    ['row_cap', 'nothing proves the end', {}],
  ] as const)('%s: max_rows is the number of rows, and %s', async (outcome, _, more) => {
    const source = pagedSource({ total: 20, tellsTotal: true })
    const table = { budget: budgetSpec({ maxRows: 20 }) }
    const { entry } = await outcomeOf(source.answer, { pagination: pagedBy('offset', more), table })
    expect(entry).toMatchObject({ outcome, rows: 20, calls: 2 })
  })

  test('page_error: rows before the failing page are kept', async () => {
    const { entry, ids } = await outcomeOf(
      inTurn(pageOf(0, 10), pageOf(10, 10), failing('TOOL_FAILED', 'no more')),
      {
        pagination: offset,
      },
    )
    expect(entry).toMatchObject({
      outcome: 'page_error',
      reason: 'page 3 failed: no more',
      rows: 20,
      error: { code: 'TOOL_FAILED', page: 3, table: 'events', tool: 'search', server: 'siem' },
    })
    expect(ids).toHaveLength(20)
  })

  test('failed: the first page failed, and nothing is stored', async () => {
    const { entry, rows: stored, ports } = await outcomeOf(failing('TOOL_FAILED'), { pagination: offset })
    expect(entry).toMatchObject({ outcome: 'failed', rows: 0, path: null, error: { code: 'TOOL_FAILED' } })
    expect(stored).toBeNull()
    expect([...ports.store.objects.keys()]).toEqual([])
    expect(ports.store.open).toBe(0)
  })

  test('page_repeated: a source that ignores the offset, its page stored once', async () => {
    const { entry, ids } = await outcomeOf(() => pageOf(0, 10), { pagination: offset })
    expect(entry).toMatchObject({ outcome: 'page_repeated', calls: 2 })
    expect(ids).toHaveLength(10)
  })

  test('cursor_repeated: a source that ignores the cursor, its page stored once', async () => {
    const { entry, ids } = await outcomeOf(() => pageOf(0, 10, { next: 'a' }), {
      pagination: pagedBy('cursor'),
    })
    expect(entry).toMatchObject({ outcome: 'cursor_repeated', calls: 2 })
    expect(ids).toHaveLength(10)
  })

  test('source_capped: the total cannot be reached', async () => {
    const answer = inTurn(pageOf(0, 10, { total: 30 }), pageOf(10, 0, { total: 30 }))
    const { entry } = await outcomeOf(answer, { pagination: pagedBy('offset', { totalPath: 'total' }) })
    expect(entry).toMatchObject({ outcome: 'source_capped', rows: 10, whole: false })
  })

  test('source_capped: the source says that it left rows out', async () => {
    const { entry } = await outcomeOf(() => pageOf(0, 3, { truncated: true }))
    expect(entry).toMatchObject({ outcome: 'source_capped', rows: 3 })
  })

  test('believes built-in notices of truncation on the last page only, rules of the binding on every page', async () => {
    const answer = inTurn(pageOf(0, 10, { truncated: true }), pageOf(10, 3))
    expect((await outcomeOf(answer, { pagination: offset })).entry.outcome).toBe('complete')
    const rule = {
      on: 'path',
      path: 'truncated',
      test: 'equals',
      value: true,
      class: 'auto',
      messagePath: null,
    } as const
    const reading = { truncatedWhen: [rule] }
    const bound = await outcomeOf(answer, { pagination: offset, answer: reading })
    expect(bound.entry).toMatchObject({ outcome: 'source_capped', rows: 13 })
  })

  test('on_truncated: fail makes the page an error', async () => {
    const reading = { onTruncated: 'fail' } as const
    const first = await outcomeOf(() => pageOf(0, 3, { truncated: true }), { answer: reading })
    expect(first.entry).toMatchObject({ outcome: 'failed', error: { code: 'ANSWER_TRUNCATED' } })
    const answer = inTurn(pageOf(0, 10), pageOf(10, 3, { truncated: true }))
    const later = await outcomeOf(answer, { pagination: offset, answer: reading })
    expect(later.entry).toMatchObject({ outcome: 'page_error', rows: 10 })
  })

  test.each([
    ['max_pages', { maxPages: 2 }, 20],
    ['max_calls', { maxCalls: 3 }, 30],
    ['max_bytes', { maxBytes: 1 }, 10],
  ])('limit_reached: %s', async (name, limits, count) => {
    const table = { budget: budgetSpec(limits) }
    const { entry } = await outcomeOf(pagedSource({ total: 100 }).answer, { pagination: offset, table })
    expect(entry).toMatchObject({ outcome: 'limit_reached', rows: count, error: null })
    expect(entry.reason).toContain(name)
  })

  test('counts a page by its items, rejects included', async () => {
    const answer = inTurn(jsonResult({ rows: [...rows(0, 9), 'odd'] }), pageOf(10, 1))
    const { entry, ids, args } = await outcomeOf(answer, { pagination: offset })
    expect(args[1]).toEqual({ from: 10, size: 10 })
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 10])
    expect(entry).toMatchObject({ outcome: 'complete', rejects: 1, rows_dropped: 1 })
  })

  test('keeps the page behind whose last row keyset cannot go on', async () => {
    const answer = () => jsonResult({ rows: [...rows(0, 9), { note: 'no id' }] })
    const { entry, ids } = await outcomeOf(answer, { pagination: pagedBy('keyset') })
    expect(entry).toMatchObject({ outcome: 'page_error', rows: 10, error: { code: 'ITEMS_NOT_FOUND' } })
    expect(ids.slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('shows cursors as hashes in the ledger', async () => {
    const { entry } = await outcomeOf(pagedSource({ total: 25 }).answer, { pagination: pagedBy('cursor') })
    expect(entry.ledger).toEqual([
      { page: 1, part: 0, at: null, items: 10, bytes: expect.any(Number), ms: 0, attempt: 1 },
      {
        page: 2,
        part: 0,
        at: expect.stringMatching(/^[0-9a-f]{16}$/),
        items: 10,
        bytes: expect.any(Number),
        ms: 0,
        attempt: 1,
      },
      {
        page: 3,
        part: 0,
        at: expect.stringMatching(/^[0-9a-f]{16}$/),
        items: 5,
        bytes: expect.any(Number),
        ms: 0,
        attempt: 1,
      },
    ])
  })

  test('clamps page_size to the maximum of the schema, and says so', async () => {
    const tools = [readTool('search', { from: {}, size: { type: 'integer', maximum: 4 } })]
    const { entry, args, ids } = await outcomeOf(pagedSource({ total: 9 }).answer, {
      pagination: offset,
      tools,
    })
    expect(args).toEqual([0, 4, 8].map((from) => ({ from, size: 4 })))
    expect(ids).toHaveLength(9)
    expect(entry.notes).toContain('page_size 10 is more than the tool takes: 4 rows are asked for per page')
  })

  test('names the home of a nested parameter in the notes', async () => {
    const tools = [readTool('search', { body: { type: 'object' } })]
    const { entry, args } = await outcomeOf(() => pageOf(0, 1), {
      pagination: offset,
      tools,
      fetch: { args: { body: {} } },
    })
    expect(args[0]).toEqual({ body: { from: 0, size: 10 } })
    expect(entry.notes.join()).toContain('body.from')
  })

  test('asks another tool for the pages after the first', async () => {
    const tools = [readTool('search'), readTool('more')]
    const pagination = pagedBy('cursor', { nextTool: 'more', nextArgs: { keep: 1 } })
    const { sessions, ids } = await outcomeOf(pagedSource({ total: 15 }).answer, {
      pagination,
      tools,
      fetch: { args: { q: 'x' } },
    })
    expect(sessions.calls.map(({ tool, args }) => [tool, args])).toEqual([
      ['search', { q: 'x', size: 10 }],
      ['more', { keep: 1, cursor: 'at-10', size: 10 }],
    ])
    expect(ids).toHaveLength(15)
  })

  test('refuses a next_tool that the server lacks before the first page', async () => {
    const { entry, args } = await outcomeOf(() => pageOf(0, 1), {
      pagination: pagedBy('cursor', { nextTool: 'mroe' }),
    })
    expect(entry).toMatchObject({ outcome: 'failed', error: { code: 'TOOL_UNKNOWN' } })
    expect(args).toEqual([])
  })

  test('fills placeholders of the page, and leaves the first cursor out', async () => {
    const late = [{ at: ['after'], parts: [{ name: 'page.cursor', filters: [] }] }]
    const { args, ids } = await outcomeOf(inTurn(pageOf(0, 10, { next: 7 }), pageOf(10, 1)), {
      pagination: pagedBy('cursor', { cursorParam: null, limitParam: null }),
      fetch: { args: { after: null }, late },
    })
    expect(args).toEqual([{}, { after: 7 }])
    expect(ids).toHaveLength(11)
  })

  test('reads resources that an answer links to', async () => {
    const link = { type: 'resource_link', uri: 'file:///rows.json' }
    const sessions = new ScriptedSessions(() => textResult('', { content: [link] }))
    sessions.resources.set('file:///rows.json', '{"rows":[{"id":1}]}')
    const spec = tableSpec([fetchSpec({ answer: answerSpec({ followLinks: true }) })])
    expect(idsOf(await run(spec, sessions))).toEqual([1])
  })
})

describe('a cursor that the source no longer knows', () => {
  const expired = textResult('The cursor has expired', { isError: true })
  const twenty = pagedSource({ total: 25 }).answer
  /** The pages of 25 rows; the second call that brings a cursor finds it expired. */
  const expiring =
    (times: number): Answer =>
    (call) => {
      if (call.args['cursor'] !== 'at-20' || times-- <= 0) return twenty(call)
      return expired
    }
  const pagination = pagedBy('cursor')

  test('ends the table where rows are not known by a key', async () => {
    const { entry, ids, args } = await outcomeOf(expiring(1), { pagination })
    expect(entry).toMatchObject({
      outcome: 'page_error',
      rows: 20,
      error: { code: 'CURSOR_EXPIRED', page: 3 },
    })
    expect(entry.error?.hint).toContain('dedupe_key')
    expect(ids).toHaveLength(20)
    expect(args).toHaveLength(3)
  })

  test('begins the fetch again, once, and leaves out what it had', async () => {
    const { entry, ids } = await outcomeOf(expiring(1), { pagination, table: { dedupeKey: ['id'] } })
    expect(entry).toMatchObject({ outcome: 'complete', rows: 25, duplicates: 20, calls: 6, error: null })
    expect(ids).toEqual(rows(0, 25).map(({ id }) => id))
    expect(entry.notes.join()).toContain('the fetch began again')
  })

  test('does not begin a third time', async () => {
    const { entry, ids } = await outcomeOf(expiring(2), { pagination, table: { dedupeKey: ['id'] } })
    expect(entry).toMatchObject({ outcome: 'page_error', rows: 20, error: { code: 'CURSOR_EXPIRED' } })
    expect(ids).toHaveLength(20)
  })

  test('does not begin again when a stored row has no key: it could not be told from its double', async () => {
    const answer = inTurn(jsonResult({ rows: [row(1), { note: 'x' }], next: 'a' }), expired)
    const { entry } = await outcomeOf(answer, { pagination, table: { dedupeKey: ['id'] } })
    expect(entry).toMatchObject({
      outcome: 'page_error',
      rows: 2,
      calls: 2,
      error: { code: 'CURSOR_EXPIRED' },
    })
  })

  test('takes the same words on a first page for what the tool says they are', async () => {
    const { entry } = await outcomeOf(() => expired, { pagination, table: { dedupeKey: ['id'] } })
    expect(entry).toMatchObject({ outcome: 'failed', calls: 1, error: { code: 'TOOL_FAILED' } })
  })

  test('reads the header row of the first page again', async () => {
    const matrix = (start: number, header: boolean) =>
      (header ? [['id']] : []).concat(rows(start, 3).map(({ id }) => [String(id)]))
    const pages = [
      jsonResult({ rows: matrix(0, true), next: 'a' }),
      expired,
      jsonResult({ rows: matrix(0, true), next: 'b' }),
      jsonResult({ rows: matrix(3, false) }),
    ]
    const { entry, ids } = await outcomeOf(inTurn(...pages), {
      pagination,
      answer: { rows: 'matrix', headerRow: 'first_page' },
      table: { dedupeKey: ['id'], columns: [columnSpec('id')] },
    })
    expect(ids).toEqual([0, 1, 2, 3, 4, 5])
    expect(entry).toMatchObject({ outcome: 'complete', duplicates: 3 })
  })
})
