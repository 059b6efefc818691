import { fileURLToPath } from 'node:url'
import { RunError } from '@huntfleet/contract'
import type { ObjectStore } from './object-store.ts'
import { printable } from './printable.ts'
import { type StoreTarget, withoutCredentials } from './store-target.ts'

/** How to open each kind of storage, by the scheme of its URL. The S3 client is loaded only when it is needed. */
const stores: Readonly<Record<string, (target: StoreTarget) => Promise<ObjectStore>>> = {
  'file:': async (target) => (await import('./local-store.ts')).openLocalStore(folderOf(target.url)),
  's3:': async (target) => (await import('./s3-store.ts')).openS3Store(target),
}

/**
 * Opens the storage that an absolute URL names: `file:///folder` or `s3://bucket/prefix`. Share one store per process
 * and close it at the end. Credentials come from the AWS default chain. Throws SINK_INVALID for any other URL.
 */
export async function openStore(target: StoreTarget): Promise<ObjectStore> {
  const scheme = /^[a-z][a-z0-9+.-]*:(?=\/\/)/.exec(target.url)?.[0] ?? ''
  const open = Object.hasOwn(stores, scheme) ? stores[scheme] : undefined
  if (open !== undefined) return await open(target)
  const schemes = Object.keys(stores).map((known) => `${known}//`)
  const url = printable(withoutCredentials(target.url))
  throw new RunError('SINK_INVALID', `storage.url "${url}" must begin with ${schemes.join(' or ')}`, {
    hint: 'for a folder write file:///absolute/path or file://./relative, for S3 s3://bucket/prefix with storage.endpoint',
  })
}

function folderOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed !== null && parsed.host === '' && parsed.search === '' && parsed.hash === '') {
    try {
      return fileURLToPath(parsed)
    } catch {
      // An escaped slash: told below.
    }
  }
  throw new RunError(
    'SINK_INVALID',
    `storage.url "${printable(withoutCredentials(url))}" is not an absolute file URL`,
    {
      hint: 'write file:///absolute/path; escape "#" as %23, "?" as %3F and "%" as %25',
    },
  )
}
