import { createHash, randomUUID } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import { type ByteRange, checkRange } from './byte-range.ts'
import { keyTaken } from './key-taken.ts'
import { checkKey, checkKeyPrefix } from './object-key.ts'
import type {
  Assembly,
  ConditionalWrites,
  ObjectHead,
  ObjectStore,
  ObjectWriter,
  PutOptions,
  StoredObject,
  Unfinished,
} from './object-store.ts'
import { copyAssembly, copyableCount, refusesCopies } from './s3-assembly.ts'
import { type S3Attributes, S3Bucket } from './s3-bucket.ts'
import { createS3Client, type S3Patience } from './s3-client.ts'
import { faultOf } from './s3-errors.ts'
import { parseS3Url } from './s3-location.ts'
import { probeConditionalWrites, putIfAbsent } from './s3-put-if-absent.ts'
import { abortUpload, listUploads } from './s3-unfinished.ts'
import { defaultPartBytes, S3Writer } from './s3-writer.ts'
import type { StoreTarget } from './store-target.ts'
import { writeAssembly } from './write-assembly.ts'

/**
 * Opens a bucket, or a prefix in it, as an `ObjectStore`. Sends nothing yet. What killed processes leave behind is for
 * `collectGarbage`. `partBytes` is the size of the parts of an upload, 5 MiB at least.
 */
export function openS3Store(
  target: StoreTarget,
  patience?: S3Patience,
  partBytes = defaultPartBytes,
): ObjectStore {
  const location = parseS3Url(target.url)
  return new S3Store(new S3Bucket(createS3Client(target, patience), location, target.endpoint), partBytes)
}

class S3Store implements ObjectStore {
  readonly url: string
  readonly #bucket: S3Bucket
  readonly #partBytes: number
  #writes: Promise<ConditionalWrites> | null = null
  /** Whether the server makes parts of objects, as far as we know. */
  #copies = true

  constructor(bucket: S3Bucket, partBytes: number) {
    this.#bucket = bucket
    this.#partBytes = partBytes
    this.url = `s3://${bucket.name}/${bucket.prefix}`.replace(/\/$/, '')
  }

  async put(
    key: string,
    body: Uint8Array,
    options: PutOptions = {},
  ): Promise<StoredObject & { created: boolean }> {
    this.#check(key)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const attributes = attributesOf(options, { sha256 })
    const { signal } = options
    let created = true
    if (options.createOnly) {
      const writes = await this.conditionalWrites()
      created = await putIfAbsent(this.#bucket, { key, body, attributes, signal }, writes)
    } else await this.#bucket.put(key, body, attributes, false, signal)
    return { key, bytes: body.byteLength, sha256, created }
  }

  async create(key: string, options: Omit<PutOptions, 'createOnly'> = {}): Promise<ObjectWriter> {
    // Also shows a missing bucket or bad credentials now, and not when all rows have been fetched.
    await this.#mustBeNew(key)
    return this.#writer(key, options)
  }

  async assemble(
    key: string,
    assembly: Assembly,
    options: Omit<PutOptions, 'createOnly'> = {},
  ): Promise<StoredObject> {
    for (const piece of assembly.pieces) this.#check(piece.key)
    await this.#mustBeNew(key)
    const copied = this.#copies
      ? copyableCount(assembly, { prefix: this.#bucket.prefix, partBytes: this.#partBytes })
      : 0
    if (copied > 0) {
      try {
        return await copyAssembly(this.#writer(key, options), assembly, copied, this.#bucket, this)
      } catch (error) {
        if (!refusesCopies(error)) throw error
      }
    }
    const stored = await writeAssembly(this.#writer(key, options), assembly, this)
    // It was the copies that the server did not like.
    if (copied > 0) this.#copies = false
    return stored
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    this.#check(key)
    if (range === undefined) return await this.#bucket.get(key)
    checkRange(range)
    // HTTP has no empty range.
    if (range.length === 0) return (await this.#bucket.head(key)) === null ? null : new Uint8Array()
    return await this.#bucket.get(key, range)
  }

  async head(key: string): Promise<ObjectHead | null> {
    this.#check(key)
    const found = await this.#bucket.head(key)
    return found === null ? null : { key, bytes: found.bytes, modifiedAt: found.modifiedAt }
  }

  async *list(prefix: string): AsyncGenerator<ObjectHead> {
    checkKeyPrefix(prefix)
    yield* this.#bucket.list(prefix)
  }

  async delete(key: string): Promise<void> {
    this.#check(key)
    await this.#bucket.delete(key)
  }

  unfinished(): AsyncIterable<Unfinished> {
    return listUploads(this.#bucket)
  }

  async discard(unfinished: Unfinished): Promise<void> {
    await abortUpload(this.#bucket, unfinished)
  }

  async conditionalWrites(): Promise<ConditionalWrites> {
    this.#writes ??= probeConditionalWrites(this.#bucket)
    try {
      return await this.#writes
    } catch (error) {
      this.#writes = null
      throw error
    }
  }

  async close(): Promise<void> {
    this.#bucket.client.destroy()
  }

  #writer(key: string, options: Omit<PutOptions, 'createOnly'>): S3Writer {
    return new S3Writer(this.#bucket, {
      key,
      attributes: attributesOf(options),
      signal: options.signal,
      partBytes: this.#partBytes,
    })
  }

  async #mustBeNew(key: string): Promise<void> {
    this.#check(key)
    if (await this.#exists(key)) throw keyTaken(key, this.#bucket.place(key))
  }

  /** The prefix counts into the length of a key. */
  #check(key: string): void {
    checkKey(key)
    checkKey(this.#bucket.prefix + key)
  }

  /** A role without s3:ListBucket is told "access denied" for objects that are not there: no reason to stop. */
  async #exists(key: string): Promise<boolean> {
    try {
      return (await this.#bucket.get(key, { start: 0, length: 1 })) !== null
    } catch (error) {
      if (error instanceof RunError && faultOf(error.cause)?.name === 'AccessDenied') return false
      throw error
    }
  }
}

function attributesOf(options: PutOptions, facts: Readonly<Record<string, string>> = {}): S3Attributes {
  return {
    contentType: options.contentType,
    metadata: { attempt: randomUUID(), ...options.metadata, ...facts },
  }
}
