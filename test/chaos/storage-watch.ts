import { createHash } from 'node:crypto'
import { type Manifest, manifestSchema } from '@huntfleet/contract'
import type { ObjectStore } from '@huntfleet/storage'
import type { TableReader } from './read-table.ts'

/**
 * Looks at storage as readers do, again and again while everything falls over: whatever is listed must be whole, must
 * never change, and a manifest must name nothing but files that are there.
 */
export interface StorageWatch {
  /** Looks once. */
  look(): Promise<void>
  /** Objects by key, as they were seen last. */
  readonly objects: ReadonlyMap<string, SeenObject>
  readonly manifests: ReadonlyMap<string, Manifest>
  readonly looks: number
  /** What was wrong at any time. */
  readonly faults: readonly string[]
}

interface SeenObject {
  bytes: number
  modifiedAt: number
  sha256: string
}

export function watchStorage(store: ObjectStore, reader: TableReader): StorageWatch {
  const objects = new Map<string, SeenObject>()
  const manifests = new Map<string, Manifest>()
  const faults: string[] = []
  let looks = 0

  const lookAt = async (key: string, bytes: number, modifiedAt: number): Promise<void> => {
    const before = objects.get(key)
    if (before?.bytes === bytes && before.modifiedAt === modifiedAt) return
    const content = await store.get(key)
    // Gone since it was listed: a writer that was told to stop has taken its own file back.
    if (content === null) return
    const sha256 = createHash('sha256').update(content).digest('hex')
    // Notes of runs under way are written again by every worker that takes the run.
    if (before !== undefined && before.sha256 !== sha256 && !key.startsWith('_started/'))
      faults.push(`${key} was replaced by something else`)
    objects.set(key, { bytes: content.length, modifiedAt, sha256 })
    if (before !== undefined) return
    if (key.endsWith('.parquet')) {
      await reader.read(content).catch((error) => faults.push(`${key} was visible and not whole: ${error}`))
    } else if (/\/manifest(?:\.\d+)?\.json$/.test(key)) await lookAtManifest(key, content)
  }

  const lookAtManifest = async (key: string, content: Uint8Array): Promise<void> => {
    const parsed = manifestSchema.safeParse(parse(content))
    if (!parsed.success) {
      faults.push(`${key} was visible and not whole: ${parsed.error.message}`)
      return
    }
    manifests.set(key, parsed.data)
    for (const { path, sha256 } of Object.values(parsed.data.tables)) {
      if (path === null) continue
      const file = await store.get(path)
      const found = file === null ? 'nothing' : createHash('sha256').update(file).digest('hex')
      if (found !== sha256)
        faults.push(`${key} was visible and names ${path} with ${sha256}, which held ${found}`)
    }
  }

  return {
    objects,
    manifests,
    faults,
    get looks() {
      return looks
    },
    async look() {
      const listed = new Set<string>()
      for await (const { key, bytes, modifiedAt } of store.list('')) {
        listed.add(key)
        await lookAt(key, bytes, modifiedAt)
      }
      for (const key of objects.keys()) if (!listed.has(key)) objects.delete(key)
      for (const key of manifests.keys()) if (!listed.has(key)) faults.push(`manifest ${key} was taken away`)
      looks += 1
    },
  }
}

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content).toString())
  } catch {
    return null
  }
}
