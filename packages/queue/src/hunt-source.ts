import type { Hunt, RunJob, RunWindow } from '@huntfleet/contract'
import type { RunRecord } from './run-record.ts'
import type { SlotEntry } from './slot-entry.ts'

/** A slot whose run is about to start. */
export interface SlotRun {
  runId: string
  /** The slot, ISO 8601 UTC: what relative times of the run count from. */
  scheduledAt: string
  window: RunWindow
}

/** What an application gives the queue to run hunts with. The queue knows nothing of project files and strategies. */
export interface HuntSource {
  /** The hunts of the worker's own project file. */
  readonly hunts: readonly Hunt[]
  /** Reads the hunt's strategy and checks it; throws `RunError`, which becomes the reason of a failed slot. */
  prepare(hunt: Hunt, slot: SlotRun): Promise<RunJob>
  /** Told of every slot that is settled, with the record of its run if the hunt has `notify`; must not throw or wait. */
  settled(hunt: Hunt, entry: SlotEntry, run: RunRecord | null): void
}
