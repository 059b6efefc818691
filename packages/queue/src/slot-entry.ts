import { runStatuses, windowSchema } from '@huntfleet/contract'
import { z } from 'zod'

/** Why a slot has no run. */
export const skipReasons = ['overlap', 'paused', 'late', 'queue_down', 'replaced', 'empty_window'] as const
export type SkipReason = (typeof skipReasons)[number]

/** A line of a hunt's ledger: what became of one slot. There is exactly one per slot. Times are ISO 8601 UTC. */
export const slotEntrySchema = z.object({
  slot: z.string(),
  /** `waiting`: it will be run; `failed`: it could not be started. */
  status: z.enum(['waiting', 'ran', 'skipped', 'failed']),
  /** One of `skipReasons`, the error of a failed slot, or what is special about a run; null: nothing is. */
  reason: z.string().nullable(),
  /** The latest run; null: there is none. */
  runId: z.string().nullable(),
  /** How that run ended; null: not yet, or there is none. */
  outcome: z.enum(runStatuses).nullable(),
  window: windowSchema,
  /** Runs that the slot has had: more than one when its window was fetched again. */
  runs: z.int().nonnegative(),
})
export type SlotEntry = z.infer<typeof slotEntrySchema>
