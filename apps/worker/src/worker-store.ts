import { RunError, type StorageTarget, type TableSpec } from '@huntfleet/contract'
import { type ObjectStore, openStore, tablePrefixes } from '@huntfleet/storage'

/**
 * The storage that this worker's own project file names. A job may choose a folder below it and nothing else: who can
 * write to Redis gains no bucket and no path (SPEC section 16.1).
 */
export interface WorkerStore {
  /** The store of a job; throws SINK_DENIED for a place that is not below ours. */
  of(job: StorageTarget): Promise<ObjectStore>
  /** The store of the worker itself. */
  root(): Promise<ObjectStore>
  close(): Promise<void>
}

export function workerStore(own: StorageTarget): WorkerStore {
  const stores = new Map<string, Promise<ObjectStore>>()
  const store: WorkerStore = {
    root: () => store.of(own),
    of(job) {
      if (job.url !== own.url && !job.url.startsWith(`${own.url}/`)) {
        throw new RunError(
          'SINK_DENIED',
          `this worker writes below ${own.url} only, and the run wants ${job.url}`,
          {
            hint: 'give producer and workers the same storage.url, or start a worker with the other one',
          },
        )
      }
      const known = stores.get(job.url)
      if (known !== undefined) return known
      // Endpoint, region and credentials are ours: a job must not send them elsewhere.
      const opened = openStore({ ...own, url: job.url })
      stores.set(job.url, opened)
      opened.catch(() => stores.delete(job.url))
      return opened
    },
    async close() {
      await Promise.allSettled([...stores.values()].map(async (opened) => (await opened).close()))
    },
  }
  return store
}

/** Refuses a spec whose paths are not those that its names give. */
export function checkPrefixes(spec: TableSpec, layout: string): void {
  const { strategy, table, runId, scheduledAt } = spec
  const expected = tablePrefixes(layout, { strategy, table, runId, scheduledAt })
  if (spec.dataPrefix === expected.data && spec.rejectsPrefix === expected.rejects) return
  throw new RunError(
    'PAYLOAD_INVALID',
    `the job's paths are not those of its run and table: ${spec.dataPrefix}`,
    {
      table,
      hint: 'someone else than a Huntfleet producer wrote this job; look at who may write to Redis',
    },
  )
}
