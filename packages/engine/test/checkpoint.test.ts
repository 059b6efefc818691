import { createHash } from 'node:crypto'
import { RunError, type SearchJobSpec, type TableEntry, type TableSpec } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import type { ToolResult } from '../src/ports.ts'
import { runTable } from '../src/run-table.ts'
import type { TablePorts } from '../src/table-ports.ts'
import { CheckpointPlace, type MemoryCheckpoint } from './memory-checkpoint.ts'
import { MemoryStore } from './memory-store.ts'
import { pagedSource } from './paged-source.ts'
import {
  type Answer,
  jsonResult,
  readTool,
  ScriptedSessions,
  type SeenCall,
  textResult,
} from './scripted-sessions.ts'
import { answerSpec, budgetSpec, fetchSpec, pagedBy, tableSpec } from './spec-fixture.ts'
import { errorOf, readRows, type TestPorts, tablePorts } from './table-run.ts'

/** A table that several workers have in hand, one after the other. */
function relay(spec: TableSpec) {
  const store = new MemoryStore()
  const place = new CheckpointPlace()
  const warnings: string[] = []
  const logger = { debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) }
  return {
    store,
    place,
    warnings,
    /** The next worker takes the table. */
    worker(
      answer: Answer,
      more: Partial<TablePorts> & { capacity?: number; step?: (what: string) => void } = {},
    ) {
      const sessions = new ScriptedSessions(
        answer,
        ['search', 'submit', 'poll'].map((name) => readTool(name)),
      )
      const { capacity, step, ...ports } = more
      const checkpoint = place.open(capacity, step)
      const own = tablePorts(sessions, { store, checkpoint, logger, lastAttempt: false, ...ports })
      return { sessions, checkpoint, ports: own, run: () => runTable(spec, own) }
    },
    async rows({ path }: TableEntry) {
      const bytes = await store.get(path ?? '')
      return bytes === null ? null : await readRows(bytes)
    },
  }
}

const offset = (more: Partial<TableSpec> = {}) =>
  tableSpec([fetchSpec({ pagination: pagedBy('offset') })], more)
const died = (): never => {
  throw new RunError('LOCK_LOST', 'the worker died')
}

/** Answers until call `number`, which ends the worker. */
const until =
  (number: number, answer: Answer, end: () => never = died): Answer =>
  (call: SeenCall) =>
    call.number >= number ? end() : answer(call)

/** Every call takes so long. */
const slow =
  (ms: number, ports: () => TestPorts | undefined, answer: Answer): Answer =>
  async (call) => {
    await ports()?.clock.advance(ms)
    return answer(call)
  }

