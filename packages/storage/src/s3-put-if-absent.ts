import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunError } from '@huntfleet/contract'
import type { ConditionalWrites } from './object-store.ts'
import type { S3Attributes, S3Bucket, S3Head } from './s3-bucket.ts'
import { faultOf } from './s3-errors.ts'

/** An object to be stored unless its key exists. */
export interface NewObject {
  key: string
  body: Uint8Array
  /** Its metadata must hold `attempt` and `sha256`: they tell our own object from another's. */
  attributes: S3Attributes
  signal: AbortSignal | undefined
}

/** AWS answers 409 while another write of the key is under way; it has ended after some tries. */
const conflictAttempts = 6

/**
 * Stores the object unless its key exists; whether it is ours that is stored. A refusal may be the echo of our own
 * request, whose answer was lost: then the object there has our attempt and our content.
 */
export async function putIfAbsent(
  bucket: S3Bucket,
  object: NewObject,
  writes: ConditionalWrites,
): Promise<boolean> {
  const { key } = object
  if (writes === 'emulated') {
    const found = await bucket.head(key)
    if (found !== null) return isOurs(found, object)
    await putOrFind(bucket, object, false)
    return true
  }
  for (let attempt = 1; attempt <= conflictAttempts; attempt++) {
    try {
      await putOrFind(bucket, object, true)
      return true
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const found = await bucket.head(key)
    if (found !== null) return isOurs(found, object)
    await sleep(50 * 2 ** attempt)
  }
  throw new RunError(
    'SINK_UNREACHABLE',
    `cannot store ${bucket.place(key)}: the server says that it exists already and that it does not`,
    { hint: 'retry the run; if it happens again, the server is not consistent' },
  )
}

/** Stores the object; an error that leaves it open whether it was stored is none if our object is there. */
async function putOrFind(bucket: S3Bucket, object: NewObject, onlyNew: boolean): Promise<void> {
  const { key, body, attributes, signal } = object
  try {
    await bucket.put(key, body, attributes, onlyNew, signal)
  } catch (error) {
    if (isRefusal(error)) throw error
    const found = await bucket.head(key).catch(() => null)
    if (found === null || !isOurs(found, object)) throw error
  }
}

/**
 * Finds out whether the server keeps `If-None-Match: *`, with a tiny object of its own. A trial, since some servers
 * ignore the header without a word (Google's and several small ones) and others refuse it (Swift, Backblaze).
 */
export async function probeConditionalWrites(bucket: S3Bucket): Promise<ConditionalWrites> {
  const key = `.huntfleet/probe-${randomUUID()}`
  const attributes = { metadata: {} }
  try {
    for (const body of ['1', '2']) await bucket.put(key, Buffer.from(body), attributes, true)
    return 'emulated'
  } catch (error) {
    if (isRefusal(error)) return 'supported'
    const status = statusOf(error)
    if (status === 400 || status === 501) return 'emulated'
    throw error
  } finally {
    await bucket.delete(key).catch(() => {})
  }
}

function isOurs(found: S3Head, { body, attributes: { metadata } }: NewObject): boolean {
  return (
    found.bytes === body.byteLength &&
    found.metadata['attempt'] === metadata['attempt'] &&
    found.metadata['sha256'] === metadata['sha256']
  )
}

/** By status, not by name: servers name it differently (Swift says InvalidRequest). */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  return status === 412 || status === 409
}

function statusOf(error: unknown): number | null {
  return (error instanceof RunError ? faultOf(error.cause)?.status : null) ?? null
}
