import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { RunError } from '@huntfleet/contract'
import type { ByteRange } from './byte-range.ts'
import { abortReason } from './cancellation.ts'
import { isKey } from './object-key.ts'
import type { ObjectHead } from './object-store.ts'
import { faultOf, placeOf, s3Error } from './s3-errors.ts'
import type { S3Location } from './s3-location.ts'

/** What is stored beside an object's bytes. */
export interface S3Attributes {
  contentType?: string | undefined
  metadata: Readonly<Record<string, string>>
}

/** An object as HEAD shows it. */
export interface S3Head extends ObjectHead {
  etag: string | undefined
  metadata: Readonly<Record<string, string>>
}

/** How often a download is begun that breaks off; the SDK's own retries end when the headers have come. */
const downloadAttempts = 4

/** Single requests to one bucket, with keys relative to the store's prefix and errors as `RunError`. */
export class S3Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  readonly endpoint: string | null

  constructor(client: S3Client, location: S3Location, endpoint: string | null) {
    this.client = client
    this.name = location.bucket
    this.prefix = location.prefix
    this.endpoint = endpoint
  }

  /** What every request about a key names. */
  target(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + key }
  }

  /** `onlyNew` sends `If-None-Match: *`; see `putIfAbsent` for what servers make of it. */
  async put(
    key: string,
    body: Uint8Array,
    attributes: S3Attributes,
    onlyNew: boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    const command = new PutObjectCommand({
      ...this.target(key),
      Body: body,
      ContentType: attributes.contentType,
      Metadata: attributes.metadata,
      ...(onlyNew ? { IfNoneMatch: '*' } : {}),
    })
    await this.attempt('store', key, () => this.client.send(command, abortedBy(signal)), signal)
  }

  async head(key: string): Promise<S3Head | null> {
    return await this.attempt('read', key, async () => {
      try {
        const found = await this.client.send(new HeadObjectCommand(this.target(key)))
        const modifiedAt = found.LastModified?.getTime() ?? 0
        const { ContentLength: bytes = 0, ETag: etag, Metadata: metadata = {} } = found
        return { key, bytes, modifiedAt, etag, metadata }
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.status === 404 && fault.name !== 'NoSuchBucket') return null
        throw error
      }
    })
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    return await this.attempt('read', key, async () => {
      for (let attempt = 1; ; attempt++) {
        const answer = await this.#open(key, range)
        if (answer === null) return null
        try {
          return await wholeBody(answer)
        } catch (error) {
          if (attempt === downloadAttempts) throw error
          await sleep(100 * 2 ** attempt)
        }
      }
    })
  }

  async *list(prefix: string): AsyncGenerator<ObjectHead> {
    let token: string | undefined
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.name,
        Prefix: this.prefix + prefix,
        ContinuationToken: token,
      })
      const page = await this.attempt('list', prefix, () => this.client.send(command))
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        const key = Key?.slice(this.prefix.length)
        // Consoles make objects named `folder/`: not ours, and no key of ours can name them.
        if (key === undefined || !isKey(key)) continue
        yield { key, bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 }
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  async delete(key: string): Promise<void> {
    await this.attempt('delete', key, () => this.client.send(new DeleteObjectCommand(this.target(key))))
  }

  /** Runs requests about `key`; what they throw becomes a `RunError`. */
  async attempt<T>(doing: string, key: string, requests: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await requests()
    } catch (error) {
      throw signal?.aborted ? abortReason(signal) : this.error(error, doing, key)
    }
  }

  error(error: unknown, doing: string, key: string): RunError {
    return s3Error(error, { doing, bucket: this.name, key: this.prefix + key, endpoint: this.endpoint })
  }

  /** How messages name an object. */
  place(key: string): string {
    return placeOf({ bucket: this.name, key: this.prefix + key, endpoint: this.endpoint })
  }

  /** The answer with its body still to be read; null when there is no object. */
  async #open(key: string, range: ByteRange | undefined): Promise<GetObjectCommandOutput | 'empty' | null> {
    const wanted =
      range === undefined ? {} : { Range: `bytes=${range.start}-${range.start + range.length - 1}` }
    try {
      return await this.client.send(new GetObjectCommand({ ...this.target(key), ...wanted }))
    } catch (error) {
      const name = faultOf(error)?.name
      if (name === 'NoSuchKey' || name === 'NotFound') return null
      // The range begins at or after the end.
      if (name === 'InvalidRange') return 'empty'
      throw error
    }
  }
}

async function wholeBody(answer: GetObjectCommandOutput | 'empty'): Promise<Uint8Array> {
  if (answer === 'empty') return new Uint8Array()
  const { Body, ContentLength } = answer
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
  if (ContentLength === undefined || bytes.byteLength === ContentLength) return bytes
  throw Object.assign(new Error(`only ${bytes.byteLength} of ${ContentLength} bytes came`), {
    code: 'ECONNRESET',
  })
}

/** The option of `client.send` for a signal that may be missing. */
export function abortedBy(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}
