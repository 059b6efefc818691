import type { TableSpec } from '@huntfleet/contract'
import type { TableFacts } from './run-record.ts'

/**
 * What the fleet keeps of a table's spec. A table that is fetched from several servers counts as the first one's: it
 * waits in that queue.
 */
export function factsOf(spec: TableSpec): TableFacts {
  const columns = Object.fromEntries(spec.columns.map(({ name, type }) => [name, type]))
  return { server: spec.server, tool: spec.tool, optional: spec.optional, columns, hashes: spec.hashes }
}
