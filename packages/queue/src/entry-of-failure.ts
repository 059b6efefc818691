import { errorDocumentSchema, type RunError, type TableEntry, unfetchedEntry } from '@huntfleet/contract'
import type { TableFacts } from './run-record.ts'

/** The entry of a table of which no worker brought one: it failed before a file, or was cancelled before it began. */
export function entryOfFailure(
  facts: TableFacts,
  outcome: 'failed' | 'cancelled',
  error: RunError,
): TableEntry {
  const document = outcome === 'failed' ? errorDocumentSchema.parse(error.toJSON()) : null
  const { server, tool, hashes } = facts
  return { ...unfetchedEntry('failed', error.message, facts, document), outcome, server, tool, hashes }
}
