import {
  hasFile,
  ledgerInManifest,
  maskedError,
  type PageEntry,
  type TableEntry,
  type TableSpec,
} from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import type { TableEnd } from './table-end.ts'
import type { TableCounts } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'

/** What is known of a table beside how its fetches ended. */
interface TableFacts {
  counts: TableCounts
  budget: Budget
  attempt: string
  durationMs: number
  ledger: readonly PageEntry[]
}

/** The table's entry for the manifest, as far as it is known before its file is stored. */
export function entryOf(
  spec: TableSpec,
  end: TableEnd,
  { counts, budget, attempt, durationMs, ledger }: TableFacts,
  { source, mask }: TablePorts,
): TableEntry {
  const stored = hasFile(end.outcome)
  return {
    outcome: end.outcome,
    whole: end.outcome === 'complete',
    reason: mask(end.reason),
    proof: end.proof,
    optional: spec.optional,
    rows: stored ? counts.rows : 0,
    bytes: 0,
    pages: budget.pages,
    calls: budget.calls,
    retries: budget.retries,
    duration_ms: Math.round(durationMs),
    path: null,
    sha256: null,
    columns: counts.columns,
    rejects: counts.rejects,
    rows_dropped: counts.dropped,
    duplicates: counts.duplicates,
    rejects_path: null,
    source: source ?? 'live',
    server: spec.server,
    tool: spec.tool,
    server_version: end.server === null ? null : mask(`${end.server.name} ${end.server.version}`),
    hashes: spec.hashes,
    notes: end.notes.map(mask),
    ledger: ledger.slice(0, ledgerInManifest),
    ledger_path: null,
    attempt,
    error: end.error === null ? null : maskedError(end.error.with({ table: spec.table }), mask),
    retry: 1,
    history: [],
  }
}

/** What is known before the file is closed, in the file itself. */
export function footerOf(spec: TableSpec, entry: TableEntry): Record<string, string> {
  return {
    'huntfleet.run_id': spec.runId,
    'huntfleet.strategy': spec.strategy,
    'huntfleet.version': spec.version,
    'huntfleet.table': spec.table,
    'huntfleet.outcome': entry.outcome,
    'huntfleet.reason': entry.reason,
    'huntfleet.rows': String(entry.rows),
    'huntfleet.rejects': String(entry.rejects),
    'huntfleet.scheduled_at': spec.scheduledAt,
    'huntfleet.source': entry.source,
    'huntfleet.hashes': JSON.stringify(spec.hashes),
  }
}
