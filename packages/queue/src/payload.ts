import { createHmac, timingSafeEqual } from 'node:crypto'
import { payloadVersion, RunError } from '@huntfleet/contract'
import { type JobKind, jobCatalog, type Payloads } from './job-catalog.ts'

/** What a worker makes of a job's data. */
export type OpenedPayload<K extends JobKind> =
  | { readonly is: 'ours'; readonly payload: Payloads[K] }
  /** Written for another version of Huntfleet, to which it must be left. */
  | { readonly is: 'other_version'; readonly version: number }
  | { readonly is: 'invalid'; readonly error: RunError }

/** A payload as it goes into Redis: signed when the fleet has a `queue.signing_key` (SPEC section 16.1). */
export function sealPayload<K extends JobKind>(
  kind: K,
  payload: Payloads[K],
  signingKey: string | null,
): object {
  return signingKey === null ? payload : { ...payload, signature: sign(kind, payload, signingKey) }
}

/** Checks version, signature and shape of a job's data; never throws. */
export function openPayload<K extends JobKind>(
  kind: K,
  data: unknown,
  signingKey: string | null,
): OpenedPayload<K> {
  if (typeof data !== 'object' || data === null) return invalid(kind, 'it is not an object')
  const version = 'v' in data ? data.v : undefined
  if (Number.isInteger(version) && version !== payloadVersion)
    return { is: 'other_version', version: Number(version) }
  const { signature, ...content } = { signature: undefined, ...data }
  if (signingKey !== null && !matches(signature, sign(kind, content, signingKey))) {
    return invalid(
      kind,
      'its signature is missing or wrong',
      'give producers and workers the same queue.signing_key',
    )
  }
  const parsed = jobCatalog[kind].schema.safeParse(content)
  if (parsed.success) return { is: 'ours', payload: parsed.data }
  const issue = parsed.error.issues[0]
  return invalid(kind, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`)
}

function invalid(kind: JobKind, why: string, hint = 'enqueue the run again with this version of Huntfleet') {
  const error = new RunError('PAYLOAD_INVALID', `the payload of this ${kind} job is not valid: ${why}`, {
    hint,
  })
  return { is: 'invalid', error } as const
}

/** Key order survives a round trip through JSON, so both sides sign the same text. */
function sign(kind: JobKind, content: object, key: string): string {
  return createHmac('sha256', key)
    .update(`${kind}\n${JSON.stringify(content)}`)
    .digest('hex')
}

function matches(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}
