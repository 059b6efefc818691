import { RunError } from '@huntfleet/contract'
import { checkKey } from './object-key.ts'
import { printable } from './printable.ts'
import { withoutCredentials } from './store-target.ts'

/** Where a store's objects are. */
export interface S3Location {
  bucket: string
  /** In front of every key; empty, or ending in `/`. */
  prefix: string
}

/** Characters of bucket names, old ones included: AWS allows lower case only, other servers more. */
const bucketPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/

/** Takes `s3://bucket` or `s3://bucket/prefix` apart; anything else in the URL is SINK_INVALID. */
export function parseS3Url(url: string): S3Location {
  const match = /^s3:\/\/([^/?#@]+)(?:\/([^?#]*))?$/.exec(url)
  const bucket = match?.[1]
  if (bucket === undefined || !bucketPattern.test(bucket)) {
    throw new RunError(
      'SINK_INVALID',
      `storage.url "${printable(withoutCredentials(url))}" is not an S3 URL`,
      {
        hint: 'write s3://bucket or s3://bucket/prefix; endpoint, region and path_style are settings beside storage.url, and credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE)',
      },
    )
  }
  const prefix = withoutTrailingSlashes(match?.[2] ?? '')
  if (prefix === '') return { bucket, prefix: '' }
  checkKey(prefix)
  return { bucket, prefix: `${prefix}/` }
}

/** By hand, since the regular expression for it takes quadratic time for slashes that are not at the end. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
