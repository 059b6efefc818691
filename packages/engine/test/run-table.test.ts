import {
  type ErrorCode,
  type FetchSpec,
  RunError,
  type TableSpec,
  tableEntrySchema,
} from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { runTable } from '../src/run-table.ts'
import type { TablePorts } from '../src/table-ports.ts'
import { pagedSource } from './paged-source.ts'
import { type Answer, jsonResult, ScriptedSessions, textResult } from './scripted-sessions.ts'
import { answerSpec, budgetSpec, columnSpec, fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { errorOf, footerOf, idsOf, readRows, run, secretValue, tablePorts } from './table-run.ts'

const offset = pagedBy('offset')
const paged = (more: Partial<FetchSpec> = {}) => fetchSpec({ pagination: offset, ...more })
const rowsOf = (...ids: unknown[]) => jsonResult({ rows: ids.map((id) => ({ id })) })

/** One fetch per part; each is asked with its own `part` argument. */
const parts = (count: number, more: Partial<FetchSpec> = {}) =>
  Array.from({ length: count }, (_, n) => fetchSpec({ label: `part ${n}`, args: { part: n }, ...more }))

/** A table of several parts, each answered by its own function. */
async function runParts(answers: Answer[], table: Partial<TableSpec> = {}, more: Partial<FetchSpec> = {}) {
  const sessions = new ScriptedSessions((call) => {
    const answer = answers[Number(call.args['part'])]
    if (answer === undefined) throw new Error('no such part')
    return answer(call)
  })
  const result = await run(tableSpec(parts(answers.length, more), table), sessions)
  return { ...result, ids: idsOf(result), asked: sessions.args.map((args) => args['part']) }
}

const fails =
  (code: ErrorCode, message = 'unwell') =>
  () => {
    throw new RunError(code, message)
  }

describe('a table', () => {
  test('becomes one file, and an entry that agrees with it', async () => {
    const sessions = new ScriptedSessions(pagedSource({ total: 23 }).answer)
    const { entry, rows, ports } = await run(tableSpec([paged()]), sessions)
    expect(tableEntrySchema.parse(entry)).toEqual(entry)
    expect([...ports.store.objects.keys()]).toEqual([entry.path])
    expect(entry.path).toMatch(/^strategy=hunt\/table=events\/dt=2026-01-01\/run=r\/\w{8}\.parquet$/)
    const stored = await ports.store.put(entry.path ?? '', new Uint8Array())
    expect(stored.created).toBe(false)
    expect(rows).toHaveLength(23)
    expect(rows?.[22]).toEqual({ id: 22n, note: 'row 22' })
    expect(entry).toMatchObject({
      rows: 23,
      pages: 3,
      calls: 3,
      retries: 0,
      server: 'siem',
      tool: 'search',
      server_version: 'scripted 1.0',
      source: 'live',
      error: null,
      rejects_path: null,
      ledger_path: null,
    })
    expect(sessions.released).toEqual([true])
  })

  test('is the same table when parquetjs-lite writes it', async () => {
    const ports = { parquetEngine: 'parquetjs-lite', compression: 'none' } as const
    const sessions = () => new ScriptedSessions(pagedSource({ total: 23 }).answer)
    const ours = await run(tableSpec([paged()]), sessions())
    const theirs = await run(tableSpec([paged()]), sessions(), ports)
    expect(theirs.rows).toEqual(ours.rows)
    expect(theirs.entry).toMatchObject({ outcome: 'complete', rows: 23, columns: ours.entry.columns })
    const bytes = theirs.ports.store.objects.get(theirs.entry.path ?? '')
    expect(footerOf(bytes ?? new Uint8Array())).toMatchObject({ 'huntfleet.rows': '23' })
  })

  test('that parquetjs-lite cannot write is refused before the source is asked', async () => {
    const sessions = new ScriptedSessions(pagedSource({ total: 23 }).answer)
    const columns = [columnSpec('id', 'UUID'), columnSpec('note', 'VARCHAR')]
    const ports = tablePorts(sessions, { parquetEngine: 'parquetjs-lite', compression: 'none' })
    const error = await errorOf(runTable(tableSpec([paged()], { columns }), ports))
    expect(error.code).toBe('PROJECT_INVALID')
    expect(error.message).toContain('column id is UUID')
    expect(sessions.args).toEqual([])
    expect([...ports.store.objects.keys()]).toEqual([])
  })

  test('says in the file’s footer what is known before it is closed', async () => {
    const { entry, ports } = await run(tableSpec([paged()]), new ScriptedSessions(() => rowsOf(1)))
    const footer = footerOf((await ports.store.get(entry.path ?? '')) ?? new Uint8Array())
    expect(footer).toMatchObject({
      'huntfleet.run_id': 'hunt.20260101T000000Z',
      'huntfleet.table': 'events',
      'huntfleet.outcome': 'complete',
      'huntfleet.rows': '1',
      'huntfleet.source': 'live',
    })
  })

  test('without a row is a file with all columns and no rows', async () => {
    const { entry, rows } = await run(tableSpec([paged()]), new ScriptedSessions(() => rowsOf()))
    expect(entry).toMatchObject({ outcome: 'complete', rows: 0 })
    expect(rows).toEqual([])
  })

  test('with nothing to ask for is complete and empty', async () => {
    const sessions = new ScriptedSessions(() => rowsOf(1))
    const { entry, rows } = await run(tableSpec([]), sessions)
    expect(entry).toMatchObject({ outcome: 'complete', proof: 'unpaged', calls: 0 })
    expect(rows).toEqual([])
    expect(sessions.leases).toBe(0)
  })

  test('reports what is going on', async () => {
    const source = pagedSource({ total: 20, failure: { page: 2, times: 1 } })
    const { ports } = await run(tableSpec([paged()]), new ScriptedSessions(source.answer))
    expect(
      ports.progress.map(({ rows, pages, calls, retries, doing }) => [rows, pages, calls, retries, doing]),
    ).toEqual([
      [10, 1, 1, 0, ''],
      [10, 1, 2, 1, 'waiting 1 s after: the source is unwell'],
      [20, 2, 3, 1, ''],
      [20, 3, 4, 1, ''],
    ])
  })
})

describe('the time budget', () => {
  /** Every call takes three seconds. */
  const slow =
    (answer: Answer, ports: () => TablePorts | undefined): Answer =>
    async (call) => {
      await ports()?.clock.sleep(3_000, new AbortController().signal)
      return answer(call)
    }

  async function runSlowly(timeMs: number, answer: Answer, more: Partial<TableSpec> = {}) {
    let ports: TablePorts | undefined
    const sessions = new ScriptedSessions(slow(answer, () => ports))
    const own = tablePorts(sessions)
    ports = own
    const entry = await runTable(tableSpec([paged()], { budget: budgetSpec({ timeMs }), ...more }), own)
    const bytes = await own.store.get(entry.path ?? '')
    return { entry, rows: bytes === null ? null : await readRows(bytes), sessions }
  }

  test('keeps the rows that came in time', async () => {
    const { entry, rows } = await runSlowly(8_000, pagedSource({ total: 100 }).answer)
    expect(entry).toMatchObject({
      outcome: 'time_budget',
      rows: 20,
      reason: 'the time budget of 8 s is spent',
    })
    expect(rows).toHaveLength(20)
  })

  test('calls nothing more when it is spent to the millisecond', async () => {
    const { entry, sessions } = await runSlowly(6_000, pagedSource({ total: 100 }).answer)
    expect(entry).toMatchObject({ outcome: 'time_budget', rows: 10 })
    expect(sessions.calls).toHaveLength(2)
  })

  test('spent without a row is an empty file, not a failure', async () => {
    const { entry, rows } = await runSlowly(1_000, pagedSource({ total: 100 }).answer)
    expect(entry).toMatchObject({ outcome: 'time_budget', rows: 0, path: expect.any(String) })
    expect(rows).toEqual([])
  })

  test('is spent by waits that the source asks for', async () => {
    const answer = () => textResult('rate limit exceeded, retry after 3600 seconds', { isError: true })
    const { entry } = await runSlowly(60_000, answer)
    expect(entry).toMatchObject({ outcome: 'time_budget', rows: 0, duration_ms: 60_000 })
  })

  test('is not spent by storing', async () => {
    const sessions = new ScriptedSessions(pagedSource({ total: 30 }).answer)
    const ports = tablePorts(sessions)
    ports.store.before = async () => await ports.clock.advance(1_000_000)
    const entry = await runTable(tableSpec([paged()]), ports)
    expect(entry).toMatchObject({ outcome: 'complete', rows: 30 })
  })
})

describe('being stopped', () => {
  /** Aborts with this code while page `at` is asked for. */
  function stopping(code: ErrorCode, at = 2, total = 100) {
    const controller = new AbortController()
    const source = pagedSource({ total }).answer
    const sessions = new ScriptedSessions((call) => {
      if (call.number === at) controller.abort(new RunError(code, `stopped by ${code}`))
      return source(call)
    })
    return { sessions, signal: controller.signal }
  }

  test('cancelled: the rows so far are kept', async () => {
    const { sessions, signal } = stopping('CANCELLED')
    const { entry, rows } = await run(tableSpec([paged()]), sessions, { signal })
    expect(entry).toMatchObject({ outcome: 'cancelled', reason: 'stopped by CANCELLED', rows: 10 })
    expect(rows).toHaveLength(10)
    expect(sessions.released).toEqual([false])
  })

  test('cancelled: on_incomplete: fail does not make it a failure', async () => {
    const { sessions, signal } = stopping('CANCELLED')
    const { entry } = await run(tableSpec([paged()], { onIncomplete: 'fail' }), sessions, { signal })
    expect(entry.outcome).toBe('cancelled')
  })

  test('cancelled: a table that is whole already is kept as that', async () => {
    const controller = new AbortController()
    const ports = tablePorts(new ScriptedSessions(() => rowsOf(1)), { signal: controller.signal })
    ports.store.before = (step) => {
      if (step === 'write') controller.abort(new RunError('CANCELLED', 'too late'))
    }
    const entry = await runTable(tableSpec([paged()]), ports)
    expect(entry).toMatchObject({ outcome: 'complete', rows: 1 })
  })

  test.each<ErrorCode>(['SHUTDOWN', 'LOCK_LOST'])(
    '%s: leaves nothing behind, since someone else runs the table',
    async (code) => {
      const { sessions, signal } = stopping(code)
      const ports = tablePorts(sessions, { signal })
      expect((await errorOf(runTable(tableSpec([paged()]), ports))).code).toBe(code)
      expect([...ports.store.objects.keys()]).toEqual([])
      expect(ports.store.open).toBe(0)
      expect(ports.clock.pending).toBe(0)
    },
  )

  test.each<ErrorCode>(['SHUTDOWN', 'LOCK_LOST'])(
    '%s between the rejects and the table: takes the rejects back',
    async (code) => {
      const controller = new AbortController()
      const ports = tablePorts(new ScriptedSessions(() => rowsOf(1, 'odd')), { signal: controller.signal })
      ports.store.before = (step) => {
        if (step === 'put') controller.abort(new RunError(code, 'now'))
      }
      expect((await errorOf(runTable(tableSpec([paged()]), ports))).code).toBe(code)
      expect([...ports.store.objects.keys()]).toEqual([])
      expect(ports.store.open).toBe(0)
    },
  )
})

describe('a store that fails', () => {
  test.each(['create', 'write', 'put', 'commit'] as const)(
    'at %s is thrown, and nothing becomes visible',
    async (failing) => {
      const ports = tablePorts(new ScriptedSessions(() => rowsOf(1, 'odd')))
      ports.store.before = (step) => {
        if (step === failing) throw new RunError('SINK_UNREACHABLE', 'the disk is full')
      }
      expect(await errorOf(runTable(tableSpec([paged()]), ports))).toMatchObject({ code: 'SINK_UNREACHABLE' })
      expect([...ports.store.objects.keys()]).toEqual([])
      expect(ports.store.open).toBe(0)
    },
  )

  test('in the middle of the rows is no error of the source', async () => {
    const many = Array.from({ length: 10 }, (_, id) => ({ id, note: `${id}`.repeat(4_000_000) }))
    const ports = tablePorts(new ScriptedSessions(() => jsonResult({ rows: many })))
    let writes = 0
    ports.store.before = (step) => {
      if (step === 'write' && ++writes === 2) throw new RunError('SINK_DENIED', 'no')
    }
    expect((await errorOf(runTable(tableSpec([paged()]), ports))).code).toBe('SINK_DENIED')
    expect(ports.store.open).toBe(0)
  })
})

describe('a table of several parts', () => {
  const one = (id: number) => () => rowsOf(id)

  test('holds the rows of all of them, in their order', async () => {
    const { entry, ids } = await runParts([one(1), one(2), one(3)])
    expect(ids).toEqual([1, 2, 3])
    expect(entry).toMatchObject({ outcome: 'complete', calls: 3, pages: 3 })
    expect(entry.ledger.map(({ page, part }) => [page, part])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ])
  })

  test('is page_error when one part failed and others brought rows, and names the part', async () => {
    const { entry, ids } = await runParts([one(1), fails('TOOL_FAILED'), one(3)])
    expect(ids).toEqual([1, 3])
    expect(entry).toMatchObject({
      outcome: 'page_error',
      reason: 'part 1: unwell',
      error: { code: 'TOOL_FAILED' },
    })
  })

  test('is failed when no part brought anything', async () => {
    const { entry } = await runParts([fails('TOOL_FAILED', 'first'), fails('TOOL_FAILED', 'second')])
    expect(entry).toMatchObject({ outcome: 'failed', reason: 'part 0: first', rows: 0 })
  })

  test('has the worst outcome of its parts', async () => {
    const { entry } = await runParts([
      one(1),
      () => jsonResult({ rows: [{ id: 2 }], truncated: true }),
      one(3),
    ])
    expect(entry).toMatchObject({ outcome: 'source_capped', rows: 3 })
    expect(entry.reason).toMatch(/^part 1: /)
  })

  test('is proven no better than its least proven part', async () => {
    const spec = tableSpec([paged({ args: { part: 0 } }), fetchSpec({ args: { part: 1 } })])
    const { entry } = await run(spec, new ScriptedSessions(() => rowsOf(1)))
    expect(entry).toMatchObject({ outcome: 'complete', proof: 'unpaged' })
  })

  test('shares one cap, and names the parts that were not fetched', async () => {
    const { entry, asked, ids } = await runParts([() => rowsOf(1, 2), () => rowsOf(3, 4), one(5)], {
      budget: budgetSpec({ maxRows: 3 }),
    })
    expect(ids).toEqual([1, 2, 3])
    expect(asked).toEqual([0, 1])
    expect(entry).toMatchObject({ outcome: 'row_cap', notes: ['not fetched any more: part 2'] })
  })

  test('shares one budget of time', async () => {
    const answer: Answer = () =>
      textResult('HTTP 429 too many requests, retry after 200 seconds', { isError: true })
    const { entry, asked } = await runParts([one(1), answer, one(3)])
    expect(entry).toMatchObject({ outcome: 'time_budget', rows: 1, duration_ms: 300_000 })
    expect(asked).toEqual([0, 1, 1])
  })

  test('shares one limit of calls', async () => {
    const { entry, ids } = await runParts([one(1), one(2), one(3)], { budget: budgetSpec({ maxCalls: 2 }) })
    expect(ids).toEqual([1, 2])
    expect(entry).toMatchObject({ outcome: 'limit_reached', calls: 2 })
  })

  test('goes on after a part that broke off, but not after a wrong configuration', async () => {
    const broken = await runParts([fails('SOURCE_DENIED'), one(2)])
    expect(broken.asked).toEqual([0, 1])
    const wrong = await runParts([fails('ARGUMENT_INVALID'), one(2)])
    expect(wrong.asked).toEqual([0])
    expect(wrong.entry).toMatchObject({ outcome: 'failed', notes: ['not fetched any more: part 1'] })
  })

  test('drops doubles over all parts', async () => {
    const { entry, ids } = await runParts([() => rowsOf(1, 2), () => rowsOf(2, 3)], { dedupeKey: ['id'] })
    expect(ids).toEqual([1, 2, 3])
    expect(entry).toMatchObject({ duplicates: 1, rows: 3 })
  })
})

