import { huntOfRunId, RunError } from '@huntfleet/contract'
import { isKey } from './object-key.ts'
import type { ObjectHead, ObjectStore, Unfinished } from './object-store.ts'
import { hasOwnFooter } from './own-footer.ts'
import { type OwnKind, ownKinds } from './own-key.ts'
import { publishWithinMs } from './publish-deadline.ts'
import { type RunFiles, readRunFiles } from './run-files.ts'

/**
 * The least age at which an object that no manifest names can be nobody's any more: a day beyond the last moment at
 * which its run could have been published.
 */
export const safeGarbageAgeMs = publishWithinMs + 24 * 60 * 60 * 1000

export interface GarbageOptions {
  /** `storage.layout`, by which data is recognised. */
  layout: string
  /** Nothing younger is removed. Below `safeGarbageAgeMs` only where nothing else uses the store. */
  olderThanMs: number
  /** Runs whose last manifest is older are removed whole; not below `olderThanMs`. null: runs are kept. */
  retentionMs: number | null
  /** The same for the runs of hunts that want another one, by the hunt's name. */
  huntRetentionMs?: ReadonlyMap<string, number>
  /** Only tell. */
  dryRun: boolean
  /** Milliseconds since the epoch. */
  now: number
}

export interface Garbage {
  kind: OwnKind | Unfinished['kind']
  key: string
  /** null where the store does not tell. */
  bytes: number | null
  /** Milliseconds since the epoch. */
  modifiedAt: number
}

export interface GarbageReport {
  /** What was removed, or would be, in that order. */
  removed: Garbage[]
  /** Sentences about what could not be looked at, or was left alone although no manifest names it. */
  notes: string[]
}

/**
 * Removes what killed and failed attempts left: unfinished uploads and files, pieces, and data, rejects and ledgers that
 * no manifest names; and runs beyond the retention, the manifest first, so that no reader ever misses a file.
 */
export async function collectGarbage(store: ObjectStore, options: GarbageOptions): Promise<GarbageReport> {
  const { olderThanMs, retentionMs, dryRun, now } = options
  const report: GarbageReport = { removed: [], notes: [] }
  const isOld = (time: number): boolean => time <= now - olderThanMs
  const kindOf = ownKinds(options.layout)

  // Before the manifests, so that what is published meanwhile is named by one that is read.
  const objects: ObjectHead[] = []
  for await (const head of store.list('')) {
    const kind = kindOf(head.key)
    if (kind !== null && kind !== 'manifest' && isOld(head.modifiedAt)) objects.push(head)
  }
  const runs = await readRunFiles(store)
  const isExpired = ({ manifests }: RunFiles): boolean => {
    const keptMs = options.huntRetentionMs?.get(huntOf(manifests[0]?.key ?? '') ?? '') ?? retentionMs
    return (
      keptMs !== null &&
      manifests.every(({ key, modifiedAt }) => kindOf(key) === 'manifest' && modifiedAt <= now - keptMs)
    )
  }
  const named = new Set(runs.filter((run) => !isExpired(run)).flatMap((run) => [...run.named]))
  const expired = runs.filter(isExpired)
  objects.push(...(await filesUnder(store, expired, new Set(objects.map(({ key }) => key)))))

  const remove = async (kind: OwnKind, { key, bytes, modifiedAt }: ObjectHead): Promise<void> => {
    if (!dryRun) await store.delete(key)
    report.removed.push({ kind, key, bytes, modifiedAt })
  }
  // The oldest first: a reader takes the newest, and must not be left with an older one.
  for (const head of expired.flatMap(({ manifests }) => manifests)) await remove('manifest', head)
  for (const head of objects) {
    if (named.has(head.key)) continue
    const kind = kindOf(head.key) ?? 'data'
    if ((kind === 'data' || kind === 'rejects') && !(await hasOwnFooter(store, head)))
      report.notes.push(`${head.key} is left alone: it is not a file that Huntfleet wrote`)
    else await remove(kind, head)
  }
  await discardUnfinished(store, options, report)
  return report
}

/** The hunt whose run a manifest is of; null: none's. */
function huntOf(manifest: string): string | null {
  return huntOfRunId(/\/run=([^/]+)\//.exec(manifest)?.[1] ?? '')
}

/** The files of expired runs that were stored under another layout. */
async function filesUnder(
  store: ObjectStore,
  expired: readonly RunFiles[],
  known: ReadonlySet<string>,
): Promise<ObjectHead[]> {
  const found: ObjectHead[] = []
  for (const key of expired.flatMap(({ files }) => [...files])) {
    const head = known.has(key) || !isKey(key) ? null : await store.head(key)
    if (head !== null) found.push(head)
  }
  return found
}

async function discardUnfinished(
  store: ObjectStore,
  { layout, olderThanMs, dryRun, now }: GarbageOptions,
  report: GarbageReport,
): Promise<void> {
  const kindOf = ownKinds(layout)
  try {
    for await (const unfinished of store.unfinished()) {
      const { kind, key, bytes, modifiedAt } = unfinished
      if (modifiedAt > now - olderThanMs || (kind === 'upload' && kindOf(key) === null)) continue
      if (!dryRun) await store.discard(unfinished)
      report.removed.push({ kind, key, bytes, modifiedAt })
    }
  } catch (error) {
    if (!(error instanceof RunError) || error.code === 'SINK_UNREACHABLE') throw error
    report.notes.push(
      `unfinished uploads could not be listed, so let the bucket end them by a lifecycle rule: ${error.message}`,
    )
  }
}
