import type { Manifest } from '@huntfleet/contract'
import type { ObjectStore } from '@huntfleet/storage'
import { textTable } from '../../apps/cli/src/terminal/text-table.ts'
import { firstRows } from './first-rows.ts'

const shownRows = 5

/** What a run has brought, for people: a line per table, then where each file is and how it begins. */
export async function runReport(manifest: Manifest, store: ObjectStore): Promise<string> {
  const tables = Object.entries(manifest.tables)
  const overview = textTable(
    ['table', 'outcome', 'rows', 'pages', 'calls', 'time', 'why'],
    tables.map(([name, table]) => [
      name,
      table.outcome,
      String(table.rows),
      String(table.pages),
      String(table.calls),
      `${(table.duration_ms / 1000).toFixed(1)} s`,
      table.reason,
    ]),
  )
  const parts = [`Run ${manifest.run_id} is ${manifest.status}.`, overview]
  for (const [name, { path, whole, reason, error }] of tables) {
    if (!whole) parts.push([`${name} is not whole: ${reason}`, error?.hint ?? ''].join('\n').trimEnd())
    if (path === null) continue
    const bytes = await store.get(path)
    if (bytes === null) throw new Error(`${path} is in the manifest and not in the storage`)
    const { columns, rows } = await firstRows(bytes, shownRows)
    parts.push(`${name}: ${store.url}/${path} (${bytes.length} bytes)\n${textTable(columns, rows)}`)
  }
  return parts.join('\n\n')
}
