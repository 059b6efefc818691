import type { CheckpointSave, SavedCheckpoint } from '@huntfleet/contract'
import type { ObjectStore } from '@huntfleet/storage'
import type { AnswerVocabulary } from './answer-vocabulary.ts'
import type { ParquetCompression } from './parquet/compression.ts'
import type { Clock, Logger, SessionSource } from './ports.ts'

/** What a server's own configuration allows (SPEC section 16.4). */
export interface ToolPolicy {
  /** Tools that may be called although they say that they write. */
  allowWrites: readonly string[]
  /** Only these tools; null: all. */
  allowOnly: readonly string[] | null
  deny: readonly string[]
}

/** Live figures of a table, for progress lines and pages. */
export interface TableProgress {
  table: string
  rows: number
  pages: number
  calls: number
  retries: number
  /** What is going on when it is not the next page: a retry, a wait. */
  doing: string
}

/** What calling a source for a table needs beside its spec. */
export interface CallPorts {
  sessions: SessionSource
  /** Waits until a server may be called again; see `RateLimiter`. */
  limiter: CallLimiter
  /** What the whole run may spend; absent: no limit but the table's own. */
  runBudget?: RunBudget
  clock: Clock
  logger: Logger
  /** Formats and adapters by name; the user's own adapters are among them. */
  vocabulary: AnswerVocabulary
  policy(server: string): ToolPolicy
  /** The value of `{{secret.NAME}}`; throws SECRET_UNSET. */
  secret(name: string): Promise<string>
  /** Masks secrets by value in anything that is kept or shown. */
  mask(text: string): string
  random(): number
  /** Aborts with a `RunError` as its reason: CANCELLED, BUDGET_SPENT, SHUTDOWN or LOCK_LOST. */
  signal: AbortSignal
}

/** Everything `runTable` needs beside its spec. */
export interface TablePorts extends CallPorts {
  store: ObjectStore
  /** Codec of the Parquet files. */
  compression: ParquetCompression
  onProgress(progress: TableProgress): void
  /** Attempt of the job, 1-based, for the ledger. */
  attempt: number
  /** Whether the sessions are real; `live` when absent (SPEC section 16.11). */
  source?: 'live' | 'replay'
  /** Where the table goes on after its worker is gone; absent: nowhere, it begins again. */
  checkpoint?: Checkpoint
  /** Whether nobody tries the table again when this attempt fails; absent: nobody does. */
  lastAttempt?: boolean
}

/**
 * The checkpoint of one table job, in the hands of whoever holds the job. Rows are kept in it as the source sent them,
 * secrets in them included.
 */
export interface Checkpoint {
  /** Bytes of packed pages that it takes before they are to be sealed. */
  readonly capacity: number
  /** The last one saved; null: there is none, or none that can be trusted. */
  load(): Promise<SavedCheckpoint | null>
  /** Throws LOCK_LOST, and saves nothing, when the job is another worker's. The same save may be tried again. */
  save(save: CheckpointSave): Promise<void>
  /** Does work once the table's entry is safe and no checkpoint of it is needed any more. */
  afterStored(work: () => Promise<void>): void
}

/** What the tables of a run may spend together, wherever they are fetched. */
export interface RunBudget {
  /** Asked before each call, which it counts; why the run may make no more calls, or undefined. */
  take(): Promise<string | undefined>
  /** Counts what came. */
  spend(what: { pages: number; bytes: number }): Promise<void>
}

/** Keeps calls to a server within its limits. */
export interface CallLimiter {
  /** Resolves when the next call to the server is due. */
  acquire(server: string, signal: AbortSignal): Promise<void>
  /** The server said that it was called too often, and perhaps for how long to leave it alone (milliseconds). */
  rateLimited(server: string, retryAfterMs: number | null): void
}
