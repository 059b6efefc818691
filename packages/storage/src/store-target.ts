import type { StorageTarget } from '@huntfleet/contract'

/** Which store: its absolute URL and the settings of S3-compatible servers; never credentials. */
export type StoreTarget = Pick<StorageTarget, 'url' | 'endpoint' | 'region' | 'pathStyle'>

/** The URL as messages may show it. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([^:/]*:\/\/)[^/]*@/, '$1***@')
}
