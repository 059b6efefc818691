import { createHash } from 'node:crypto'
import { type Manifest, type TableEntry, unfetchedEntry } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { judgeRefetches, judgeRun, type RunEvidence, refetchedPages, type StoredTable } from './oracle.ts'
import type { Fate, PageCall } from './page-log.ts'
import { pageSize, type SourceRow, sourceRow, tableSize, tables } from './source-table.ts'

/** An oracle that cannot find a fault is worth nothing: every one of them is made here, and must be found. */

/** A run whose first table has several pages. */
const runId =
  Array.from({ length: 100 }, (_, n) => `run-${n}`).find((id) => tableSize(id, 'web_offset') > 200) ?? ''
const table = 'web_offset'
const size = tableSize(runId, table)

const rowsOf = (name: string): SourceRow[] =>
  Array.from({ length: tableSize(runId, name) }, (_, i) => sourceRow(runId, name, i))

const bytes = Buffer.from('the file')
const sha256 = createHash('sha256').update(bytes).digest('hex')

function entryOf(name: string, rows: number): TableEntry {
  return {
    ...unfetchedEntry('failed', 'the source ended', { optional: false, columns: {} }),
    outcome: 'complete',
    whole: true,
    proof: 'short_page',
    rows,
    bytes: bytes.length,
    path: `${name}.parquet`,
    sha256,
    ledger: [{ page: 1, part: 0, at: 0, items: rows, bytes: 1, ms: 1, attempt: 1 }],
  }
}

interface Run {
  evidence: RunEvidence
  manifest: Manifest
  entries: Record<string, TableEntry>
  stored: Map<string, StoredTable>
}

/** A run in which nothing is wrong; `change` makes something wrong. */
function run(change: (run: Run) => Partial<RunEvidence> | undefined = () => undefined): RunEvidence {
  const names = Object.keys(tables)
  const entries = Object.fromEntries(names.map((name) => [name, entryOf(name, tableSize(runId, name))]))
  const stored = new Map<string, StoredTable>(
    names.map((name) => [`${name}.parquet`, { bytes, rows: rowsOf(name) }]),
  )
  const manifest: Manifest = {
    manifest_version: 1,
    run_id: runId,
    strategy: 'chaos',
    version: '',
    hunt: null,
    status: 'complete',
    params: {},
    scheduled_at: '',
    window: { start: null, end: null },
    started_at: '',
    finished_at: '',
    storage: '',
    huntfleet_version: '',
    retry: 1,
    tables: entries,
  }
  const evidence: RunEvidence = {
    runId,
    status: 'complete',
    manifests: new Map([['manifest.json', manifest]]),
    objectOf: async ({ path }) => stored.get(path ?? '') ?? null,
    calls: [],
    interruptions: 0,
    storageFaults: 0,
    handovers: () => 0,
  }
  return { ...evidence, ...change({ evidence, manifest, entries, stored }) }
}

/** What the oracle says about a run whose first table holds these rows. */
async function judgeRows(change: (rows: SourceRow[]) => SourceRow[]): Promise<string[]> {
  return judgeRun(
    run(({ entries, stored }) => {
      const rows = change(rowsOf(table))
      stored.set(`${table}.parquet`, { bytes, rows })
      entries[table] = entryOf(table, rows.length)
    }),
  )
}

const call = (at: number, fate: Fate): PageCall => ({ t: 0, run: runId, table, at, worker: 'w', fate })

/** A run whose first table ended early with this outcome. */
function endedEarly(entry: Partial<TableEntry>, evidence: Partial<RunEvidence> = {}): RunEvidence {
  return run(({ entries, stored, manifest }) => {
    const rows = rowsOf(table).slice(0, entry.rows ?? 0)
    stored.set(`${table}.parquet`, { bytes, rows })
    entries[table] = { ...entryOf(table, rows.length), whole: false, proof: null, ...entry }
    manifest.status = 'partial'
    return { status: 'partial', ...evidence }
  })
}

test('says nothing about a run in which nothing is wrong', async () => {
  expect(await judgeRun(run())).toEqual([])
})

