import { errorDocumentSchema, type Outcome, type RunError, type TableEntry } from '@huntfleet/contract'
import type { TableFacts } from './run-record.ts'

/** The entry of a table of which no worker brought one: it failed before a file, or was cancelled before it began. */
export function unfetchedEntry(facts: TableFacts, outcome: Outcome, error: RunError): TableEntry {
  return {
    outcome,
    whole: false,
    reason: error.message,
    proof: null,
    optional: facts.optional,
    rows: 0,
    bytes: 0,
    pages: 0,
    calls: 0,
    retries: 0,
    duration_ms: 0,
    path: null,
    sha256: null,
    columns: {},
    rejects: 0,
    rows_dropped: 0,
    duplicates: 0,
    rejects_path: null,
    source: 'live',
    server: facts.server,
    tool: facts.tool,
    server_version: null,
    hashes: facts.hashes,
    notes: [],
    ledger: [],
    ledger_path: null,
    attempt: null,
    error: outcome === 'failed' ? errorDocumentSchema.parse(error.toJSON()) : null,
  }
}
