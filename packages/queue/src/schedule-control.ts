import { nextFire, RunError, windowOfSlot } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { changeHunt } from './hunt-change.ts'
import { createHuntDraft } from './hunt-draft.ts'
import type { HuntState } from './hunt-state.ts'
import { stepHunt } from './hunt-step.ts'
import { readHunt, readSlots, readSlotsAt, redisNow, scheduledHunts } from './hunt-store.ts'
import { requireHunt } from './require-hunt.ts'
import { readOutages } from './schedule-outages.ts'
import type { SlotEntry } from './slot-entry.ts'
import { wakeHunt } from './tick-job.ts'

/** What people do with hunts that are scheduled. Each of these throws `RunError` HUNT_NOT_FOUND for other names. */

export interface ScheduledHunt {
  name: string
  state: HuntState
  /** The next fire time, epoch milliseconds; null: none, or the hunt is not enabled. */
  next: number | null
  /** The newest line of its ledger. */
  last: SlotEntry | null
}

/** All hunts that are scheduled, by name. */
export async function listSchedule(fleet: FleetRedis): Promise<ScheduledHunt[]> {
  const now = await redisNow(fleet)
  const hunts: ScheduledHunt[] = []
  for (const name of await scheduledHunts(fleet)) {
    const { state } = await readHunt(fleet, name)
    if (state === null) continue
    const next = state.schedule.enabled ? nextFire(state.schedule, Math.max(now, state.cursor)) : null
    hunts.push({ name, state, next, last: (await readSlots(fleet, name, 1))[0] ?? null })
  }
  return hunts
}

/** Slots are recorded as skipped until the hunt is resumed. false: it is so already. */
export async function pauseHunt(fleet: FleetRedis, name: string, paused: boolean): Promise<boolean> {
  const before = await requireHunt(fleet, name)
  const queueDown = await readOutages(fleet)
  await changeHunt(fleet, name, (state, now) => {
    if (state === null || state.paused === paused) return null
    // What is due by now was due before.
    const events = { now, ended: new Map(), queueDown, claim: false, unstartable: null }
    const step = stepHunt(name, state, events)
    return { ...step, state: { ...step.state, paused: step.more ? state.paused : paused } }
  })
  if (before.paused === paused) return false
  // Hundreds of due slots take several steps.
  if ((await requireHunt(fleet, name)).paused !== paused) return pauseHunt(fleet, name, paused)
  await wakeHunt(fleet, name)
  return true
}

/** How many seconds from now are tried for a slot that nobody has. */
const triggerTries = 120

/**
 * Runs a hunt now, as a slot of its own beside those of the pattern, also while it is paused. `at`: the moment it was
 * asked for, epoch milliseconds; asked again for the same moment it is run once.
 * Returns the slot in epoch milliseconds; null: this moment has its slot already.
 */
export async function triggerHunt(fleet: FleetRedis, name: string, at: number): Promise<number | null> {
  await requireHunt(fleet, name)
  const asked = `triggered at ${new Date(at).toISOString()}`
  const seconds = Array.from({ length: triggerTries }, (_, i) => (Math.floor(at / 1_000) + i) * 1_000)
  let chosen: number | null = null
  await changeHunt(fleet, name, async (state) => {
    chosen = null
    if (state === null) return null
    const lines = await readSlotsAt(fleet, name, seconds)
    if (lines.some(({ reason }) => reason === asked)) return null
    const taken = new Set(lines.map(({ slot }) => Date.parse(slot)))
    const isFire = (slot: number) => state.schedule.enabled && nextFire(state.schedule, slot - 1) === slot
    const slot = seconds.find((second) => !taken.has(second) && !isFire(second))
    const window = slot === undefined ? null : windowOfSlot(state.schedule, slot, state.windowEnd)
    if (slot === undefined || window === null) throw nothingToTrigger(name)
    const draft = createHuntDraft(name, state)
    draft.state.windowEnd = window.end
    const open = {
      slot,
      window,
      run: 1,
      phase: 'waiting',
      note: null,
      tries: 0,
      claimedAt: 0,
      replaced: false,
    } as const
    draft.wait({ ...open }, asked)
    const added = draft.state.open.at(-1)
    if (added !== undefined) draft.begin(added)
    chosen = slot
    return draft.step(false)
  })
  if (chosen !== null) await wakeHunt(fleet, name)
  return chosen
}

function nothingToTrigger(name: string): RunError {
  return new RunError(
    'USAGE_INVALID',
    `hunt ${name} has nothing to run now: its windows reach up to now already`,
    {
      hint: 'its next slot is due soon; see huntfleet schedule list',
    },
  )
}