describe('rows', () => {
  test('a lost row is found, and with it the false word', async () => {
    const faults = await judgeRows((rows) => rows.toSpliced(57, 1))
    expect(faults).toContain(`run ${runId}: table ${table}: 1 rows are lost: 57`)
    expect(faults).toContain(
      `run ${runId}: table ${table}: it is called complete with ${size - 1} of ${size} rows`,
    )
  })

  test('a lost page is found where rows were doubled to hide it', async () => {
    const faults = await judgeRows((rows) => [
      ...rows.slice(0, pageSize),
      ...rows.slice(0, pageSize),
      ...rows.slice(2 * pageSize),
    ])
    expect(faults.join()).toMatch(/40 rows are lost/)
    expect(faults.join()).toMatch(/40 rows are doubled/)
  })

  test('a doubled row is found', async () => {
    expect((await judgeRows((rows) => rows.toSpliced(3, 0, sourceRow(runId, table, 3)))).join()).toMatch(
      /1 rows are doubled: run-\d+\/web_offset\/3/,
    )
  })

  test('a wrong order is found', async () => {
    const faults = await judgeRows((rows) => [
      ...rows.slice(pageSize, 2 * pageSize),
      ...rows.slice(0, pageSize),
      ...rows.slice(2 * pageSize),
    ])
    expect(faults).toEqual([
      `run ${runId}: table ${table}: the order of the source is lost at row ${pageSize}`,
    ])
  })

  test.each<[string, Partial<SourceRow>]>([
    ['text', { text: 'other' }],
    ['time', { at: '2026-01-01T00:00:00.001Z' }],
    ['number', { i: 7 }],
  ])('an altered %s is found', async (_, change) => {
    const faults = await judgeRows((rows) => rows.with(5, { ...sourceRow(runId, table, 5), ...change }))
    expect(faults).toEqual([`run ${runId}: table ${table}: 1 rows are altered: 5`])
  })

  test('a row of another run is found', async () => {
    const faults = await judgeRows((rows) => rows.with(5, sourceRow('run-other', table, 5)))
    expect(faults.join()).toMatch(/1 rows are lost: 5/)
    expect(faults.join()).toMatch(/1 rows are not of this table: run-other/)
  })
})

describe('words', () => {
  test('a table that ended early for a reason that its source bears out is no fault', async () => {
    const entry = { outcome: 'page_error', rows: 2 * pageSize } as const
    expect(await judgeRun(endedEarly(entry, { calls: [call(2 * pageSize, 'error')] }))).toEqual([])
  })

  test('a page that was called as often as it may be is a cause, whatever its source believes to have sent', async () => {
    const calls = Array.from({ length: 4 }, () => call(2 * pageSize, 'served'))
    expect(await judgeRun(endedEarly({ outcome: 'page_error', rows: 2 * pageSize }, { calls }))).toEqual([])
  })

  test.each<[string, readonly PageCall[]]>([
    ['no call went wrong', []],
    ['the page was served', [call(2 * pageSize, 'served')]],
    ['another page went wrong', [call(pageSize, 'error')]],
  ])('a page error is found false when %s', async (_, calls) => {
    const faults = await judgeRun(endedEarly({ outcome: 'page_error', rows: 2 * pageSize }, { calls }))
    expect(faults.join()).toMatch(/page_error with a reason that nothing bears out/)
  })

  test('a hole in a table that ended early is found', async () => {
    const evidence = endedEarly(
      { outcome: 'page_error', rows: 2 * pageSize },
      { calls: [call(2 * pageSize, 'error')] },
    )
    const rows = [...rowsOf(table).slice(0, 10), ...rowsOf(table).slice(11, 2 * pageSize + 1)]
    const objectOf = async (entry: TableEntry) =>
      entry.path === `${table}.parquet` ? { bytes, rows } : evidence.objectOf(entry)
    expect((await judgeRun({ ...evidence, objectOf })).join()).toMatch(/1 rows are lost: 10/)
  })

  test.each<[string, Partial<TableEntry>, RegExp]>([
    ['whole beside an early end', { outcome: 'page_error', whole: true }, /page_error and whole is true/],
    ['no reason', { outcome: 'time_budget', reason: ' ' }, /time_budget without a reason/],
    ['an outcome that nothing here can lead to', { outcome: 'row_cap' }, /row_cap with a reason/],
    ['a cancellation that nobody asked for', { outcome: 'cancelled' }, /cancelled with a reason/],
  ])('%s is found', async (_, entry, words) => {
    expect((await judgeRun(endedEarly({ rows: pageSize, ...entry }))).join()).toMatch(words)
  })

  const died = { code: 'INTERNAL', kind: 'bug', message: 'the worker died 4 times' } as const
  const failed: Partial<TableEntry> = {
    outcome: 'failed',
    path: null,
    rows: 0,
    error: died,
    reason: died.message,
  }
  test('a failure by dying workers is true only if they died', async () => {
    expect(await judgeRun(endedEarly(failed, { interruptions: 4 }))).toEqual([])
    expect(await judgeRun(endedEarly(failed, { handovers: () => 4 }))).toEqual([])
    const lessOften = endedEarly(failed, { interruptions: 2, handovers: () => 2 })
    expect((await judgeRun(lessOften)).join()).toMatch(/nothing bears out/)
  })

  test('a failure of storage is true only if storage failed', async () => {
    const error = { code: 'SINK_UNREACHABLE', kind: 'sink', message: 'no answer' } as const
    expect(await judgeRun(endedEarly({ ...failed, error }, { storageFaults: 1 }))).toEqual([])
    expect((await judgeRun(endedEarly({ ...failed, error }))).join()).toMatch(/nothing bears out/)
  })
})

