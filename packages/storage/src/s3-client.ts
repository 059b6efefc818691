import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { RunError } from '@huntfleet/contract'
import { printable } from './printable.ts'
import { type StoreTarget, withoutCredentials } from './store-target.ts'

/** How patient the client is; tests are less so. */
export interface S3Patience {
  /** Attempts per request, with the SDK's back-off between them; default 8: an upload of many parts meets many 503s. */
  attempts?: number
  /** A connection without a byte for so long is given up, in milliseconds; default 60 s. */
  idleMs?: number
}

const defaultAttempts = 8
const defaultIdleMs = 60_000
const maxSockets = 64

/**
 * The SDK's client with the settings that measurements asked for:
 * - `throwOnRequestTimeout` and `socketTimeout`: by default a server that never answers hangs the client for ever.
 * - `expectContinueHeader: false`: by default a server that sends no `100 Continue` costs 6 s per part, and every large
 *   body opens a connection of its own.
 * - checksum headers only where they are required, when there is an endpoint: Backblaze, Google and old Ceph refuse them.
 *   Signing covers the body all the same.
 * Credentials come from the SDK's default chain (environment, profile, instance role).
 */
export function createS3Client(target: StoreTarget, patience: S3Patience = {}): S3Client {
  const endpoint = target.endpoint === null ? undefined : checkEndpoint(target.endpoint)
  const config: S3ClientConfig = {
    forcePathStyle: target.pathStyle,
    followRegionRedirects: endpoint === undefined,
    expectContinueHeader: false,
    maxAttempts: patience.attempts ?? defaultAttempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: patience.idleMs ?? defaultIdleMs,
      requestTimeout: 300_000,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  }
  if (endpoint !== undefined) {
    config.endpoint = endpoint
    config.requestChecksumCalculation = 'WHEN_REQUIRED'
    config.responseChecksumValidation = 'WHEN_REQUIRED'
  }
  const region = target.region ?? fallbackRegion(endpoint)
  if (region !== undefined) config.region = region
  return new S3Client(config)
}

/** Servers other than AWS rarely care, but the SDK insists on a region. */
function fallbackRegion(endpoint: string | undefined): string | undefined {
  const chosen = process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION']
  return endpoint === undefined || chosen ? undefined : 'us-east-1'
}

function checkEndpoint(endpoint: string): string {
  const url = URL.parse(endpoint)
  const plain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return endpoint
  throw new RunError(
    'SINK_INVALID',
    `storage.endpoint "${printable(withoutCredentials(endpoint))}" is not the URL of an S3-compatible server`,
    { hint: 'write http://host:port or https://host, without credentials, query and fragment' },
  )
}
