import { createHash } from 'node:crypto'
import { RunError } from '@huntfleet/contract'
import { throwIfAborted } from './cancellation.ts'
import type { StoredObject } from './object-store.ts'
import type { S3Attributes, S3Bucket, S3Head } from './s3-bucket.ts'
import { MultipartUpload } from './s3-multipart.ts'
import type { HashingWriter } from './write-assembly.ts'

/** Bytes per part: 10,000 parts of it are 156 GiB. All parts but the last are alike, as Cloudflare R2 demands. */
export const defaultPartBytes = 16 * 1024 * 1024

/** What an `S3Writer` writes. */
export interface S3Target {
  key: string
  /** Its metadata must hold an `attempt` that no other writer has: it tells our object from another's. */
  attributes: S3Attributes
  signal: AbortSignal | undefined
  partBytes: number
}

/** Streams an object to S3: in parts, or with one request when it is not larger than a part. */
export class S3Writer implements HashingWriter {
  readonly #bucket: S3Bucket
  readonly #target: S3Target
  readonly #cancel = new AbortController()
  readonly #signal: AbortSignal
  readonly #hash = createHash('sha256')
  #bytes = 0
  #chunks: Uint8Array[] = []
  #buffered = 0
  #upload: Promise<MultipartUpload> | null = null
  #state: 'open' | 'publishing' | 'committed' | 'closed' = 'open'

  constructor(bucket: S3Bucket, target: S3Target) {
    this.#bucket = bucket
    this.#target = target
    const own = this.#cancel.signal
    this.#signal = target.signal === undefined ? own : AbortSignal.any([own, target.signal])
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#mustBeOpen()
    throwIfAborted(this.#signal)
    this.#hash.update(bytes)
    this.#bytes += bytes.byteLength
    this.#buffered += bytes.byteLength
    this.#chunks.push(bytes)
    // The last part must not be empty, so a part is sent only when there is more.
    while (this.#buffered > this.#target.partBytes) await this.#sendPart()
  }

  /**
   * Lets the server append an object of 5 MiB to 5 GiB. Only before the first `write`; `sha256` knows nothing of it.
   */
  async copy(source: S3Head): Promise<void> {
    this.#mustBeOpen()
    throwIfAborted(this.#signal)
    this.#bytes += source.bytes
    const upload = await this.#begin()
    await upload.copy(source)
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  async commit(): Promise<StoredObject> {
    this.#mustBeOpen()
    throwIfAborted(this.#signal)
    this.#state = 'publishing'
    await this.#publish()
    await this.#verify()
    this.#state = 'committed'
    return { key: this.#target.key, bytes: this.#bytes, sha256: this.sha256 }
  }

  async abort(): Promise<void> {
    const state = this.#state
    if (state === 'committed' || state === 'closed') return
    this.#state = 'closed'
    this.#chunks = []
    this.#cancel.abort()
    try {
      await (await this.#upload)?.abort()
    } catch {
      // The server ends it by its own rule, or an operator does; the first error is the one to be told.
    }
    if (state === 'publishing') await this.#removeOwn().catch(() => {})
  }

  async #sendPart(): Promise<void> {
    const { partBytes } = this.#target
    const [first, ...more] = this.#chunks
    const buffered = first !== undefined && more.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [buffered.subarray(partBytes)]
    this.#buffered -= partBytes
    const upload = await this.#begin()
    await upload.send(buffered.subarray(0, partBytes))
  }

  #begin(): Promise<MultipartUpload> {
    const { key, attributes } = this.#target
    this.#upload ??= MultipartUpload.begin(this.#bucket, key, attributes, this.#signal)
    return this.#upload
  }

  async #publish(): Promise<void> {
    const { key, attributes } = this.#target
    const rest = Buffer.concat(this.#chunks)
    this.#chunks = []
    const upload = await this.#upload
    if (rest.byteLength > 0) await upload?.send(rest)
    try {
      if (upload === null) await this.#bucket.put(key, rest, attributes, false, this.#signal)
      else await upload.complete()
    } catch (error) {
      // It may have been done and only its answer lost; a repetition is then told that there is no such upload.
      const found = await this.#bucket.head(key).catch(() => null)
      if (found?.bytes !== this.#bytes || !this.#isOurs(found.metadata)) throw error
    }
  }

  /** Looks at what is there: the answers' own claims differ too much between servers (empty ETags on older Ceph). */
  async #verify(): Promise<void> {
    const { key } = this.#target
    const found = await this.#bucket.head(key)
    if (found?.bytes === this.#bytes) return
    const there = found === null ? 'nothing' : `${found.bytes} bytes`
    throw new RunError(
      'SINK_UNREACHABLE',
      `${this.#bucket.place(key)} should hold ${this.#bytes} bytes and holds ${there}, although the server took all of it`,
      { hint: 'retry the run; if it happens again, do not trust this server' },
    )
  }

  async #removeOwn(): Promise<void> {
    const { key } = this.#target
    const found = await this.#bucket.head(key)
    if (found !== null && this.#isOurs(found.metadata)) await this.#bucket.delete(key)
  }

  #isOurs(metadata: Readonly<Record<string, string>>): boolean {
    return metadata['attempt'] === this.#target.attributes.metadata['attempt']
  }

  #mustBeOpen(): void {
    if (this.#state !== 'open') throw new RunError('INTERNAL', `the writer of ${this.#target.key} is closed`)
  }
}
