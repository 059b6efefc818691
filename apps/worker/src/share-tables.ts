import { setTimeout as wait } from 'node:timers/promises'
import {
  formatDuration,
  huntOfRunId,
  type TableEntry,
  type TableJob,
  type TableSpec,
} from '@huntfleet/contract'
import type { SharedClaim, SharedFetches, SharedTable, TableProcessor } from '@huntfleet/queue'
import type { ObjectStore } from '@huntfleet/storage'
import type { WorkerStore } from './worker-store.ts'

export interface ShareOptions {
  /** `freshness` of hunts in milliseconds, by their names; runs of others share nothing. */
  freshnessMs: ReadonlyMap<string, number>
  /** What a table's fetch depends on, in one word; see `fetchFingerprint`. */
  fingerprint: (job: TableJob) => Promise<string>
  shared: SharedFetches
  store: WorkerStore
}

/** How often a run looks whether another one has fetched its table, in milliseconds. */
const lookMs = 500

/**
 * Fetches tables that several runs want in exactly the same way once: the others take the object of the first, as long
 * as it is fresh and whole. A run that is retried by hand fetches for itself.
 */
export function shareTables(fetchTable: TableProcessor, options: ShareOptions): TableProcessor {
  return async (job, context) => {
    const freshnessMs = options.freshnessMs.get(huntOfRunId(job.runId) ?? '')
    if (freshnessMs === undefined || job.retry > 1) return fetchTable(job, context)
    const fingerprint = await options.fingerprint(job)
    const turn = await sharedOrClaimed(options, job, fingerprint, freshnessMs, context.signal)
    if (turn.is === 'shared') return sharedEntry(turn.table, job.spec)
    const { claim } = turn
    let offered = false
    try {
      const entry = await fetchTable(job, context)
      if (entry.outcome !== 'complete' || entry.source !== 'live' || entry.path === null) return entry
      offered = true
      // Only what stands in a run's record is whole for sure.
      context.afterStored(() => claim.offer(job.runId, entry, freshnessMs).finally(() => claim.release()))
      const note = `other runs may take this table for ${formatDuration(freshnessMs)} (freshness)`
      return { ...entry, notes: [...entry.notes, note] }
    } finally {
      if (!offered) await claim.release()
    }
  }
}

type Turn = { is: 'shared'; table: SharedTable } | { is: 'claimed'; claim: SharedClaim }

/** Waits until another run has fetched the table, or it is our turn to do so. */
async function sharedOrClaimed(
  { shared, store }: ShareOptions,
  job: TableJob,
  fingerprint: string,
  freshnessMs: number,
  signal: AbortSignal,
): Promise<Turn> {
  const find = async (): Promise<SharedTable | null> => {
    const found = await shared.find(fingerprint, freshnessMs)
    return found !== null && (await isThere(await store.of(job.storage), found.entry)) ? found : null
  }
  for (;;) {
    signal.throwIfAborted()
    const table = await find()
    if (table !== null) return { is: 'shared', table }
    const claim = await shared.claim(fingerprint)
    if (claim === null) {
      await wait(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      continue
    }
    // It may have been offered between the look and the claim.
    const late = await find()
    if (late === null) return { is: 'claimed', claim }
    await claim.release()
    return { is: 'shared', table: late }
  }
}

async function isThere(store: ObjectStore, { path, bytes }: TableEntry): Promise<boolean> {
  return path !== null && (await store.head(path))?.bytes === bytes
}

/** The table as this run's manifest has it: another run's object, and no call of its own. */
function sharedEntry({ runId, fetchedAt, entry }: SharedTable, spec: TableSpec): TableEntry {
  const note = `fetched by run ${runId} at ${new Date(fetchedAt).toISOString()} and shared; this run called nothing`
  return {
    ...entry,
    optional: spec.optional,
    hashes: spec.hashes,
    calls: 0,
    retries: 0,
    duration_ms: 0,
    notes: [...entry.notes, note],
    shared_from: runId,
  }
}
