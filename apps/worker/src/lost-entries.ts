import type { RunJob, TableEntry } from '@huntfleet/contract'
import { keepBetter } from '@huntfleet/queue'
import { type ObjectStore, readManifest, tablePrefixes } from '@huntfleet/storage'

/** Names of files that a note lists at most. */
const listed = 20

/**
 * The entries of a run of which Redis knows nothing but that it began: those of the execution before, from its manifest,
 * and for tables without a file what was staged for them. Nothing says whether such a file is whole, so none becomes
 * part of the run.
 */
export async function lostEntries(
  job: RunJob,
  strategy: string,
  store: ObjectStore,
  entries: Readonly<Record<string, TableEntry>>,
): Promise<Record<string, TableEntry>> {
  const before = job.retry === 1 ? null : await readManifest(store, strategy, job.runId)
  const all = new Map(Object.entries(before?.tables ?? {}))
  for (const [table, entry] of Object.entries(entries)) {
    const kept = keepBetter(all.get(table) ?? null, entry)
    all.set(table, kept.path === null ? await withStaged(kept, job, strategy, table, store) : kept)
  }
  return Object.fromEntries(all)
}

async function withStaged(
  entry: TableEntry,
  { runId, scheduledAt, storage }: RunJob,
  strategy: string,
  table: string,
  store: ObjectStore,
): Promise<TableEntry> {
  const { data } = tablePrefixes(storage.layout, { strategy, table, runId, scheduledAt })
  const notes: string[] = []
  for await (const { key, bytes } of store.list(`${data}/`)) {
    notes.push(`the lost run left ${key} (${bytes} bytes), which is not part of the table`)
    if (notes.length === listed) break
  }
  return { ...entry, notes: [...entry.notes, ...notes] }
}
