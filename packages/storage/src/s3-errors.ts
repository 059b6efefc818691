import { type ErrorCode, RunError, toRunError } from '@huntfleet/contract'
import { printable } from './printable.ts'

/** What was asked of the server, for messages. */
export interface S3Request {
  /** A verb that reads well before the object: `store`, `read`, `list`. */
  doing: string
  bucket: string
  /** The full key; null when the request is about the bucket. */
  key: string | null
  /** URL of the server; null is AWS. */
  endpoint: string | null
}

interface Verdict {
  code: ErrorCode
  hint: string
}

const grant =
  'allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket on this bucket to the credentials in use'
const credentials =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, to keys that this server knows'
const region = "set storage.region to the bucket's region"
const reach = 'check storage.endpoint and the network, then retry the run'
const certificate = 'let NODE_EXTRA_CA_CERTS name a file with the certificate authority of this server'

/** Error codes of S3 (its API reference, "List of error codes"), of the SDK and of Node's TLS that need a person to act. */
const verdicts: Readonly<Record<string, Verdict>> = {
  AccessDenied: { code: 'SINK_DENIED', hint: grant },
  AllAccessDisabled: { code: 'SINK_DENIED', hint: grant },
  InvalidAccessKeyId: { code: 'SINK_DENIED', hint: credentials },
  SignatureDoesNotMatch: { code: 'SINK_DENIED', hint: credentials },
  CredentialsProviderError: { code: 'SINK_DENIED', hint: credentials },
  ExpiredToken: { code: 'SINK_DENIED', hint: 'the session token has expired: get fresh credentials' },
  InvalidToken: { code: 'SINK_DENIED', hint: 'the session token is not valid: get fresh credentials' },
  RequestTimeTooSkewed: { code: 'SINK_DENIED', hint: "set this machine's clock" },
  QuotaExceeded: {
    code: 'SINK_DENIED',
    hint: 'raise the quota of the bucket or of its owner, or delete old runs',
  },
  PermanentRedirect: { code: 'SINK_INVALID', hint: region },
  AuthorizationHeaderMalformed: { code: 'SINK_INVALID', hint: region },
  'Region is missing': { code: 'SINK_INVALID', hint: 'set storage.region or AWS_REGION' },
  RequestTimeout: { code: 'SINK_UNREACHABLE', hint: reach },
  SELF_SIGNED_CERT_IN_CHAIN: { code: 'SINK_INVALID', hint: certificate },
  DEPTH_ZERO_SELF_SIGNED_CERT: { code: 'SINK_INVALID', hint: certificate },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { code: 'SINK_INVALID', hint: certificate },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { code: 'SINK_INVALID', hint: certificate },
  CERT_HAS_EXPIRED: { code: 'SINK_INVALID', hint: "renew this server's certificate" },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'SINK_INVALID',
    hint: "let storage.endpoint use a name of the server's certificate",
  },
}

/** What the SDK's errors carry, as far as it is there. */
export interface S3Fault {
  /** The server's code, or the name of the SDK's error. */
  name: string
  /** Node's code of a broken connection. */
  errno: string | null
  /** HTTP status; null when no answer came. */
  status: number | null
}

/** Reads an error of the SDK; null for what is not one, such as a bug of ours. */
export function faultOf(error: unknown): S3Fault | null {
  if (!(error instanceof Error)) return null
  const metadata: unknown = '$metadata' in error ? error.$metadata : null
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : null
  // Node's own argument errors have a code too, and they are bugs.
  const errno =
    'code' in error && typeof error.code === 'string' && !(error instanceof TypeError) ? error.code : null
  const known = metadata !== null || errno !== null || isConfigurationFault(error)
  return known ? { name: error.name, errno, status: typeof status === 'number' ? status : null } : null
}

/** An error of the SDK as a `RunError` that names server, bucket, key and what to do; a `RunError` stays as it is. */
export function s3Error(error: unknown, request: S3Request): RunError {
  if (error instanceof RunError) return error
  const fault = faultOf(error)
  if (fault === null || !(error instanceof Error)) return toRunError(error)
  const { code, hint } = verdictOf(fault, error.message, request)
  const reason = [fault.status, fault.name, fault.errno]
    .filter((part) => part !== null && part !== 'Error')
    .join(' ')
  const what = `cannot ${request.doing} ${placeOf(request)}: ${printable(`${reason}: ${error.message}`)}`
  return new RunError(code, what, { hint }, error)
}

/** `s3://bucket/key at <endpoint>`, as messages name an object. */
export function placeOf({ bucket, key, endpoint }: Omit<S3Request, 'doing'>): string {
  const object = key === null ? `s3://${bucket}` : `s3://${bucket}/${printable(key)}`
  return endpoint === null ? object : `${object} at ${printable(endpoint)}`
}

function verdictOf(fault: S3Fault, message: string, request: S3Request): Verdict {
  const { name, errno, status } = fault
  if (name === 'NoSuchBucket') return { code: 'SINK_INVALID', hint: createBucketHint(request) }
  const listed = verdicts[name] ?? verdicts[errno ?? ''] ?? verdicts[message]
  if (listed !== undefined) return listed
  // An answer that broke off says nothing, whatever its status was.
  if (/^E[A-Z]+$/.test(errno ?? '')) return { code: 'SINK_UNREACHABLE', hint: reach }
  if (status === 401 || status === 403) return { code: 'SINK_DENIED', hint: grant }
  if (status === 301 || status === 307) return { code: 'SINK_INVALID', hint: region }
  const passing = status === null || status < 400 || status === 408 || status === 409 || status === 429
  if (passing || (status >= 500 && status !== 501)) return { code: 'SINK_UNREACHABLE', hint: reach }
  return {
    code: 'SINK_INVALID',
    hint: 'check that storage.endpoint is an S3-compatible server and storage.url its bucket',
  }
}

function createBucketHint({ bucket, endpoint }: S3Request): string {
  const command = `aws s3 mb s3://${bucket}${endpoint === null ? '' : ` --endpoint-url ${endpoint}`}`
  return `create the bucket "${bucket}" (${command}), or name an existing one in storage.url`
}

/** The SDK throws these two without any metadata. */
function isConfigurationFault(error: Error): boolean {
  return (
    error.name === 'CredentialsProviderError' ||
    error.name === 'TimeoutError' ||
    error.message === 'Region is missing'
  )
}