describe('a table that is taken over', () => {
  test('goes on with the next page, and says nothing of it in its entry', async () => {
    const table = relay(offset())
    const { answer } = pagedSource({ total: 47 })
    await errorOf(table.worker(until(4, answer)).run())
    const heir = table.worker(answer)
    const entry = await heir.run()
    expect(heir.sessions.args.map((args) => args['from'])).toEqual([30, 40])
    expect(entry).toMatchObject({ outcome: 'complete', rows: 47, pages: 5, calls: 5, notes: [] })
    expect(await table.rows(entry)).toHaveLength(47)
    expect(entry.ledger.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5])
  })

  test('adds the time of all its workers up, and does not count what lies between', async () => {
    const table = relay(offset({ budget: budgetSpec({ timeMs: 10_000 }) }))
    const { answer } = pagedSource({ total: 1_000 })
    let ports: TestPorts | undefined
    const slowly = (end: number) => slow(2_000, () => ports, until(end, answer, died))
    const first = table.worker(slowly(3))
    ports = first.ports
    await errorOf(first.run())
    const second = table.worker(slowly(99))
    ports = second.ports
    await second.ports.clock.advance(3_600_000)
    const entry = await second.run()
    expect(entry).toMatchObject({ outcome: 'time_budget', duration_ms: 10_000, calls: 5 })
    // Two pages of the first worker, two of the second; its third call ends with the budget.
    expect(entry.rows).toBe(40)
  })

  test('counts pages, calls and bytes of all its workers against its limits', async () => {
    const table = relay(offset({ budget: budgetSpec({ maxPages: 3 }) }))
    const { answer } = pagedSource({ total: 1_000 })
    await errorOf(table.worker(until(3, answer)).run())
    const entry = await table.worker(answer).run()
    expect(entry).toMatchObject({ outcome: 'limit_reached', pages: 3, rows: 30 })
  })

  test('has its budget saved when its worker is told to end', async () => {
    const table = relay(offset({ budget: budgetSpec({ timeMs: 10_000 }) }))
    const shutdown = new AbortController()
    let ports: TestPorts | undefined
    const ending: Answer = slow(
      9_000,
      () => ports,
      () => {
        shutdown.abort(new RunError('SHUTDOWN', 'the worker ends'))
        return jsonResult({ rows: [] })
      },
    )
    const leaving = table.worker(ending, { signal: shutdown.signal })
    ports = leaving.ports
    expect((await errorOf(leaving.run())).code).toBe('SHUTDOWN')
    const heir = table.worker(slow(2_000, () => ports, pagedSource({ total: 100 }).answer))
    ports = heir.ports
    expect(await heir.run()).toMatchObject({ outcome: 'time_budget', rows: 0, calls: 2 })
  })

  test('is not saved twice when its worker is told to end while a save is on its way', async () => {
    const table = relay(offset())
    const source = pagedSource({ total: 250 })
    const shutdown = new AbortController()
    let saves = 0
    // The page stands in the checkpoint, and the worker ends before it hears of it.
    const step = (what: string): void => {
      if (what === 'after save' && ++saves === 2) shutdown.abort(new RunError('SHUTDOWN', 'the worker ends'))
    }
    const leaving = table.worker(source.answer, { signal: shutdown.signal, step })
    expect((await errorOf(leaving.run())).code).toBe('SHUTDOWN')
    const heir = table.worker(source.answer)
    const entry = await heir.run()
    expect(table.warnings).toEqual([])
    expect(entry).toMatchObject({ outcome: 'complete', rows: 250 })
    // 25 pages, and the empty one behind them.
    expect(leaving.sessions.calls.length + heir.sessions.calls.length).toBe(26)
  })

  test('is published by nobody who has lost it', async () => {
    const table = relay(offset())
    const { answer } = pagedSource({ total: 27 })
    const zombie = table.worker((call) => {
      // Another worker takes the table while the last page is on its way.
      if (call.number === 3) table.place.open()
      return answer(call)
    })
    expect((await errorOf(zombie.run())).code).toBe('LOCK_LOST')
    expect([...table.store.objects.keys()]).toEqual([])
    expect(await table.worker(answer).run()).toMatchObject({ rows: 27, outcome: 'complete' })
  })

  test('asks for nothing more once all of it had come', async () => {
    const table = relay(offset())
    table.store.before = (step) => (step === 'commit' ? died() : undefined)
    await errorOf(table.worker(pagedSource({ total: 27 }).answer).run())
    table.store.before = () => {}
    const heir = table.worker(died)
    expect(await heir.run()).toMatchObject({ rows: 27, outcome: 'complete', proof: 'short_page' })
    expect(heir.sessions.leases).toBe(0)
  })

  test('polls the search that was submitted, and submits no other', async () => {
    const job: SearchJobSpec = {
      submitTool: 'submit',
      submitArgs: {},
      submitLate: null,
      idPath: 'id',
      pollTool: 'poll',
      pollArgs: {},
      pollLate: [],
      pollParam: 'id',
      doneWhen: [{ path: 'done', test: 'equals', value: true }],
      pollIntervalMs: 1_000,
    }
    const table = relay(tableSpec([fetchSpec({ pagination: { ...pagedBy('offset'), job } })]))
    const answer: Answer = (call) => {
      if (call.tool === 'submit') return jsonResult({ id: 'job-7' })
      if (call.tool === 'poll') return call.number >= 4 ? died() : jsonResult({ done: false })
      return jsonResult({ rows: [{ id: 1 }] })
    }
    await errorOf(table.worker(answer).run())
    const heir = table.worker(({ tool }) =>
      jsonResult(tool === 'poll' ? { done: true } : { rows: [{ id: 1 }] }),
    )
    expect(await heir.run()).toMatchObject({ outcome: 'complete', rows: 1 })
    expect(heir.sessions.calls.map(({ tool, args }) => [tool, args['id']])).toEqual([
      ['poll', 'job-7'],
      ['search', undefined],
    ])
  })

  test('has every digit, every resource and every odd character of the pages that it did not fetch itself', async () => {
    const mapping = [[{ from: 'path' as const, path: 'id' }], [{ from: 'path' as const, path: 'note' }]]
    const answerOf = answerSpec({ contentFrom: 'structured', blocks: 'auto', followLinks: false })
    const pagination = pagedBy('offset', { pageSize: 2 })
    const spec = tableSpec([fetchSpec({ pagination, mapping, answer: answerOf })])
    const page = (from: number): ToolResult => ({
      ...textResult('see structuredContent'),
      structuredContent: {
        rows: [
          { id: 9_007_199_254_740_993n + BigInt(from), note: 1e21 },
          { id: from, note: '\u0000 \u2028 "\\ 😀 é\ufeff' },
        ],
      },
      meta: { any: 'thing' },
    })
    const answer: Answer = ({ args }) => {
      const from = Number(args['from'] ?? 0)
      return from < 6 ? page(from) : { ...textResult(''), structuredContent: { rows: [] } }
    }
    const quiet = relay(spec)
    const undisturbed = await quiet.worker(answer).run()
    const table = relay(spec)
    await errorOf(table.worker(until(3, answer)).run())
    const entry = await table.worker(answer).run()
    expect(await table.rows(entry)).toEqual(await quiet.rows(undisturbed))
    expect((await table.rows(entry))?.[0]?.['id']).toBe(9_007_199_254_740_993n)
  })

  test('reads the pages that followed links again without the source', async () => {
    const fetch = fetchSpec({ pagination: pagedBy('offset'), answer: answerSpec({ followLinks: true }) })
    const table = relay(tableSpec([fetch]))
    const linked = (uri: string): ToolResult => ({
      ...textResult(''),
      content: [{ type: 'resource_link', uri }],
    })
    const first = table.worker((call) => (call.number === 1 ? linked('log://1') : died()))
    first.sessions.resources.set(
      'log://1',
      JSON.stringify({ rows: Array.from({ length: 10 }, (_, id) => ({ id })) }),
    )
    await errorOf(first.run())
    const heir = table.worker(() => jsonResult({ rows: [{ id: 10 }] }))
    const rows = await table.rows(await heir.run())
    expect(rows?.map(({ id }) => Number(id))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('a table whose later page fails for a reason that may pass', () => {
  const source = (failures: number) =>
    pagedSource({ total: 47, failure: { page: 3, times: failures } }).answer

  test('is tried again as a job where it stands, and nothing of it is published before', async () => {
    const table = relay(offset())
    const first = table.worker(source(4))
    expect((await errorOf(first.run())).code).toBe('SOURCE_ERROR')
    expect([...table.store.objects.keys()]).toEqual([])
    const second = table.worker(pagedSource({ total: 47 }).answer, { attempt: 2 })
    const entry = await second.run()
    expect(second.sessions.args.map((args) => args['from'])).toEqual([20, 30, 40])
    expect(entry).toMatchObject({ outcome: 'complete', rows: 47, retries: 3, calls: 9 })
    expect(entry.ledger.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 2])
  })

  test('ends with the rows it has when nobody tries it again', async () => {
    const table = relay(offset())
    await errorOf(table.worker(source(4)).run())
    const unwell = () => {
      throw new RunError('SOURCE_ERROR', 'still unwell')
    }
    const entry = await table.worker(unwell, { lastAttempt: true, attempt: 3 }).run()
    expect(entry).toMatchObject({ outcome: 'page_error', rows: 20, error: { code: 'SOURCE_ERROR' } })
    expect(await table.rows(entry)).toHaveLength(20)
  })

  test('is not tried again for a reason that stays', async () => {
    const table = relay(offset())
    const answer: Answer = (call) => {
      if (call.number === 2) throw new RunError('TOOL_FAILED', 'no')
      return pagedSource({ total: 47 }).answer(call)
    }
    expect(await table.worker(answer).run()).toMatchObject({ outcome: 'page_error', rows: 10 })
  })

  test('is tried again in its second part too', async () => {
    const fetches = [0, 1].map((part) => fetchSpec({ args: { part }, label: `part ${part}` }))
    const table = relay(tableSpec(fetches))
    const rows = (call: SeenCall) => jsonResult({ rows: [{ id: call.args['part'] }] })
    const failing: Answer = (call) => {
      if (call.args['part'] === 1) throw new RunError('SOURCE_TIMEOUT', 'slow')
      return rows(call)
    }
    expect((await errorOf(table.worker(failing).run())).code).toBe('SOURCE_TIMEOUT')
    const heir = table.worker(rows)
    expect(await heir.run()).toMatchObject({ outcome: 'complete', rows: 2 })
    expect(heir.sessions.args).toEqual([{ part: 1 }])
  })
})

describe('a cursor that expired while nobody fetched', () => {
  const cursor = (more: Partial<TableSpec> = {}) =>
    tableSpec([fetchSpec({ pagination: pagedBy('cursor') })], more)
  const { answer } = pagedSource({ total: 37 })
  /** Cursors of an earlier life are unknown. */
  const forgetful = (): Answer => {
    const known = new Set<unknown>([undefined])
    return (call) => {
      if (!known.has(call.args['cursor'])) return textResult('cursor expired', { isError: true })
      const result = answer(call)
      known.add(`at-${Number(String(call.args['cursor'] ?? 'at-0').slice(3)) + 10}`)
      return result
    }
  }
  const ids = Array.from({ length: 37 }, (_, id) => id)
  const idsOf = (rows: Record<string, unknown>[] | null) => rows?.map(({ id }) => Number(id))

  test.each([5_000_000, 0])(
    'begins the table again, from nothing, and says so (%i bytes of pages kept)',
    async (capacity) => {
      const table = relay(cursor())
      await errorOf(table.worker(until(3, answer), { capacity }).run())
      const entry = await table.worker(forgetful(), { capacity }).run()
      expect(entry).toMatchObject({ outcome: 'complete', rows: 37, pages: 4 })
      expect(entry.notes).toEqual([expect.stringMatching(/no longer knew its cursor: the table began again/)])
      expect(idsOf(await table.rows(entry))).toEqual(ids)
      expect(entry.ledger.map(({ page }) => page)).toEqual([1, 2, 3, 4])
    },
  )

  test('begins only once again: then the table ends with the rows it has', async () => {
    const table = relay(cursor())
    await errorOf(table.worker(until(3, answer)).run())
    await errorOf(table.worker(until(5, forgetful())).run())
    const entry = await table.worker(forgetful()).run()
    expect(entry).toMatchObject({ outcome: 'page_error', error: { code: 'CURSOR_EXPIRED' } })
    expect(idsOf(await table.rows(entry))).toEqual(ids.slice(0, 30))
  })

  test('with dedupe_key begins the fetch again and leaves out what it has', async () => {
    const table = relay(cursor({ dedupeKey: ['id'] }))
    await errorOf(table.worker(until(3, answer)).run())
    const entry = await table.worker(forgetful()).run()
    expect(entry).toMatchObject({ outcome: 'complete', rows: 37, duplicates: 20 })
    expect(idsOf(await table.rows(entry))).toEqual(ids)
  })

  test('in the middle of a worker’s life ends the table, as ever', async () => {
    const table = relay(cursor())
    await errorOf(table.worker(until(2, answer)).run())
    const expiring: Answer = (call) =>
      call.number === 1 ? answer(call) : textResult('cursor expired', { isError: true })
    expect(await table.worker(expiring).run()).toMatchObject({ outcome: 'page_error', rows: 20 })
  })
})

describe('a checkpoint', () => {
  const { answer } = pagedSource({ total: 47 })

  /** Two pages are kept, then `damage` is done. */
  async function damaged(damage: (place: CheckpointPlace, store: MemoryStore) => void, capacity?: number) {
    const table = relay(offset())
    const kept = capacity === undefined ? {} : { capacity }
    await errorOf(table.worker(until(3, answer), kept).run())
    damage(table.place, table.store)
    const heir = table.worker(answer, kept)
    const entry = await heir.run()
    expect(await table.rows(entry)).toHaveLength(47)
    expect(entry).toMatchObject({ outcome: 'complete', rows: 47, pages: 5 })
    return { ...table, entry, calls: heir.sessions.calls.length }
  }

  const change = (from: string | RegExp, to: string) => (place: CheckpointPlace) => {
    place.text = place.text?.replace(from, to) ?? null
  }

  test.each([
    ['whose state was changed', change('"rows":20', '"rows":10')],
    ['without its signature', change(/^[0-9a-f]+/, '')],
    ['with a page too few', (place: CheckpointPlace) => void place.pages.pop()],
    ['with its pages in another order', (place: CheckpointPlace) => void place.pages.reverse()],
    ['that is no checkpoint', change(/[\s\S]*/, '{}')],
  ])('%s is not trusted: the table begins again', async (_what, damage) => {
    expect((await damaged(damage)).calls).toBe(5)
  })

  test('whose pieces are remembered wrongly is not gone on from', async () => {
    const { entry, calls, warnings } = await damaged((_place, store) => {
      const key = [...store.objects.keys()].find((name) => name.endsWith('.memory')) ?? ''
      store.objects.set(key, new Uint8Array([1, 2, 3]))
    }, 0)
    expect(calls).toBe(5)
    expect(entry.notes).toEqual([expect.stringContaining('a checkpoint could not be used')])
    expect(warnings).toContain('the checkpoint cannot be used: the table begins again')
  })

  test('whose piece is lost in the end begins the table again, once', async () => {
    const { entry, calls } = await damaged((_place, store) => {
      const key = [...store.objects.keys()].find((name) => name.endsWith('.part')) ?? ''
      store.objects.delete(key)
    }, 0)
    expect(calls).toBe(3 + 5)
    expect(entry.notes).toEqual([expect.stringContaining('a piece of the table was lost')])
  })

  test('of a replay is nothing that a live table goes on from', async () => {
    const table = relay(offset())
    await errorOf(table.worker(until(3, answer), { source: 'replay' }).run())
    const heir = table.worker(answer)
    expect(await heir.run()).toMatchObject({ source: 'live', rows: 47 })
    expect(heir.sessions.calls).toHaveLength(5)
  })

  test('of a replay goes on as a replay', async () => {
    const table = relay(offset())
    await errorOf(table.worker(until(3, answer), { source: 'replay' }).run())
    const heir = table.worker(answer, { source: 'replay' })
    expect(await heir.run()).toMatchObject({ source: 'replay', rows: 47 })
    expect(heir.sessions.calls).toHaveLength(3)
  })

  test('never grows beyond its capacity; what is sealed makes one file with one SHA-256', async () => {
    const table = relay(offset())
    const capacity = 400
    const entry = await table.worker(answer, { capacity }).run()
    expect(table.place.largest).toBeLessThanOrEqual(capacity)
    expect([...table.store.objects.keys()].filter((key) => key.endsWith('.part')).length).toBeGreaterThan(1)
    const bytes = (await table.store.get(entry.path ?? '')) ?? new Uint8Array()
    expect(entry.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(entry.bytes).toBe(bytes.length)
  })

  test('that cannot be saved stops nothing, and the next one holds what it missed', async () => {
    const table = relay(offset())
    const first = table.worker(until(5, answer))
    const { checkpoint } = first
    let saves = 0
    const save: MemoryCheckpoint['save'] = async (what) => {
      saves += 1
      if (saves === 2 || saves === 3) throw new Error('OOM command not allowed')
      await checkpoint.save(what)
    }
    const { capacity } = checkpoint
    const flaky = { capacity, load: async () => null, afterStored: () => {}, save }
    await errorOf(runTable(offset(), { ...first.ports, checkpoint: flaky }))
    expect(table.warnings).toEqual(['the checkpoint could not be saved', 'the checkpoint could not be saved'])
    const heir = table.worker(answer)
    expect(await heir.run()).toMatchObject({ rows: 47, pages: 5 })
    expect(heir.sessions.calls).toHaveLength(1)
  })

  test('holds no secret in its notes and errors', async () => {
    const table = relay(offset())
    const secret = 'hunter2-secret'
    const failing: Answer = (call) => {
      if (call.number > 1) throw new RunError('TOOL_FAILED', `no ${secret}`)
      return answer(call)
    }
    table.store.before = (step) => (step === 'commit' ? died() : undefined)
    await errorOf(table.worker(failing).run())
    expect(table.place.text).toContain('no ***')
    expect(table.place.text).not.toContain(secret)
  })
})