describe('what a binding asks of a table', () => {
  test('on_incomplete: fail makes anything but complete a failure without a file', async () => {
    const source = pagedSource({ total: 100 }).answer
    const spec = tableSpec([paged()], { onIncomplete: 'fail', budget: budgetSpec({ maxRows: 5 }) })
    const { entry, ports } = await run(spec, new ScriptedSessions(source))
    expect(entry).toMatchObject({
      outcome: 'failed',
      rows: 0,
      path: null,
      error: { code: 'TABLE_INCOMPLETE' },
    })
    expect(entry.reason).toContain('row_cap')
    expect([...ports.store.objects.keys()]).toEqual([])
    const whole = await run(
      tableSpec([paged()], { onIncomplete: 'fail' }),
      new ScriptedSessions(() => rowsOf(1)),
    )
    expect(whole.entry.outcome).toBe('complete')
  })

  test('on_reject: fail makes the table failed, even with pages before', async () => {
    const answer: Answer = ({ number }) =>
      number === 1 ? rowsOf(0, 1, 2, 3, 4, 5, 6, 7, 8, 9) : rowsOf('odd')
    const { entry, ports } = await run(
      tableSpec([paged()], { onReject: 'fail' }),
      new ScriptedSessions(answer),
    )
    expect(entry).toMatchObject({ outcome: 'failed', path: null, error: { code: 'ROW_REJECTED', page: 2 } })
    expect([...ports.store.objects.keys()]).toEqual([])
  })

  test('rejects stand in a file of their own', async () => {
    const { entry, rows, ports } = await run(
      tableSpec([paged()]),
      new ScriptedSessions(() => rowsOf(1, 'odd', 1.5)),
    )
    expect(rows?.map((row) => row['id'])).toEqual([1n, null, null])
    expect(entry).toMatchObject({ rejects: 2, columns: { id: { nulls: 2, rejects: 2 }, note: { nulls: 3 } } })
    expect(entry.rejects_path).toMatch(/^_rejects\/.*\.parquet$/)
    const rejects = await readRows((await ports.store.get(entry.rejects_path ?? '')) ?? new Uint8Array())
    expect(rejects.map((row) => row['raw'])).toEqual(['"odd"', '1.5'])
  })

  test('accounts for every row that came: stored, dropped, doubles', async () => {
    const answer: Answer = () =>
      jsonResult({ rows: [{ id: 1 }, { id: 1 }, { id: 'odd' }, 'no row', { id: 2 }] })
    const spec = tableSpec([paged()], { onReject: 'drop_row', dedupeKey: ['id'] })
    const { entry } = await run(spec, new ScriptedSessions(answer))
    expect(entry).toMatchObject({ rows: 2, rows_dropped: 2, duplicates: 1 })
    expect(entry.ledger[0]?.items).toBe(5)
  })
})

