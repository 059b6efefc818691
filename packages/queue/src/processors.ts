import type {
  CheckpointSave,
  JsonObject,
  RunJob,
  RunStatus,
  SavedCheckpoint,
  TableEntry,
  TableJob,
  TableSpec,
} from '@huntfleet/contract'

/** What an application gives the queue to carry out jobs with. The queue knows nothing of sources and storage. */

export interface JobContext {
  /**
   * Aborts with a `RunError`: CANCELLED or BUDGET_SPENT, after which rows so far are kept, SHUTDOWN or LOCK_LOST. After
   * the last two the processor throws the signal's reason; what it would return is not wanted.
   */
  signal: AbortSignal
  /** 1-based; hand-backs and crashes do not count. */
  attempt: number
  /** Whether a failure now is for good. */
  lastAttempt: boolean
  /** A line in the job's log, as the dashboard shows it. */
  log(line: string): Promise<void>
}

/** What the tables of a run may spend together. */
export interface RunBudget {
  /** Asked before each call, which it counts; why the run may make no more calls, or undefined. */
  take(): Promise<string | undefined>
  /** Counts what came. */
  spend(what: { pages: number; bytes: number }): Promise<void>
}

export interface TableContext extends JobContext {
  /** null: the run has no limits. */
  budget: RunBudget | null
  /** Small facts for dashboards and `--wait`; throws `RunError` LOCK_LOST when the job is no longer ours. */
  progress(progress: JsonObject): Promise<void>
  /** The table's checkpoint in Redis. */
  checkpoint: CheckpointInRedis
  /** Whether the job is still ours, for what is written elsewhere than in Redis. */
  isOurs(): Promise<boolean>
  /** Grows with every worker that takes the job, hand-backs and crashes included. */
  generation: number
  /** Does work once the table's entry stands in the run's record; what it throws is logged. */
  afterStored(work: () => Promise<void>): void
}

/** Removed once the table's entry is stored. Every save is fenced by the job's lock. */
export interface CheckpointInRedis {
  /** Bytes of packed pages that it takes. */
  readonly capacity: number
  /** The last one saved; null: there is none, or none that can be trusted. */
  load(): Promise<SavedCheckpoint | null>
  /**
   * Throws `RunError` LOCK_LOST when the job is no longer ours, and saves nothing then. The same save may be tried again.
   */
  save(save: CheckpointSave): Promise<void>
}

/**
 * Fetches one table and returns its entry for the manifest. A `RunError` that it throws is tried again as a job if its
 * code says so, else it becomes the entry of a failed table.
 */
export type TableProcessor = (job: TableJob, context: TableContext) => Promise<TableEntry>

export interface RunPlan {
  /** Tables to fetch, one job each. */
  specs: readonly TableSpec[]
  /** Tables that are not fetched: skipped, native, awaiting an agent, or failed while they were compiled. */
  entries: Readonly<Record<string, TableEntry>>
}

export interface RunContext extends JobContext {
  /** The run's files are there and its strategy begins: status `executing`. */
  executing(): Promise<void>
}

export interface FinishContext extends RunContext {
  /** When the run was first planned, ISO 8601 UTC. */
  startedAt: string
  /** Whether nothing of the run is known to be there but files that no entry names: its status is `lost`. */
  lost: boolean
}

export interface RunProcessor {
  /** Compiles the tables; must give the same answer when it is asked again. */
  plan(job: RunJob, context: RunContext): Promise<RunPlan>
  /** Called when all tables have ended; publishes the manifest. May be called again after a crash. */
  finish(
    job: RunJob,
    entries: Readonly<Record<string, TableEntry>>,
    context: FinishContext,
  ): Promise<{ status: RunStatus; manifestKey: string | null }>
}
