import type { HuntDraft } from './hunt-draft.ts'
import type { IncompleteSlot, OpenSlot } from './hunt-state.ts'

interface DispatchEvents {
  now: number
  claim: boolean
  unstartable: string | null
}

/** A worker that has not started a slot by then has died over it. */
const claimMs = 15_000
/** A slot that has cost so many workers their life is given up. */
const mostTries = 3
/** A window that so many runs could not complete is left as it is. */
const mostRuns = 5

/** Starts the slots whose turn it is: the oldest first, and one at a time unless the hunt's runs may overlap. */
export function dispatchSlots(draft: HuntDraft, events: DispatchEvents): void {
  const { state } = draft
  forgetOld(draft, events.now)
  for (;;) {
    const busy = state.open.some(({ phase, replaced }) => phase !== 'waiting' && !replaced)
    if (state.paused || (busy && state.schedule.overlap !== 'allow')) break
    const next = nextOpen(draft)
    if (next === null) break
    draft.begin(next)
  }
  if (events.claim) claimStarting(draft, events)
}

/** The oldest slot that waits, be it for its first run or for another one. */
function nextOpen({ state }: HuntDraft): OpenSlot | null {
  const waiting = state.open.filter(({ phase }) => phase === 'waiting').sort((a, b) => a.slot - b.slot)[0]
  const again = state.incomplete.find(({ triedAt }) => triedAt < state.cursor)
  if (again === undefined || (waiting !== undefined && waiting.slot < again.slot)) return waiting ?? null
  const open = openedAgain(again)
  state.incomplete = state.incomplete.filter(({ slot }) => slot !== again.slot)
  state.open.push(open)
  return open
}

function openedAgain({ slot, window, runs }: IncompleteSlot): OpenSlot {
  const note = runs === 0 ? 'fetched later' : 'fetched again'
  return { slot, window, run: runs + 1, phase: 'waiting', note, tries: 0, claimedAt: 0, replaced: false }
}

/** What is older than `max_window`, or was tried too often, stays as the ledger has it. */
function forgetOld({ state }: HuntDraft, now: number): void {
  const { window, lagMs } = state.schedule
  const oldest = window.kind === 'since_last_complete' ? now - lagMs - window.maxMs : Number.POSITIVE_INFINITY
  state.incomplete = state.incomplete.filter(
    ({ window: { end }, runs }) => end !== null && end > oldest && runs < mostRuns,
  )
}

function claimStarting(draft: HuntDraft, { now, unstartable }: DispatchEvents): void {
  for (const open of draft.state.open.filter(({ phase }) => phase === 'starting')) {
    if (unstartable !== null) draft.fail(open, unstartable)
    else if (open.tries > 0 && now - open.claimedAt < claimMs) continue
    else if (open.tries >= mostTries)
      draft.fail(open, `the worker died ${open.tries} times while it prepared this slot`)
    else draft.claim(open, now)
  }
}
