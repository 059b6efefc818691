import type { Manifest } from '@huntfleet/contract'
import type { Output } from './output.ts'
import { textTable } from './text-table.ts'

/** A run as people want to see it: its status, a line per table, where the manifest is. */
export function printRun(output: Output, manifest: Manifest, key: string | null): void {
  output.print(`run ${manifest.run_id}: ${manifest.status}`)
  const rows = Object.entries(manifest.tables).map(([table, entry]) => [
    table,
    entry.outcome,
    String(entry.rows),
    String(entry.rejects),
    String(entry.pages),
    `${(entry.duration_ms / 1000).toFixed(1)} s`,
    entry.path === null ? '' : (entry.path.split('/').at(-1) ?? ''),
  ])
  output.print(textTable(['table', 'outcome', 'rows', 'rejects', 'pages', 'time', 'file'], rows))
  for (const [table, entry] of Object.entries(manifest.tables)) {
    if (!entry.whole && entry.outcome !== 'skipped' && entry.outcome !== 'native')
      output.print(`${table}: ${entry.reason}`)
    if (entry.error?.hint !== undefined) output.print(`${table}: ${entry.error.hint}`)
    for (const note of entry.notes) output.print(`${table}: note: ${note}`)
  }
  if (key !== null) output.print(`manifest: ${manifest.storage}/${key}`)
}
