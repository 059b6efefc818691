import { previousFire } from './fire-times.ts'
import type { HuntSchedule } from './hunt.ts'

/** A half-open interval of event time in epoch milliseconds; nulls: the hunt has no window. */
export interface SlotWindow {
  readonly start: number | null
  readonly end: number | null
}

/**
 * The window of a slot.
 *
 * A `since_last_complete` window starts where the window of the slot before ended, whatever the pattern was then, so
 * that windows never overlap and leave no gap; `previousEnd` is that end, null for the first slot. An earlier window
 * whose run was not complete is fetched again as its own slot, so no window ever grows, except after a time without
 * slots: then up to `max_window`, or the distance of two fire times if that is more.
 * null: the window would be empty, because `lag` has grown.
 */
export function windowOfSlot(
  schedule: HuntSchedule,
  slot: number,
  previousEnd: number | null,
): SlotWindow | null {
  const { window, lagMs } = schedule
  if (window.kind === 'none') return { start: null, end: null }
  const end = slot - lagMs
  if (window.kind === 'duration') return { start: end - window.ms, end }
  if (previousEnd !== null && previousEnd >= end) return null
  if (previousEnd !== null && end - previousEnd <= window.maxMs) return { start: previousEnd, end }
  const period = end - ((previousFire(schedule, slot) ?? slot) - lagMs)
  if (previousEnd === null) return { start: end - period, end }
  return { start: Math.max(previousEnd, end - Math.max(window.maxMs, period)), end }
}

/** The window as runs carry it. */
export function runWindowOf({ start, end }: SlotWindow): { start: string | null; end: string | null } {
  const text = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return { start: text(start), end: text(end) }
}
