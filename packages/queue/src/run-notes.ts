import type { RunJob } from '@huntfleet/contract'

/** What is kept of a run outside of Redis from its start to its end, so that a Redis that loses its data loses no run silently. */
export interface RunNote {
  /** Name of the data in Redis when the run began, see `data-name.ts`. */
  data: string
  startedAt: string
  deadlineAt: string | null
  /** Secrets may be masked in it. */
  job: RunJob
  /** The payload as it stood in the queue; null: it holds secrets that must not be kept, and cannot be run again. */
  sealed: object | null
}

/** Where an application keeps the notes. All methods throw sink errors. */
export interface RunNotes {
  /** Writes a note before the run's tables are queued; may be called again. */
  begin(note: RunNote): Promise<void>
  /** The run has ended. */
  end(job: RunJob): Promise<void>
  /** Runs that began and have not ended. Notes that cannot be read or trusted are left out. */
  list(): Promise<RunNote[]>
}