describe('manifests', () => {
  test.each<[string, (run: Run) => Partial<RunEvidence> | undefined, RegExp]>([
    ['no manifest', () => ({ manifests: new Map() }), /has 0 manifests/],
    [
      'a second manifest',
      ({ manifest }) => ({
        manifests: new Map([
          ['manifest.json', manifest],
          ['manifest.2.json', manifest],
        ]),
      }),
      /has 2 manifests/,
    ],
    ['a record that says otherwise', () => ({ status: 'partial' }), /its record says partial/],
    ['a missing table', ({ entries }) => void delete entries[table], /lacks web_offset/],
    ['a missing file', ({ stored }) => void stored.delete(`${table}.parquet`), /is not there/],
    [
      'other bytes',
      ({ stored }) =>
        void stored.set(`${table}.parquet`, { bytes: Buffer.from('the fine'), rows: rowsOf(table) }),
      /SHA-256/,
    ],
    [
      'a file that cannot be read',
      ({ stored }) => void stored.set(`${table}.parquet`, { bytes, rows: 'no magic bytes' }),
      /cannot be read: no magic bytes/,
    ],
    [
      'a wrong size',
      ({ entries }) => void Object.assign(entries[table] ?? {}, { bytes: 1 }),
      /has 8 bytes, not 1/,
    ],
    [
      'a wrong number of rows',
      ({ stored }) => void stored.set(`${table}.parquet`, { bytes, rows: rowsOf(table).slice(1) }),
      /the manifest claims \d+ rows, the file has/,
    ],
    [
      'a ledger that does not add up',
      ({ entries }) => void Object.assign(entries[table] ?? {}, { ledger: [] }),
      /its ledger counts 0 rows/,
    ],
    ['a run lost without a cause', () => ({ status: 'lost', manifests: new Map() }), /lost after only 0/],
    [
      'a lost run whose manifest has files',
      () => ({ status: 'lost', interruptions: 9 }),
      /its record says lost, its manifest complete/,
    ],
  ])('%s is found', async (_, change, words) => {
    const faults = await judgeRun(run(change))
    expect(faults.join('\n')).toMatch(words)
  })
})

test('counts pages that were served again, and not those whose source failed before', () => {
  const calls = [
    call(0, 'error'),
    call(0, 'served'),
    call(40, 'served'),
    call(40, 'slow'),
    call(40, 'served'),
    call(80, 'hung'),
  ]
  expect(refetchedPages(calls)).toEqual(new Map([[`${runId}/${table}`, 2]]))
})

test('a call that is repeated because its answer was late is no page fetched again, unless another worker repeats it', () => {
  const late = { ...call(0, 'served'), t: 5_000 }
  expect(refetchedPages([call(0, 'served'), late])).toEqual(new Map())
  expect(refetchedPages([call(0, 'served'), { ...late, t: 4_999 }]).size).toBe(1)
  expect(refetchedPages([call(0, 'served'), { ...late, worker: 'x' }]).size).toBe(1)
})

describe('pages fetched again', () => {
  const by = (worker: string, ...pages: number[]): PageCall[] =>
    pages.map((page) => ({ ...call(page * pageSize, 'served'), worker }))
  const judge = (calls: PageCall[], retries = 0, handovers = 0): string[] =>
    judgeRefetches(
      run(() => ({ calls, handovers: () => handovers })),
      { [table]: { ...entryOf(table, size), retries } },
    )

  test('one for each change of hands is no fault, nor one for each retry or lock that was lost and taken again', () => {
    expect(judge([...by('a', 0, 1, 2), ...by('b', 2, 3), ...by('a', 3, 4)])).toEqual([])
    expect(judge(by('a', 0, 1, 1, 2), 1)).toEqual([])
    expect(judge(by('a', 0, 1, 1, 2), 0, 1)).toEqual([])
  })

  test('a table that begins anew is found', () => {
    expect(judge([...by('a', 0, 1, 2), ...by('b', 0, 1, 2, 3)]).join()).toMatch(/3 pages were fetched again/)
    expect(judge(by('a', 0, 1, 1, 2)).join()).toMatch(/1 pages were fetched again/)
  })
})
