import {
  firesBetween,
  type HuntSchedule,
  RunError,
  runWindowOf,
  type SlotWindow,
  windowOfSlot,
} from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { changeHunt } from './hunt-change.ts'
import { runIdOfSlot } from './hunt-state.ts'
import { readSlotsAt } from './hunt-store.ts'
import { hasEnded } from './run-record.ts'
import { getRun } from './run-store.ts'
import type { SlotEntry } from './slot-entry.ts'

/** A slot in the past that is to have a run. Times are epoch milliseconds. */
export interface BackfillSlot {
  slot: number
  window: SlotWindow
}

/** More slots than these are a mistyped range. */
const mostSlots = 10_000

/**
 * The slots whose windows lie between two times, oldest first: those of the hunt's pattern, or one every `stepMs`, each
 * with the window that ends at it. Slots without a window count by their own time.
 */
export function backfillSlots(
  schedule: HuntSchedule,
  from: number,
  to: number,
  stepMs: number | null,
): BackfillSlot[] {
  const slots = stepMs === null ? slotsOfPattern(schedule, from, to) : slotsOfStep(from, to, stepMs)
  if (slots.length <= mostSlots) return slots
  throw new RunError('USAGE_INVALID', `a backfill of more than ${mostSlots} slots`, {
    hint: 'take a shorter range, or a longer --step',
  })
}

function slotsOfPattern(schedule: HuntSchedule, from: number, to: number): BackfillSlot[] {
  const shift = schedule.window.kind === 'none' ? 0 : schedule.lagMs
  let previousEnd: number | null = null
  const slots: BackfillSlot[] = []
  for (const slot of firesBetween(schedule, from + shift, to + shift, mostSlots + 1)) {
    const window = windowOfSlot(schedule, slot, previousEnd)
    if (window === null) continue
    previousEnd = window.end
    slots.push({ slot, window })
  }
  return slots
}

function slotsOfStep(from: number, to: number, stepMs: number): BackfillSlot[] {
  const count = Math.min(Math.floor((to - from) / stepMs), mostSlots + 1)
  return Array.from({ length: count }, (_, i) => ({
    slot: from + (i + 1) * stepMs,
    window: { start: from + i * stepMs, end: from + (i + 1) * stepMs },
  }))
}

export type BackfillClaim =
  /** The slot is ours: its run is to be queued. */
  | { is: 'claimed'; runId: string }
  /** Somebody else's run, or an earlier backfill's, has it. */
  | { is: 'taken'; entry: SlotEntry }

/**
 * Takes a slot for a backfill, unless it has a run or will have one. A slot that an earlier backfill took and whose run
 * never reached Redis is taken again, so a backfill that was interrupted goes on where it stopped.
 */
export async function claimBackfillSlot(
  fleet: FleetRedis,
  name: string,
  { slot, window }: BackfillSlot,
): Promise<BackfillClaim> {
  const runId = runIdOfSlot(name, { slot, run: 1 })
  let taken: SlotEntry | null = null
  await changeHunt(fleet, name, async (state) => {
    taken = null
    if (state === null) throw new RunError('HUNT_NOT_FOUND', `hunt ${name} is not scheduled`)
    const [known] = await readSlotsAt(fleet, name, [slot])
    const isOpen = state.open.some((open) => open.slot === slot)
    const isOurs = known?.reason === backfillNote && (await getRun(fleet, runId)) === null
    if (known !== undefined && !isOurs && (isOpen || known.status === 'ran' || known.status === 'waiting')) {
      taken = known
      return null
    }
    const entry = lineOf(slot, window, runId, null)
    const incomplete = state.incomplete.filter((other) => other.slot !== slot)
    return { state: { ...state, incomplete }, entries: [entry] }
  })
  return taken === null ? { is: 'claimed', runId } : { is: 'taken', entry: taken }
}

/** What the ledger says of slots that a backfill has run. */
const backfillNote = 'backfill'

/** Writes how the run of a backfilled slot ended into the ledger. */
export async function settleBackfillSlot(
  fleet: FleetRedis,
  name: string,
  { slot, window }: BackfillSlot,
  runId: string,
): Promise<void> {
  const status = (await getRun(fleet, runId))?.status
  if (status === undefined || !hasEnded(status)) return
  await changeHunt(fleet, name, (state) =>
    state === null ? null : { state, entries: [lineOf(slot, window, runId, status)] },
  )
}

function lineOf(slot: number, window: SlotWindow, runId: string, outcome: SlotEntry['outcome']): SlotEntry {
  const at = new Date(slot).toISOString()
  return {
    slot: at,
    status: 'ran',
    reason: backfillNote,
    runId,
    outcome,
    window: runWindowOf(window),
    runs: 1,
  }
}
