import { type Manifest, RunError } from '@huntfleet/contract'
import type { ObjectStore } from './object-store.ts'

/** Looked up at once. */
const atOnce = 16

/**
 * Throws SINK_INVALID unless every file that the manifest names is there, data with its size: a manifest must not
 * promise what somebody has removed, above all when a retry takes over tables of an earlier one.
 */
export async function checkNamedFiles(store: ObjectStore, manifest: Manifest): Promise<void> {
  const files = Object.entries(manifest.tables).flatMap(([table, entry]) =>
    [
      { table, key: entry.path, bytes: entry.bytes },
      { table, key: entry.rejects_path, bytes: null },
      { table, key: entry.ledger_path, bytes: null },
    ].flatMap((file) => (file.key === null ? [] : [{ ...file, key: file.key }])),
  )
  for (let from = 0; from < files.length; from += atOnce) {
    await Promise.all(
      files.slice(from, from + atOnce).map(async ({ table, key, bytes }) => {
        const found = await store.head(key)
        if (found !== null && (bytes === null || found.bytes === bytes)) return
        const there = found === null ? 'it is not there' : `it has ${found.bytes} bytes instead of ${bytes}`
        throw new RunError(
          'SINK_INVALID',
          `the run is not published: its manifest would name ${store.url}/${key}, and ${there}`,
          { table, hint: 'run it again, and look for who removes or changes files of the storage' },
        )
      }),
    )
  }
}
