import type { Manifest, TableEntry } from '@huntfleet/contract'
import type { ObjectStore } from '@huntfleet/storage'
import type { PastEvent } from './chaos.ts'
import { judgeRefetches, judgeRun, type RunEvidence, refetchedPages, type StoredTable } from './oracle.ts'
import { type PageCall, wasServed } from './page-log.ts'
import type { TableReader } from './read-table.ts'
import type { EnqueuedRun } from './run-queue.ts'
import type { ChaosEvent } from './schedule.ts'
import type { StorageWatch } from './storage-watch.ts'
import type { WorkerSlots } from './worker-slots.ts'

/** What a fleet has been through, and what is wrong with what it has left. */
export interface ChaosReport {
  seed: number
  /** How often each kind of event has happened. */
  events: Readonly<Record<string, number>>
  workersStarted: number
  runs: Readonly<Record<string, number>>
  tables: Readonly<Record<string, number>>
  rows: number
  pagesServed: number
  /** Calls of pages that their source failed. */
  pagesFailed: number
  pagesRefetched: number
  looksAtStorage: number
  /** Objects and unfinished uploads that no manifest names, before garbage was collected. */
  garbage: number
  slowestTermMs: number
  drainedMs: number
  /** Sentences; empty: nothing is wrong. */
  faults: string[]
}

export interface Findings {
  seed: number
  calls: readonly PageCall[]
  past: readonly PastEvent[]
  runs: readonly EnqueuedRun[]
  slots: WorkerSlots
  watch: StorageWatch
  reader: TableReader
  store: ObjectStore
  drainedMs: number
  /** Whether a table goes on where its last worker was. */
  checkpoints: boolean
  /** How often each job changed hands, by its id. */
  handovers: ReadonlyMap<string, number>
  garbage: number
  /** What should be gone at the end. */
  left: readonly string[]
}

export async function makeReport(findings: Findings): Promise<ChaosReport> {
  const { seed, calls, past, runs, slots, watch } = findings
  const faults = [...watch.faults, ...slots.faults, ...findings.left.map((left) => `left behind: ${left}`)]
  const callsOf = Map.groupBy(calls, ({ run }) => run)
  const tables: string[] = []
  let rows = 0
  for (const run of runs) {
    const { record, runId } = run
    if (record === null) {
      faults.push(`run ${runId} has not ended`)
      continue
    }
    const manifests = manifestsOf(watch, runId)
    for (const manifest of manifests.values()) {
      for (const entry of Object.values(manifest.tables)) {
        tables.push(entry.outcome)
        rows += entry.rows
      }
    }
    const evidence: RunEvidence = {
      runId,
      status: record.status,
      manifests,
      objectOf: (entry) => objectOf(findings, entry),
      calls: callsOf.get(runId) ?? [],
      handovers: (table) => findings.handovers.get(table === null ? runId : `${runId}.${table}`) ?? 0,
      ...countDuring(past, run),
    }
    faults.push(...(await judgeRun(evidence)))
    if (!findings.checkpoints) continue
    for (const manifest of manifests.values()) faults.push(...judgeRefetches(evidence, manifest.tables))
  }
  const refetched = refetchedPages(calls)
  const pagesRefetched = [...refetched.values()].reduce((sum, pages) => sum + pages, 0)
  return {
    seed,
    events: countEvents(past),
    workersStarted: slots.started,
    runs: countWords(runs.map(({ record }) => record?.status ?? 'not ended')),
    tables: countWords(tables),
    rows,
    pagesServed: calls.filter(wasServed).length,
    pagesFailed: calls.filter((call) => !wasServed(call)).length,
    pagesRefetched,
    looksAtStorage: watch.looks,
    garbage: findings.garbage,
    slowestTermMs: Math.round(Math.max(0, ...slots.termMs)),
    drainedMs: findings.drainedMs,
    faults,
  }
}

/** What began so long before a run may still be felt by it. */
const beforeMs = 10_000

function countDuring(
  past: readonly PastEvent[],
  run: EnqueuedRun,
): Pick<RunEvidence, 'interruptions' | 'storageFaults'> {
  const kinds = past
    .filter(({ t }) => t > run.enqueuedAt - beforeMs && t < run.endedAt)
    .map(({ event }) => event.kind)
  const count = (...some: ChaosEvent['kind'][]): number => kinds.filter((kind) => some.includes(kind)).length
  return {
    interruptions: count('kill', 'term', 'freeze', 'redis-kill', 'redis-freeze'),
    storageFaults: count('storage'),
  }
}

export const countEvents = (past: readonly PastEvent[]): Record<string, number> =>
  countWords(past.map(({ event }) => event.kind))

function countWords(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

function manifestsOf({ manifests }: StorageWatch, runId: string): Map<string, Manifest> {
  return new Map([...manifests].filter(([key]) => key.includes(`/run=${runId}/`)))
}

async function objectOf({ store, reader }: Findings, { path }: TableEntry): Promise<StoredTable | null> {
  const bytes = path === null ? null : await store.get(path)
  return bytes === null ? null : { bytes, rows: await reader.read(bytes).catch((error) => String(error)) }
}
