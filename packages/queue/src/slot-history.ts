import { firesBetween } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import type { HuntState } from './hunt-state.ts'
import { readHunt, readSlots } from './hunt-store.ts'
import { requireHunt } from './require-hunt.ts'
import { hasEnded } from './run-record.ts'
import { getRun } from './run-store.ts'
import type { SlotEntry } from './slot-entry.ts'

/** A line of a hunt's history. `unaccounted`: the pattern has a slot there and the ledger has no line for it. */
export interface SlotLine extends Omit<SlotEntry, 'status'> {
  status: SlotEntry['status'] | 'unaccounted'
}

/**
 * The newest slots of a hunt, oldest first, with how their runs ended and with what the ledger lacks.
 * Throws `RunError` HUNT_NOT_FOUND.
 */
export async function slotHistory(fleet: FleetRedis, name: string, limit: number): Promise<SlotLine[]> {
  const entries = await readSlots(fleet, name, limit)
  // The ledger of a hunt that was removed is still there.
  const state = entries.length === 0 ? await requireHunt(fleet, name) : (await readHunt(fleet, name)).state
  const lines: SlotLine[] = []
  for (const entry of entries)
    lines.push({ ...entry, outcome: (await outcomeOf(fleet, entry)) ?? entry.outcome })
  const gaps = state === null ? [] : gapsIn(state, entries)
  return [...lines, ...gaps].sort((a, b) => a.slot.localeCompare(b.slot)).slice(-limit)
}

/** How a run has ended by now: nobody may have settled it yet, or somebody has retried it. null: it goes on. */
async function outcomeOf(fleet: FleetRedis, { runId }: SlotEntry): Promise<SlotEntry['outcome']> {
  const status = runId === null ? undefined : (await getRun(fleet, runId))?.status
  return status !== undefined && hasEnded(status) ? status : null
}

/** Fire times up to the newest recorded slot that have no line, as far back as the lines and the pattern go. */
export function gapsIn(state: HuntState, entries: readonly SlotEntry[]): SlotLine[] {
  if (!state.schedule.enabled) return []
  const known = new Set(entries.map(({ slot }) => Date.parse(slot)))
  const oldest = Math.min(...known, state.cursor)
  const from = Math.max(state.patternSince, oldest - 1)
  return firesBetween(state.schedule, from, state.cursor, Number.POSITIVE_INFINITY)
    .filter((slot) => !known.has(slot))
    .map((slot) => ({
      slot: new Date(slot).toISOString(),
      status: 'unaccounted',
      reason: 'the ledger has no line for this fire time of the pattern',
      runId: null,
      outcome: null,
      window: { start: null, end: null },
      runs: 0,
    }))
}
