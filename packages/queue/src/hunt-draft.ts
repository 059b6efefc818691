import { type RunStatus, runWindowOf, type SlotWindow } from '@huntfleet/contract'
import { type HuntState, type IncompleteSlot, type OpenSlot, runIdOfSlot } from './hunt-state.ts'
import type { SkipReason, SlotEntry } from './slot-entry.ts'

/** What a step changes. */
export interface HuntStep {
  state: HuntState
  /** Lines of the ledger, new or changed. */
  entries: readonly SlotEntry[]
  /** Those of them that will not change any more, or only if their window is fetched again. */
  settled: readonly SlotEntry[]
  /** Slots that the caller has claimed and is to start. */
  start: readonly OpenSlot[]
  /** Runs to cancel, also such as somebody should have cancelled and did not live to. */
  cancel: readonly string[]
  /** Whether more slots are due. */
  more: boolean
}

/** The state of a hunt while it is changed; the changes of the ledger are noted beside it. */
export interface HuntDraft {
  readonly state: HuntState
  runId(open: Pick<OpenSlot, 'slot' | 'run'>): string
  skip(slot: number, window: SlotWindow, reason: SkipReason): void
  wait(open: OpenSlot, note: string | null): void
  /** The slot's run is about to start; its line names the run from now on. */
  begin(open: OpenSlot): void
  claim(open: OpenSlot, now: number): void
  settle(open: OpenSlot, status: SlotEntry['status'], reason: string | null, outcome: RunStatus): void
  /** A retry by hand has made the latest run of an incomplete window complete. */
  complete(known: IncompleteSlot): void
  /** The slot could not be started. */
  fail(open: OpenSlot, reason: string): void
  /** A later slot takes its place. */
  replace(open: OpenSlot): void
  /** Its window is fetched again when there is a slot newer than `triedAt`; only for windows that ask for it. */
  rememberIncomplete(open: Pick<OpenSlot, 'slot' | 'window'>, runs: number, triedAt: number): void
  step(more: boolean): HuntStep
}

/** Older windows are not fetched again when a hunt has more than these that are not complete. */
const mostIncomplete = 1_000

export function createHuntDraft(name: string, before: HuntState): HuntDraft {
  const state = structuredClone(before)
  const entries = new Map<number, SlotEntry>()
  const settled = new Set<number>()
  const start: OpenSlot[] = []
  const runId = (open: Pick<OpenSlot, 'slot' | 'run'>) => runIdOfSlot(name, open)
  const write = (slot: number, window: SlotWindow, entry: Omit<SlotEntry, 'slot' | 'window'>): void => {
    entries.set(slot, { slot: new Date(slot).toISOString(), ...entry, window: runWindowOf(window) })
  }
  const close = (open: OpenSlot): void => {
    state.open = state.open.filter(({ slot }) => slot !== open.slot)
    settled.add(open.slot)
  }
  return {
    state,
    runId,
    skip(slot, window, reason) {
      write(slot, window, { status: 'skipped', reason, runId: null, outcome: null, runs: 0 })
      settled.add(slot)
    },
    wait(open, note) {
      open.note = note
      state.open.push(open)
      write(open.slot, open.window, { status: 'waiting', reason: note, runId: null, outcome: null, runs: 0 })
    },
    begin(open) {
      open.phase = 'starting'
      const { note: reason, run: runs } = open
      write(open.slot, open.window, { status: 'ran', reason, runId: runId(open), outcome: null, runs })
    },
    claim(open, now) {
      open.tries += 1
      open.claimedAt = now
      start.push({ ...open })
    },
    settle(open, status, reason, outcome) {
      write(open.slot, open.window, { status, reason, runId: runId(open), outcome, runs: open.run })
      close(open)
    },
    complete({ slot, window, runs }) {
      const runId = runIdOfSlot(name, { slot, run: runs })
      write(slot, window, { status: 'ran', reason: 'retried', runId, outcome: 'complete', runs })
      settled.add(slot)
      state.incomplete = state.incomplete.filter((other) => other.slot !== slot)
    },
    fail(open, reason) {
      write(open.slot, open.window, {
        status: 'failed',
        reason,
        runId: null,
        outcome: 'failed',
        runs: open.run - 1,
      })
      close(open)
      this.rememberIncomplete(open, open.run - 1, state.cursor)
    },
    replace(open) {
      if (open.phase === 'waiting') {
        this.skip(open.slot, open.window, 'replaced')
        close(open)
        this.rememberIncomplete(open, open.run - 1, state.cursor)
        return
      }
      // Its run may be starting just now; it is cancelled as soon as it is there.
      open.replaced = true
    },
    rememberIncomplete({ slot, window }, runs, triedAt) {
      if (state.schedule.window.kind !== 'since_last_complete') return
      const others = state.incomplete.filter((known) => known.slot !== slot)
      state.incomplete = [...others, { slot, window, runs, triedAt }]
        .sort((a, b) => a.slot - b.slot)
        .slice(-mostIncomplete)
    },
    step: (more) => ({
      state,
      entries: [...entries.values()],
      settled: [...settled].flatMap((slot) => entries.get(slot) ?? []),
      start,
      cancel: state.open.filter(({ replaced, phase }) => replaced && phase === 'running').map(runId),
      more,
    }),
  }
}
