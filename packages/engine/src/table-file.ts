import type { SealedPart, TableSpec } from '@huntfleet/contract'
import { newAttemptId } from '@huntfleet/contract'
import {
  type ObjectStore,
  type ObjectWriter,
  pieceKey,
  piecesFolder,
  type StoredObject,
} from '@huntfleet/storage'
import { createSHA256, type IHasher } from 'hash-wasm'

const contentType = 'application/vnd.apache.parquet'

/**
 * The bytes of a table's file on their way from the pipeline to storage. Nothing is visible before `commit` resolves,
 * and nothing ever after `abort`.
 */
export interface TableFile {
  /** Name of this attempt: the last part of the file's key. */
  readonly attempt: string
  /** Bytes that `seal` would store. */
  readonly openBytes: number
  write(bytes: Uint8Array): Promise<void>
  /** Stores the bytes since the last `seal` as a piece, and beside it what must be remembered of them. */
  seal(memory: Uint8Array): Promise<SealedPart>
  /** State of the SHA-256 over all pieces, base64; null without pieces. */
  readonly sha256State: string | null
  commit(): Promise<StoredObject>
  /** Never rejects. Pieces stay: another worker may go on with them. */
  abort(): Promise<void>
}

/** What a table's file begins with. */
export interface FileBeginning {
  sealed: readonly SealedPart[]
  sha256State: string | null
}

/**
 * Opens the file of one attempt. Without `beginning` its bytes are streamed, and it cannot be sealed; with one they are
 * held back until they are sealed or committed, behind the pieces that are stored already.
 */
export async function openTableFile(
  spec: TableSpec,
  store: ObjectStore,
  beginning: FileBeginning | null,
): Promise<TableFile> {
  const attempt = newAttemptId()
  const metadata = { attempt, run: spec.runId }
  const key = `${spec.dataPrefix}/${attempt}.parquet`
  const isPieced = beginning?.sealed.some(({ piece }) => piece !== null) ?? false
  // Opened before anything is asked for: a storage that refuses us is better known now.
  const writer = isPieced ? null : await store.create(key, { contentType, metadata })
  if (beginning === null && writer !== null) return new StreamedFile(attempt, writer)
  const hash = await createSHA256()
  const pieces = beginning?.sealed.flatMap(({ piece }) => piece ?? []) ?? []
  hash.init()
  if (beginning?.sha256State != null) hash.load(Buffer.from(beginning.sha256State, 'base64'))
  return new PiecedFile({ attempt, key, spec, store, metadata, hash }, writer, pieces)
}

class StreamedFile implements TableFile {
  readonly attempt: string
  readonly #writer: ObjectWriter
  readonly openBytes = 0
  readonly sha256State = null

  constructor(attempt: string, writer: ObjectWriter) {
    this.attempt = attempt
    this.#writer = writer
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes)
  }

  async seal(): Promise<SealedPart> {
    throw new Error('a file that is streamed has no pieces')
  }

  commit(): Promise<StoredObject> {
    return this.#writer.commit()
  }

  abort(): Promise<void> {
    return this.#writer.abort()
  }
}

interface PiecedOptions {
  attempt: string
  key: string
  spec: TableSpec
  store: ObjectStore
  metadata: Readonly<Record<string, string>>
  hash: IHasher
}

class PiecedFile implements TableFile {
  readonly attempt: string
  readonly #options: PiecedOptions
  /** Null once there are pieces: the file is then put together. */
  #writer: ObjectWriter | null
  readonly #pieces: StoredObject[]
  #open: Uint8Array[] = []
  #parts = 0
  openBytes = 0
  #sha256State: string | null

  constructor(options: PiecedOptions, writer: ObjectWriter | null, pieces: readonly StoredObject[]) {
    this.attempt = options.attempt
    this.#options = options
    this.#writer = writer
    this.#pieces = [...pieces]
    this.#sha256State = pieces.length > 0 ? this.#hashState() : null
  }

  get sha256State(): string | null {
    return this.#sha256State
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#open.push(bytes)
    this.openBytes += bytes.length
  }

  async seal(memory: Uint8Array): Promise<SealedPart> {
    this.#parts += 1
    const bytes = Buffer.concat(this.#open)
    const { spec, attempt } = this.#options
    const key = pieceKey(spec.dataPrefix, attempt, this.#parts)
    const piece = bytes.length > 0 ? await this.#put(key, bytes) : null
    const sealed = { piece, memory: await this.#put(`${key}.memory`, memory) }
    if (piece === null) return sealed
    await this.#writer?.abort()
    this.#writer = null
    this.#options.hash.update(bytes)
    this.#sha256State = this.#hashState()
    this.#pieces.push(piece)
    this.#open = []
    this.openBytes = 0
    return sealed
  }

  async #put(name: string, body: Uint8Array): Promise<StoredObject> {
    const { store, metadata } = this.#options
    const { key, bytes, sha256 } = await store.put(name, body, { createOnly: true, metadata })
    return { key, bytes, sha256 }
  }

  #hashState(): string {
    return Buffer.from(this.#options.hash.save()).toString('base64')
  }

  async commit(): Promise<StoredObject> {
    const { key, store, hash, metadata } = this.#options
    if (this.#writer !== null) {
      for (const bytes of this.#open) await this.#writer.write(bytes)
      return await this.#writer.commit()
    }
    const tail = Buffer.concat(this.#open)
    hash.update(tail)
    const assembly = { pieces: this.#pieces, tail, sha256: hash.digest('hex') }
    return await store.assemble(key, assembly, { contentType, metadata })
  }

  async abort(): Promise<void> {
    await this.#writer?.abort()
  }
}

/** Keys of a table's pieces, and of what is remembered of them, begin like this. */
export const piecesOf = (spec: TableSpec) => `${piecesFolder}/${spec.dataPrefix}/`
