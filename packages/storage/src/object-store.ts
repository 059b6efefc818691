/** An object as a listing or a HEAD shows it. */
export interface ObjectHead {
  key: string
  bytes: number
  /** Milliseconds since the epoch. */
  modifiedAt: number
}

/** What a writer that was killed left where no key shows it. */
export interface Unfinished {
  /** A multipart upload that was never completed, or a temporary file. */
  kind: 'upload' | 'temporary'
  /** The key of the object that it should have become, or the path of the file below the store's root. */
  key: string
  /** Tells uploads of one key apart. */
  id: string
  /** null where the store does not tell. */
  bytes: number | null
  /** Of an upload its begin, of a file its last write; milliseconds since the epoch. */
  modifiedAt: number
}

/** An object that has just been stored. */
export interface StoredObject {
  key: string
  bytes: number
  /** Lower-case hex of the whole content. */
  sha256: string
}

export interface PutOptions {
  /** Refuse to replace: the answer is `created: false` if the key exists already. See `ConditionalWrites`. */
  createOnly?: boolean
  contentType?: string
  /**
   * Small ASCII facts stored beside the object where the store can. The key `attempt` tells a lost answer from a lost
   * race: an object with our attempt and our content is ours. Without one the store makes up its own for the call.
   */
  metadata?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** One object made of others, in this order. */
export interface Assembly {
  /** Objects that `put` has stored, as it described them; see `pieceKey`. */
  pieces: readonly StoredObject[]
  /** What comes after the last piece; may be empty. */
  tail: Uint8Array
  /**
   * SHA-256 of the whole, from a hash that has seen every byte. Without it the pieces are read again to find it, also
   * where the server puts them together by itself.
   */
  sha256?: string
}

/**
 * A streamed object, written by one caller that awaits each call. Nothing is visible at its key before `commit`
 * resolves, and nothing ever after `abort`. After a failure only `abort` remains to be called.
 */
export interface ObjectWriter {
  /** Takes the bytes over; resolves when more may come (back-pressure). */
  write(bytes: Uint8Array): Promise<void>
  commit(): Promise<StoredObject>
  /** Never rejects; leaves nothing behind as far as the store can be reached. */
  abort(): Promise<void>
}

/**
 * How a store keeps `createOnly`: `supported` is atomic, whoever writes at the same time. `emulated` looks first and
 * writes then, for servers that ignore or refuse `If-None-Match`: two writers in the same instant may both be told
 * `created`, and the later content stays.
 */
export type ConditionalWrites = 'supported' | 'emulated'

/**
 * Objects by key below one root. Keys are `/`-separated, without empty, `.` or `..` segments (`object-key.ts`).
 * All methods throw `RunError` SINK_UNREACHABLE, SINK_DENIED or SINK_INVALID, or why their signal was aborted.
 */
export interface ObjectStore {
  /** The root as a URL without credentials and without a trailing slash. */
  readonly url: string
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<StoredObject & { created: boolean }>
  /** Streams a new object; a key that exists already is SINK_INVALID (attempt keys are never reused). */
  create(key: string, options?: Omit<PutOptions, 'createOnly'>): Promise<ObjectWriter>
  /**
   * Makes one new object of pieces and a tail, with the guarantees of `create` and `commit`; the pieces stay. A piece
   * that is missing or is not what it was is PIECE_LOST, and no object then appears. S3 puts the pieces together on the
   * server where they are large enough (5 MiB) and it can; else they are read and sent again, in bounded memory.
   */
  assemble(key: string, assembly: Assembly, options?: Omit<PutOptions, 'createOnly'>): Promise<StoredObject>
  /** The whole object, or `length` bytes from `start` (fewer at its end); null when there is none. */
  get(key: string, range?: { start: number; length: number }): Promise<Uint8Array | null>
  head(key: string): Promise<ObjectHead | null>
  /** Keys in byte order. */
  list(prefix: string): AsyncIterable<ObjectHead>
  /** Deleting what does not exist is no error. */
  delete(key: string): Promise<void>
  /** Throws SINK_INVALID or SINK_DENIED where the store cannot or may not list uploads. */
  unfinished(): AsyncIterable<Unfinished>
  /** Removes it for good; what has become an object or has gone in the meantime is no error. */
  discard(unfinished: Unfinished): Promise<void>
  /** Asks the store once, by writing and deleting a tiny object where only a trial can tell. */
  conditionalWrites(): Promise<ConditionalWrites>
  close(): Promise<void>
}
