import { layoutDate, renderLayout } from './layout.ts'

/** Where the files of one table of one run go, below the storage URL, without a trailing slash. */
export function tablePrefixes(
  layout: string,
  table: { strategy: string; table: string; runId: string; scheduledAt: string },
): { data: string; rejects: string } {
  const data = renderLayout(layout, {
    strategy: table.strategy,
    table: table.table,
    run_id: table.runId,
    date: layoutDate(table.scheduledAt),
  })
  return { data, rejects: `_rejects/${data}` }
}
