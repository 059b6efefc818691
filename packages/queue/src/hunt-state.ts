import { type Hunt, huntScheduleSchema, slotRunId } from '@huntfleet/contract'
import { z } from 'zod'

/** What the fleet remembers of a hunt between two ticks. Times are epoch milliseconds. */

const windowSchema = z.strictObject({ start: z.number().nullable(), end: z.number().nullable() })

/** A slot that is recorded and not settled: it waits, or its run is about to start or has not ended. */
const openSlotSchema = z.strictObject({
  slot: z.number(),
  window: windowSchema,
  /** Which run of the slot this is, from 1. */
  run: z.int().positive(),
  phase: z.enum(['waiting', 'starting', 'running']),
  /** What is special about it, for the ledger. */
  note: z.string().nullable(),
  /** How often a worker has set out to start it, and when last; a worker that dies meanwhile leaves it here. */
  tries: z.int().nonnegative(),
  claimedAt: z.number(),
  /** A later slot has taken its place; its run is being cancelled. */
  replaced: z.boolean(),
})
export type OpenSlot = z.infer<typeof openSlotSchema>

/** A slot of a `since_last_complete` hunt whose window has no complete run yet. */
const incompleteSlotSchema = z.strictObject({
  slot: z.number(),
  window: windowSchema,
  /** Runs it has had. */
  runs: z.int().nonnegative(),
  /** The newest slot when it was tried last: it is tried again when there is a newer one. */
  triedAt: z.number(),
})
export type IncompleteSlot = z.infer<typeof incompleteSlotSchema>

export const huntStateSchema = z.strictObject({
  schedule: huntScheduleSchema,
  /** Of the project file that was applied last, for lists. */
  strategy: z.string(),
  digest: z.string(),
  /** Slots later than this are recorded. */
  enabledAt: z.number(),
  /** Since when the pattern is the one in `schedule`. */
  patternSince: z.number(),
  /** The newest slot that is recorded. */
  cursor: z.number(),
  /** End of the newest window; null: there is none. */
  windowEnd: z.number().nullable(),
  paused: z.boolean(),
  open: z.array(openSlotSchema),
  incomplete: z.array(incompleteSlotSchema),
})
export type HuntState = z.infer<typeof huntStateSchema>

/** A hunt that is scheduled from now on. */
export function newHuntState(hunt: Hunt, now: number): HuntState {
  return {
    schedule: hunt.schedule,
    strategy: hunt.strategy,
    digest: hunt.digest,
    enabledAt: now,
    patternSince: now,
    cursor: now,
    windowEnd: null,
    paused: false,
    open: [],
    incomplete: [],
  }
}

/** Id of a run of a slot: the same whoever starts it; a window that is fetched again gets the number of its run. */
export function runIdOfSlot(hunt: string, { slot, run }: Pick<OpenSlot, 'slot' | 'run'>): string {
  const id = slotRunId(hunt, new Date(slot))
  return run === 1 ? id : `${id}.${run}`
}
