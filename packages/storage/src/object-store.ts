/** An object as a listing or a HEAD shows it. */
export interface ObjectHead {
  key: string
  bytes: number
  /** Milliseconds since the epoch. */
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
  /** Refuse to replace: the answer is `created: false` if the key exists already, whoever wrote it. */
  createOnly?: boolean
  contentType?: string
  /** Small facts stored beside the object; the key `attempt` tells a lost answer from a lost race. */
  metadata?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** A streamed object. Nothing is visible at its key before `commit` resolves, and nothing ever after `abort`. */
export interface ObjectWriter {
  /** Takes the bytes over; resolves when more may come (back-pressure). */
  write(bytes: Uint8Array): Promise<void>
  commit(): Promise<StoredObject>
  /** Never rejects; leaves nothing behind as far as the store can be reached. */
  abort(): Promise<void>
}

/**
 * Objects by key below one root. Keys are `/`-separated, without empty, `.` or `..` segments.
 * All methods throw `RunError` SINK_UNREACHABLE, SINK_DENIED or SINK_INVALID.
 */
export interface ObjectStore {
  /** The root as a URL without credentials and without a trailing slash. */
  readonly url: string
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<StoredObject & { created: boolean }>
  /** Streams a new object; the key must be new (attempt keys are never reused). */
  create(key: string, options?: Omit<PutOptions, 'createOnly'>): Promise<ObjectWriter>
  /** The whole object, or `length` bytes from `start`; null when there is none. */
  get(key: string, range?: { start: number; length: number }): Promise<Uint8Array | null>
  head(key: string): Promise<ObjectHead | null>
  /** Keys in byte order. */
  list(prefix: string): AsyncIterable<ObjectHead>
  /** Deleting what does not exist is no error. */
  delete(key: string): Promise<void>
  close(): Promise<void>
}
