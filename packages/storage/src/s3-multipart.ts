import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { RunError } from '@huntfleet/contract'
import { abortedBy, type S3Attributes, type S3Bucket, type S3Head } from './s3-bucket.ts'

/** What the server tells of a part and wants to be told at the end. */
type PartFacts = Pick<CompletedPart, 'ETag' | 'ChecksumCRC32'>

/** Parts on their way at once; with the one being filled they bound the memory to three parts. */
const partsInFlight = 2
/** S3's limit. */
export const maxParts = 10_000

/**
 * An object sent in parts, invisible until `complete`. Not the SDK's `Upload`: that one goes on sending parts after a
 * failure, lets the error of its clean-up replace the real one, and cannot be cancelled while its source is idle.
 */
export class MultipartUpload {
  readonly #bucket: S3Bucket
  readonly #key: string
  readonly #uploadId: string
  readonly #signal: AbortSignal
  readonly #parts: CompletedPart[] = []
  readonly #inFlight = new Set<Promise<void>>()
  #failure: unknown = null

  private constructor(bucket: S3Bucket, key: string, uploadId: string, signal: AbortSignal) {
    this.#bucket = bucket
    this.#key = key
    this.#uploadId = uploadId
    this.#signal = signal
  }

  /** `signal` ends parts that are on their way, not the opening itself: an open upload must become known to be aborted. */
  static async begin(
    bucket: S3Bucket,
    key: string,
    attributes: S3Attributes,
    signal: AbortSignal,
  ): Promise<MultipartUpload> {
    const { client } = bucket
    // S3 wants to be told here which checksum the parts will carry, and the client does not do it by itself.
    const checksums = (await client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED'
    const command = new CreateMultipartUploadCommand({
      ...bucket.target(key),
      ContentType: attributes.contentType,
      Metadata: attributes.metadata,
      ...(checksums ? { ChecksumAlgorithm: 'CRC32' } : {}),
    })
    const { UploadId } = await bucket.attempt('store', key, () => client.send(command))
    if (UploadId !== undefined) return new MultipartUpload(bucket, key, UploadId, signal)
    throw new RunError(
      'SINK_INVALID',
      `cannot store ${bucket.place(key)}: the server opened an upload without an id`,
      {
        hint: 'check that storage.endpoint is an S3-compatible server',
      },
    )
  }

  /** Sends a part, 5 MiB or more unless it is the last; resolves when the next one may come. */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#enqueue((number) => this.#sendPart(number, bytes))
  }

  /** Lets the server make the next part of an object, of 5 MiB to 5 GiB, as long as it is the one that was seen. */
  async copy(source: S3Head): Promise<void> {
    await this.#enqueue((number) => this.#copyPart(number, source))
  }

  async #enqueue(send: (number: number) => Promise<PartFacts>): Promise<void> {
    while (this.#inFlight.size >= partsInFlight) await Promise.race(this.#inFlight)
    this.#throwFailure()
    const number = this.#parts.length + 1
    if (number > maxParts) {
      throw new RunError(
        'SINK_INVALID',
        `${this.#bucket.place(this.#key)} needs more than ${maxParts} parts`,
        {
          hint: 'lower max_rows, or fetch the table in several runs',
        },
      )
    }
    const part: CompletedPart = { PartNumber: number }
    this.#parts.push(part)
    const sent = send(number).then(
      ({ ETag, ChecksumCRC32 }) => {
        part.ETag = ETag
        if (ChecksumCRC32 !== undefined) part.ChecksumCRC32 = ChecksumCRC32
      },
      (error: unknown) => {
        this.#failure ??= error
      },
    )
    this.#inFlight.add(sent)
    void sent.then(() => this.#inFlight.delete(sent))
  }

  /** Makes the object visible. */
  async complete(): Promise<void> {
    await Promise.all(this.#inFlight)
    this.#throwFailure()
    const command = new CompleteMultipartUploadCommand({
      ...this.#target(),
      MultipartUpload: { Parts: this.#parts },
    })
    await this.#bucket.attempt('store', this.#key, () => this.#bucket.client.send(command))
  }

  /** Gives the storage of the parts back. Cancel the signal first: a part that arrives later would stay for ever. */
  async abort(): Promise<void> {
    await Promise.all(this.#inFlight)
    const command = new AbortMultipartUploadCommand(this.#target())
    await this.#bucket.attempt('abort', this.#key, () => this.#bucket.client.send(command))
  }

  async #sendPart(PartNumber: number, bytes: Uint8Array): Promise<PartFacts> {
    const command = new UploadPartCommand({ ...this.#target(), PartNumber, Body: bytes })
    const send = () => this.#bucket.client.send(command, abortedBy(this.#signal))
    return await this.#bucket.attempt('store', this.#key, send, this.#signal)
  }

  async #copyPart(PartNumber: number, { key, etag }: S3Head): Promise<PartFacts> {
    const { Bucket, Key } = this.#bucket.target(key)
    const command = new UploadPartCopyCommand({
      ...this.#target(),
      PartNumber,
      // A header, which the SDK does not escape.
      CopySource: [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/'),
      CopySourceIfMatch: etag,
    })
    const send = () => this.#bucket.client.send(command, abortedBy(this.#signal))
    const { CopyPartResult } = await this.#bucket.attempt('store', this.#key, send, this.#signal)
    return CopyPartResult ?? {}
  }

  #target(): { Bucket: string; Key: string; UploadId: string } {
    return { ...this.#bucket.target(this.#key), UploadId: this.#uploadId }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure
  }
}
