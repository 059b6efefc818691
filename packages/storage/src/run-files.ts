import { RunError } from '@huntfleet/contract'
import type { ObjectHead, ObjectStore } from './object-store.ts'

/** A run as its manifests show it, whatever version wrote them. */
export interface RunFiles {
  /** In the order in which they were published. */
  manifests: ObjectHead[]
  /** Every text of the manifests that could be a key. */
  named: Set<string>
  /** Those of them that are said to be files. */
  files: Set<string>
}

/** Manifests that are read at once. */
const atOnce = 16

const manifestName = /^(_runs\/.*\/)manifest(?:\.(\d+))?\.json$/

/** All runs of a store. Throws SINK_INVALID at a manifest that is no JSON: nobody knows what it names. */
export async function readRunFiles(store: ObjectStore): Promise<RunFiles[]> {
  const runs = new Map<string, RunFiles>()
  let reading: Promise<void>[] = []
  for await (const head of store.list('_runs/')) {
    const folder = manifestName.exec(head.key)?.[1]
    if (folder === undefined) continue
    const run = runs.get(folder) ?? { manifests: [], named: new Set(), files: new Set() }
    runs.set(folder, run)
    reading.push(readInto(store, head, run))
    if (reading.length === atOnce) {
      await Promise.all(reading)
      reading = []
    }
  }
  await Promise.all(reading)
  const found = [...runs.values()]
  for (const { manifests } of found) manifests.sort((a, b) => retryOf(a) - retryOf(b))
  return found
}

const retryOf = ({ key }: ObjectHead): number => Number(manifestName.exec(key)?.[2] ?? 1)

async function readInto(store: ObjectStore, head: ObjectHead, run: RunFiles): Promise<void> {
  const bytes = await store.get(head.key)
  // Removed since it was listed.
  if (bytes === null) return
  run.manifests.push(head)
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'), (field, value: unknown) => {
      if (typeof value === 'string' && value.includes('/')) {
        run.named.add(value)
        if (field.endsWith('path')) run.files.add(value)
      }
      return null
    })
  } catch (error) {
    throw new RunError(
      'SINK_INVALID',
      `${store.url}/${head.key} is not JSON, so that nobody knows which files belong to its run`,
      { hint: 'restore the manifest, or remove it: its files then belong to no run' },
      error,
    )
  }
}