describe('the page ledger', () => {
  test('goes on beside the manifest after a thousand lines', async () => {
    const pagination = pagedBy('offset', { pageSize: 1 })
    const sessions = new ScriptedSessions(pagedSource({ total: 1_003 }).answer)
    const { entry, ports } = await run(tableSpec([paged({ pagination })]), sessions)
    expect(entry.ledger).toHaveLength(1_000)
    expect(entry.ledger_path).toMatch(
      /^_runs\/strategy=hunt\/run=hunt\.20260101T000000Z\/events\.\w{8}\.ledger\.ndjson$/,
    )
    const text = new TextDecoder().decode((await ports.store.get(entry.ledger_path ?? '')) ?? undefined)
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ page, at, items }) => [page, at, items])).toEqual([
      [1_001, 1_000, 1],
      [1_002, 1_001, 1],
      [1_003, 1_002, 1],
      [1_004, 1_003, 0],
    ])
  })
})

describe('secrets', () => {
  test('are masked in reason, error, notes and progress, and never in rows', async () => {
    const answer: Answer = ({ number }) => {
      if (number === 1) return jsonResult({ rows: [{ id: 1, note: secretValue }], next: 'a' })
      if (number === 2) throw new RunError('SOURCE_ERROR', `busy ${secretValue}`)
      throw new RunError('TOOL_FAILED', `refused ${secretValue}`, { hint: `ask ${secretValue}` })
    }
    const pagination = pagedBy('cursor')
    const { entry, rows, ports } = await run(
      tableSpec([fetchSpec({ pagination })]),
      new ScriptedSessions(answer),
    )
    expect(entry).toMatchObject({
      outcome: 'page_error',
      reason: 'page 2 failed: refused ***',
      error: { message: 'refused ***', hint: 'ask ***' },
    })
    expect(JSON.stringify([entry, ports.progress])).not.toContain(secretValue)
    expect(rows?.[0]?.['note']).toBe(secretValue)
  })

  test('reach the tool', async () => {
    const late = [{ at: ['key'], parts: ['Bearer ', { name: 'secret.K', filters: [] }] }]
    const sessions = new ScriptedSessions(() => rowsOf(1))
    await run(tableSpec([fetchSpec({ args: { key: null }, late })]), sessions)
    expect(sessions.args).toEqual([{ key: `Bearer ${secretValue}-K` }])
  })

  test('that are not set fail the table before any call', async () => {
    const late = [{ at: ['key'], parts: [{ name: 'secret.K', filters: [] }] }]
    const sessions = new ScriptedSessions(() => rowsOf(1))
    const secret = async () => {
      throw new RunError('SECRET_UNSET', 'secrets.K is not set')
    }
    const { entry } = await run(tableSpec([fetchSpec({ args: { key: null }, late })]), sessions, { secret })
    expect(entry).toMatchObject({ outcome: 'failed', error: { code: 'SECRET_UNSET' } })
    expect(sessions.calls).toEqual([])
  })

  test('of a sensitive column stay out of the file and of the rejects', async () => {
    const columns = [columnSpec('id'), columnSpec('note', 'VARCHAR', { sensitive: 'mask' })]
    const answer = () => jsonResult({ rows: [{ id: 'odd', note: 'topsecret' }, 'topsecret'] })
    const { entry, ports } = await run(tableSpec([paged()], { columns }), new ScriptedSessions(answer))
    expect(entry.rejects_path).not.toBeNull()
    for (const bytes of ports.store.objects.values())
      expect(new TextDecoder('latin1').decode(bytes)).not.toContain('topsecret')
  })
})

test('a text answer of another format goes the same way', async () => {
  const answer = answerSpec({ format: 'csv', itemsPath: null })
  const spec = tableSpec([fetchSpec({ answer })])
  const { rows } = await run(spec, new ScriptedSessions(() => textResult('id,note\n1,a\n2,"b,c"\n')))
  expect(rows).toEqual([
    { id: 1n, note: 'a' },
    { id: 2n, note: 'b,c' },
  ])
})
