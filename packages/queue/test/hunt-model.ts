import type { HuntSchedule, RunStatus } from '@huntfleet/contract'
import { createHuntDraft, type HuntStep } from '../src/hunt-draft.ts'
import { type HuntState, type OpenSlot, runIdOfSlot } from '../src/hunt-state.ts'
import { type HuntEvents, stepHunt } from '../src/hunt-step.ts'
import type { SlotEntry } from '../src/slot-entry.ts'

export const minute = 60_000
export const hour = 60 * minute
/** A whole hour, so that hourly slots are multiples of an hour after it. */
export const start = Date.parse('2026-11-30T12:00:00Z')

export function scheduleOf(more: Partial<HuntSchedule> = {}): HuntSchedule {
  return {
    cron: '0 * * * *',
    timezone: 'UTC',
    window: { kind: 'none' },
    lagMs: 0,
    overlap: 'skip',
    catchUp: 'last',
    jitterMs: 0,
    enabled: true,
    ...more,
  }
}

/** One hunt with its ledger and its runs, without Redis: what the queue does around `stepHunt`. */
export class HuntModel {
  state: HuntState
  now = start
  readonly ledger = new Map<string, SlotEntry>()
  /** Every start of a run: id, slot and window, in order. */
  readonly starts: { runId: string; slot: number; window: OpenSlot['window'] }[] = []
  readonly active = new Set<string>()
  readonly cancelled: string[] = []
  /** How each run ended. */
  readonly ends = new Map<string, { status: RunStatus; live: boolean }>()
  #down: [number, number] | null = null

  constructor(schedule: HuntSchedule) {
    this.state = {
      schedule,
      strategy: 'dns',
      digest: 'd',
      enabledAt: start,
      patternSince: start,
      cursor: start,
      windowEnd: null,
      paused: false,
      open: [],
      incomplete: [],
    }
  }

  /** Time passes and a worker looks. `crash`: it dies between its decision and the start of the runs. */
  look(passed = 0, crash = false, events: Partial<HuntEvents> = {}): void {
    this.now += passed
    for (let more = true; more; ) {
      const step = stepHunt('dns', this.state, {
        now: this.now,
        ended: this.ends,
        queueDown: (at) => this.#down !== null && at > this.#down[0] && at <= this.#down[1],
        claim: true,
        unstartable: null,
        ...events,
      })
      more = step.more
      this.#keep(step)
      if (!crash) for (const open of step.start) this.#start(open)
    }
  }

  /** Nobody looks for so long, and Redis knows. */
  down(ms: number): void {
    this.#down = [this.now, this.now + ms]
    this.now += ms
  }

  end(runId: string, status: RunStatus, live = true): void {
    this.active.delete(runId)
    this.ends.set(runId, { status, live })
  }

  lines(): string[] {
    return [...this.ledger.values()]
      .sort((a, b) => a.slot.localeCompare(b.slot))
      .map(({ slot, status, reason, outcome }) =>
        [slot.slice(11, 16), status, reason, outcome].filter((word) => word !== null).join(' '),
      )
  }

  #keep(step: HuntStep): void {
    this.state = step.state
    for (const entry of step.entries) this.ledger.set(entry.slot, entry)
    for (const runId of step.cancel) {
      this.cancelled.push(runId)
      this.end(runId, 'cancelled')
    }
  }

  #start(open: OpenSlot): void {
    const runId = runIdOfSlot('dns', open)
    const isNew = !this.active.has(runId) && !this.ends.has(runId)
    if (isNew) {
      this.starts.push({ runId, slot: open.slot, window: open.window })
      this.active.add(runId)
    }
    const draft = createHuntDraft('dns', this.state)
    const mine = draft.state.open.find((one) => one.slot === open.slot && one.run === open.run)
    if (mine !== undefined) mine.phase = 'running'
    this.#keep(draft.step(false))
  }
}
