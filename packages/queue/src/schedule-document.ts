import type { ScheduledHunt } from './schedule-control.ts'
import type { SlotLine } from './slot-history.ts'

/** Schedules as machines read them: `huntfleet schedule list|history --json` and the dashboard's API. */

export function huntDocument({ name, state, next, last }: ScheduledHunt) {
  const { cron, timezone, enabled, overlap, catchUp } = state.schedule
  return {
    hunt: name,
    strategy: state.strategy,
    cron,
    timezone,
    overlap,
    catch_up: catchUp,
    enabled,
    paused: state.paused,
    next: next === null ? null : new Date(next).toISOString(),
    last: last === null ? null : slotDocument(last),
  }
}

export function slotDocument({ slot, status, reason, runId, outcome, window, runs }: SlotLine) {
  return { slot, status, reason, run_id: runId, outcome, window, runs }
}
