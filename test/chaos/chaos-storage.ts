import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ObjectStore, openStore } from '@huntfleet/storage'
import { type FaultRule, startFaultProxy, startS3 } from '@huntfleet/testing'
import { s3Storage } from '../e2e/fixture/s3-storage.ts'

/** Where the fleet stages, and how to make that fail. */
export interface ChaosStorage {
  url: string
  /** What the fleet talks to; null for a folder. */
  endpoint: string | null
  /** Credentials for workers. */
  env: NodeJS.ProcessEnv
  /** Looks at what is there, past all faults. */
  store: ObjectStore
  /** Makes requests of the fleet fail; null for a folder. */
  inject: ((rule: FaultRule) => void) | null
  /** Ends all faults. */
  heal(): void
  close(): Promise<void>
}

export type StorageKind = 'file' | 's3'

/** A fresh folder, or a bucket of a real S3 server behind a proxy that can fail. */
export async function openChaosStorage(
  kind: StorageKind,
  folder: string,
): Promise<ChaosStorage | { skipped: string }> {
  if (kind === 'file') return openFolder(join(folder, 'staging'))
  const server = await startS3()
  if ('skipped' in server) return server
  const bucket = await s3Storage(server)
  const proxy = await startFaultProxy(server.endpoint)
  return {
    url: bucket.url,
    endpoint: proxy.url,
    env: bucket.env,
    store: bucket.store,
    inject: (rule) => proxy.inject(rule),
    heal: () => proxy.heal(),
    close: async () => {
      await bucket.close()
      await proxy.close()
      await server.stop()
    },
  }
}

async function openFolder(path: string): Promise<ChaosStorage> {
  await mkdir(path, { mode: 0o700 })
  const url = pathToFileURL(path).href
  const store = await openStore({ url, endpoint: null, region: null, pathStyle: true })
  return {
    url,
    endpoint: null,
    env: {},
    store,
    inject: null,
    heal: () => {},
    close: () => store.close(),
  }
}
