import { huntfleetVersion, type Manifest } from '@huntfleet/contract'
import type { RunRecord } from '@huntfleet/queue'

/** A run's record in the form of a manifest, for runs that have none (yet): those that wait for agents, for example. */
export function manifestOfRecord(record: RunRecord): Manifest {
  const entries = Object.entries(record.tables).flatMap(([table, state]) =>
    state.entry === null ? [] : [[table, state.entry] as const],
  )
  const now = new Date().toISOString()
  return {
    manifest_version: 1,
    run_id: record.runId,
    strategy: record.strategy,
    version: record.version,
    hunt: record.hunt,
    status: record.status,
    params: record.params,
    scheduled_at: record.scheduledAt,
    window: record.window,
    started_at: record.startedAt ?? record.queuedAt,
    finished_at: record.finishedAt ?? now,
    storage: record.storage,
    huntfleet_version: huntfleetVersion,
    retry: record.retry,
    tables: Object.fromEntries(entries),
  }
}
