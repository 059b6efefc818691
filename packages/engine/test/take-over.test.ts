import { type PaginationSpec, RunError, type TableEntry, type TableSpec } from '@huntfleet/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runTable } from '../src/run-table.ts'
import { storageCheckpoint } from '../src/storage-checkpoint.ts'
import { CheckpointPlace } from './memory-checkpoint.ts'
import { MemoryStore } from './memory-store.ts'
import { epoch, pagedSource } from './paged-source.ts'
import { ScriptedSessions } from './scripted-sessions.ts'
import { budgetSpec, columnSpec, fetchSpec, type PagedMode, pagedBy, tableSpec } from './spec-fixture.ts'
import { readRows, tablePorts } from './table-run.ts'

/** A worker dies at any step, another goes on: the table is what it would have been, and little is asked for again. */

interface World {
  mode: PagedMode
  total: number
  parts: number
  dedupe: boolean
  maxRows: number
  /** How often the third page fails before it comes; four times end an attempt. */
  failures: number
  /** Bytes of pages before they are sealed; where the checkpoint is kept. */
  capacity: number
  kept: 'beside' | 'in storage'
  /** Steps that each worker in turn takes before it dies; then comes one that lives. */
  deaths: readonly number[]
}

const modes: readonly PagedMode[] = ['offset', 'page', 'cursor', 'keyset', 'time_window']
const worlds: fc.Arbitrary<World> = fc.record({
  mode: fc.constantFrom(...modes),
  total: fc.integer({ min: 0, max: 60 }),
  parts: fc.integer({ min: 1, max: 3 }),
  dedupe: fc.boolean(),
  maxRows: fc.constantFrom(10_000, 30, 31),
  failures: fc.constantFrom(0, 0, 2, 5),
  capacity: fc.constantFrom(0, 300, 700, 5_000_000),
  kept: fc.constantFrom('beside', 'in storage'),
  deaths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
})

function paginationOf(mode: PagedMode, total: number): PaginationSpec {
  if (mode !== 'time_window') return { ...pagedBy(mode), pageSize: 7 }
  const end = new Date(epoch + total * 1_000).toISOString()
  return { ...pagedBy(mode, { end, windowMs: 7_000 }), pageSize: 9 }
}

function specOf({ mode, total, parts, dedupe, maxRows }: World): TableSpec {
  const columns = [columnSpec('id'), columnSpec('note', 'VARCHAR'), columnSpec('odd', 'BOOLEAN')]
  const path = (name: string) => [{ from: 'path' as const, path: name }]
  const fetches = Array.from({ length: parts }, (_, n) =>
    fetchSpec({
      label: `part ${n}`,
      args: { part: n },
      pagination: paginationOf(mode, total),
      mapping: [path('id'), path('note'), path('note')],
    }),
  )
  const budget = budgetSpec({ maxRows })
  return tableSpec(fetches, { columns, budget, dedupeKey: dedupe ? ['id'] : [] })
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Counts the steps of a worker and ends it at one of them, from when on nothing that it does has any effect. */
function mortal(steps: number) {
  let taken = 0
  const step = (_what: string) => {
    taken += 1
    if (taken >= steps) throw new RunError('LOCK_LOST', `died at step ${steps}`)
  }
  return { step, isDead: () => taken >= steps }
}

interface Result {
  entry: TableEntry
  rows: Record<string, unknown>[]
  rejects: Record<string, unknown>[]
  served: number
  keys: string[]
  died: number
}

async function fetched(world: World): Promise<Result> {
  const spec = specOf(world)
  const store = new MemoryStore()
  const place = new CheckpointPlace()
  let served = 0
  const source = pagedSource({ total: world.total, failure: { page: 3, times: world.failures } })
  let died = 0
  const deaths = [...world.deaths]
  for (let worker = 0; worker < 20; worker++) {
    const steps = deaths.shift() ?? Number.POSITIVE_INFINITY
    const { step } = mortal(steps)
    const sessions = new ScriptedSessions((call) => {
      step('call')
      const answer = source.answer(call)
      served += 1
      step('answered')
      return answer
    })
    store.before = step
    const afterwards: (() => Promise<void>)[] = []
    const options = { store, spec, jobId: 'job', generation: worker + 1, signingKey: 'key', logger: silent }
    const inStorage = storageCheckpoint({
      ...options,
      isOurs: async () => true,
      afterStored: (work) => void afterwards.push(work),
    })
    const beside = place.open(world.capacity, step)
    const checkpoint = world.kept === 'beside' ? beside : { ...inStorage, capacity: world.capacity }
    const entry = await runTable(spec, tablePorts(sessions, { store, checkpoint, lastAttempt: false })).catch(
      (error: unknown) => {
        if (!(error instanceof RunError)) throw error
        if (error.code === 'LOCK_LOST') died += 1
        else if (error.code !== 'SOURCE_ERROR') throw error
        return null
      },
    )
    store.before = () => {}
    if (entry === null) continue
    place.clear()
    const pieces = [...store.objects.keys()].filter((key) => key.startsWith('_parts/'))
    for (const work of [...beside.afterwards, ...afterwards]) await work()
    const left = [...store.objects.keys()].filter((key) => key.startsWith('_parts/'))
    if (died === 0) expect(left).toEqual([])
    if (world.capacity === 0 && entry.pages > 0) expect(pieces).not.toEqual([])
    const file = await store.get(entry.path ?? '')
    const rejects = entry.rejects_path === null ? null : await store.get(entry.rejects_path)
    return {
      entry,
      rows: file === null ? [] : await readRows(file),
      rejects: rejects === null ? [] : await readRows(rejects),
      served,
      keys: [...store.objects.keys()],
      died,
    }
  }
  throw new Error('nobody lived')
}

/** What must not depend on who died when. */
function lasting({ entry, rows, rejects }: Result) {
  const { attempt: _, path: _p, sha256: _s, bytes: _b, rejects_path: _r, ...rest } = entry
  // What a worker had tried and waited since its last page dies with it.
  const { calls: _c, retries: _t, duration_ms: _d, ...kept } = rest
  const ledger = kept.ledger.map(({ ms: _, ...page }) => page)
  return { ...kept, ledger, rows, rejects, counted: entry.rows }
}

describe('a table whose workers die', () => {
  test('is what it would have been, and at most one page per death is asked for again', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const quiet = await fetched({ ...world, deaths: [] })
        const disturbed = await fetched(world)
        expect(lasting(disturbed)).toEqual(lasting(quiet))
        expect(disturbed.served).toBeLessThanOrEqual(quiet.served + world.deaths.length)
      }),
      { numRuns: 100 },
    )
  })

  test.each([0, 300, 5_000_000])(
    'goes on from every step, %i bytes of pages being kept',
    async (capacity) => {
      const world: World = {
        mode: 'cursor',
        total: 30,
        parts: 2,
        dedupe: true,
        maxRows: 10_000,
        failures: 0,
        capacity,
        kept: 'beside',
        deaths: [],
      }
      const quiet = await fetched(world)
      for (let steps = 1; ; steps++) {
        const disturbed = await fetched({ ...world, deaths: [steps] })
        expect(lasting(disturbed)).toEqual(lasting(quiet))
        expect(disturbed.served).toBeLessThanOrEqual(quiet.served + 1)
        if (disturbed.died === 0) break
      }
    },
  )
})
