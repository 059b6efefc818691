import { firesBetween, previousFire, type RunStatus, windowOfSlot } from '@huntfleet/contract'
import { dispatchSlots } from './hunt-dispatch.ts'
import { createHuntDraft, type HuntDraft, type HuntStep } from './hunt-draft.ts'
import type { HuntState, OpenSlot } from './hunt-state.ts'

/**
 * What is due of a hunt, as a pure function of what is remembered and what has happened since. Every slot between the
 * newest recorded one and now gets its line in the ledger, whoever asks and however late, so that a tick is only a
 * reason to ask, and a lost one loses nothing.
 */

export interface HuntEvents {
  now: number
  /** How runs ended, by run id. `live`: all its data came from the sources themselves (SPEC section 16.11). */
  ended: ReadonlyMap<string, { status: RunStatus; live: boolean }>
  /** Whether no worker reached the queue at a time. */
  queueDown: (at: number) => boolean
  /** Whether the caller starts runs; otherwise they are left to a worker. */
  claim: boolean
  /** Why no worker can start runs of this hunt; null: the caller can. */
  unstartable: string | null
}

/** A slot that is looked at later than this was missed, and `catch_up` says whether it is run. */
const onTimeMs = 60_000
/** Slots that are recorded in one step; the rest follows in the next. */
const slotsPerStep = 500
/** Slots that wait for their turn; more are skipped. */
const longestQueue = 100
const caughtUp = 'caught up'

export function stepHunt(name: string, before: HuntState, events: HuntEvents): HuntStep {
  const draft = createHuntDraft(name, before)
  settleRuns(draft, events)
  const { schedule } = draft.state
  const fires = schedule.enabled ? firesBetween(schedule, draft.state.cursor, events.now, slotsPerStep) : []
  const more = fires.length === slotsPerStep
  const newest = more ? previousFire(schedule, events.now + 1) : (fires.at(-1) ?? null)
  for (const slot of fires) recordSlot(draft, events, slot, slot === newest)
  dispatchSlots(draft, events)
  return draft.step(more)
}

/** Settles the slots whose runs have ended. */
function settleRuns(draft: HuntDraft, { ended }: HuntEvents): void {
  for (const known of draft.state.incomplete) {
    const end = ended.get(draft.runId({ slot: known.slot, run: known.runs }))
    if (end?.status === 'complete' && end.live) draft.complete(known)
  }
  for (const open of draft.state.open.filter(({ phase }) => phase === 'running')) {
    const end = ended.get(draft.runId(open))
    if (end === undefined) continue
    const complete = end.status === 'complete' && end.live
    if (open.replaced) draft.settle(open, 'skipped', 'replaced', end.status)
    else draft.settle(open, 'ran', end.live ? open.note : 'replayed or staged by an agent', end.status)
    if (!complete) draft.rememberIncomplete(open, open.run, draft.state.cursor)
  }
}

function recordSlot(draft: HuntDraft, events: HuntEvents, slot: number, isNewest: boolean): void {
  const { state } = draft
  state.cursor = slot
  const window = windowOfSlot(state.schedule, slot, state.windowEnd)
  if (window === null) {
    draft.skip(slot, { start: null, end: null }, 'empty_window')
    return
  }
  state.windowEnd = window.end
  const open: OpenSlot = {
    slot,
    window,
    run: 1,
    phase: 'waiting',
    note: null,
    tries: 0,
    claimedAt: 0,
    replaced: false,
  }
  const missed = events.now - slot > onTimeMs
  const skip = state.paused ? 'paused' : missed ? missedReason(draft, events, slot, isNewest) : null
  if (skip !== null) {
    draft.skip(slot, window, skip)
    draft.rememberIncomplete(open, 0, slot)
  } else if (events.unstartable !== null) {
    draft.fail(open, events.unstartable)
  } else {
    admit(draft, open, missed)
  }
}

/** Why a missed slot is not run; null: it is. */
function missedReason(draft: HuntDraft, events: HuntEvents, slot: number, isNewest: boolean) {
  const { catchUp, window } = draft.state.schedule
  const skipped = events.queueDown(slot) ? 'queue_down' : 'late'
  if (catchUp === 'none') return skipped
  if (catchUp === 'all' || isNewest) return null
  // Its window has no complete run, so it is part of the backlog, as far back as that reaches.
  const backlog = window.kind === 'since_last_complete' && slot > events.now - window.maxMs
  return backlog ? null : skipped
}

/** Puts a slot that is to be run in its place among the others, as the hunt's `overlap` says. */
function admit(draft: HuntDraft, open: OpenSlot, missed: boolean): void {
  const { state } = draft
  const others = state.open.filter(({ replaced }) => !replaced)
  const { overlap } = state.schedule
  // Missed slots were asked for, one after the other, and a slot behind such a backlog waits for it.
  const busy = others.some(({ phase, note }) => phase !== 'waiting' || note !== caughtUp)
  const inLine = missed || overlap === 'queue' || (overlap === 'skip' && !busy)
  if (overlap === 'replace' && !missed) for (const other of others) draft.replace(other)
  else if (overlap !== 'allow' && (!inLine || others.length >= longestQueue)) {
    draft.skip(open.slot, open.window, 'overlap')
    draft.rememberIncomplete(open, 0, open.slot)
    return
  }
  draft.wait(open, missed ? caughtUp : null)
}
