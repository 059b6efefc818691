import type { Hunt } from '@huntfleet/contract'
import type { Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'
import { changeHunt } from './hunt-change.ts'
import { type HuntState, newHuntState } from './hunt-state.ts'
import { stepHunt } from './hunt-step.ts'
import { readHunt, scheduledHunts } from './hunt-store.ts'
import { openQueue } from './open-queue.ts'
import { tickQueue } from './queue-names.ts'
import { readOutages } from './schedule-outages.ts'
import type { SlotEntry } from './slot-entry.ts'
import { tickOptions, wakeHunt } from './tick-job.ts'

export interface ScheduleChanges {
  added: string[]
  /** With the names of what changed. */
  changed: { hunt: string; fields: string[] }[]
  removed: string[]
  unchanged: string[]
}

export interface ApplyOptions {
  /** Only say what would change. */
  dryRun?: boolean
  /** Whether hunts that are scheduled otherwise are changed; default true. */
  change?: boolean
  /** Whether hunts that are not among the given ones are removed; default true. */
  remove?: boolean
  /** What is remembered of hunts that Redis may have lost. */
  remembered?: ReadonlyMap<string, HuntState>
}

/**
 * Makes the schedules in Redis equal to the given hunts. What is due under the old schedule is recorded first, and a
 * scheduler that is as it should be is left alone: writing it again would delete its overdue tick (measured).
 */
export async function applySchedule(
  fleet: FleetRedis,
  hunts: readonly Hunt[],
  { dryRun = false, change = true, remove = true, remembered = new Map() }: ApplyOptions = {},
): Promise<ScheduleChanges> {
  const changes: ScheduleChanges = { added: [], changed: [], removed: [], unchanged: [] }
  const queue = openQueue(fleet, tickQueue)
  const writer = dryRun ? null : { fleet, queue, remembered }
  try {
    for (const hunt of hunts) await applyHunt(fleet, hunt, change, writer, changes)
    const kept = new Set(hunts.map(({ name }) => name))
    const strangers = remove ? await strangersTo(fleet, queue, kept) : []
    for (const name of strangers) {
      changes.removed.push(name)
      if (!dryRun) await unschedule(fleet, queue, name)
    }
    return changes
  } finally {
    await queue.close()
  }
}

interface ScheduleWriter {
  fleet: FleetRedis
  queue: Queue
  remembered: ReadonlyMap<string, HuntState>
}

/** Schedules one hunt; a writer of null only notes what would change. */
async function applyHunt(
  fleet: FleetRedis,
  hunt: Hunt,
  change: boolean,
  writer: ScheduleWriter | null,
  changes: ScheduleChanges,
): Promise<void> {
  const { state } = await readHunt(fleet, hunt.name)
  const fields = state === null ? [] : differences(state, hunt)
  const isSame = state !== null && (fields.length === 0 || !change)
  if (isSame) changes.unchanged.push(hunt.name)
  else if (state === null) changes.added.push(hunt.name)
  else changes.changed.push({ hunt: hunt.name, fields })
  if (writer === null) return
  const wanted = isSame ? state : await reschedule(fleet, hunt, writer.remembered.get(hunt.name) ?? null)
  if (wanted !== null) await syncScheduler(fleet, writer.queue, hunt.name, wanted)
}

/** What of a hunt is not as its state has it. */
function differences(state: HuntState, hunt: Hunt): string[] {
  const schedule = Object.entries(hunt.schedule).filter(
    ([field, value]) =>
      JSON.stringify(value) !==
      JSON.stringify(Object.entries(state.schedule).find(([name]) => name === field)?.[1]),
  )
  const fields = schedule.map(([field]) => field)
  if (state.strategy !== hunt.strategy) fields.push('strategy')
  else if (state.digest !== hunt.digest) fields.push('params')
  return fields
}

async function reschedule(
  fleet: FleetRedis,
  hunt: Hunt,
  remembered: HuntState | null,
): Promise<HuntState | null> {
  const queueDown = await readOutages(fleet)
  const changed = await changeHunt(fleet, hunt.name, (state, now) => {
    if (state === null) {
      const fresh =
        remembered === null
          ? newHuntState(hunt, now)
          : { ...remembered, enabledAt: remembered.cursor, patternSince: remembered.cursor }
      return { state: fresh, entries: [] }
    }
    if (differences(state, hunt).length === 0) return null
    const recorded = recordDue(hunt.name, state, now, queueDown)
    return { ...recorded, state: switched(recorded.state, hunt, now) }
  })
  return changed?.state ?? (await readHunt(fleet, hunt.name)).state
}

/** Records what is due under the schedule as it was; the runs are left to a worker. */
function recordDue(
  name: string,
  before: HuntState,
  now: number,
  queueDown: (at: number) => boolean,
): { state: HuntState; entries: SlotEntry[] } {
  const entries = new Map<string, SlotEntry>()
  const events = { now, ended: new Map(), queueDown, claim: false, unstartable: null }
  let state = before
  for (let more = true; more; ) {
    const step = stepHunt(name, state, events)
    state = step.state
    more = step.more
    for (const entry of step.entries) entries.set(entry.slot, entry)
  }
  return { state, entries: [...entries.values()] }
}

/** The state under another schedule. A new pattern counts from now on; windows go on where they ended. */
function switched(state: HuntState, { schedule, strategy, digest }: Hunt, now: number): HuntState {
  const before = state.schedule
  const enabled = schedule.enabled && !before.enabled
  const pattern = schedule.cron !== before.cron || schedule.timezone !== before.timezone
  return {
    ...state,
    schedule,
    strategy,
    digest,
    ...((enabled || pattern) && { cursor: now, patternSince: now }),
    ...(enabled && { enabledAt: now }),
  }
}

async function syncScheduler(
  fleet: FleetRedis,
  queue: Queue,
  name: string,
  { schedule }: HuntState,
): Promise<void> {
  const present = await queue.getJobScheduler(name)
  if (!schedule.enabled) {
    if (present !== undefined) await queue.removeJobScheduler(name)
    return
  }
  if (present?.pattern === schedule.cron && present.tz === schedule.timezone) return
  const repeat = { pattern: schedule.cron, tz: schedule.timezone }
  await queue.upsertJobScheduler(name, repeat, { name, data: { hunt: name }, opts: tickOptions })
  if (present !== undefined) await wakeHunt(fleet, name)
}

/** Hunts in Redis that are not among the kept ones, with state or with a scheduler only. */
async function strangersTo(fleet: FleetRedis, queue: Queue, kept: ReadonlySet<string>): Promise<string[]> {
  const schedulers = await queue.getJobSchedulers(0, -1)
  const names = new Set([...(await scheduledHunts(fleet)), ...schedulers.map(({ key }) => key)])
  return [...names].filter((name) => !kept.has(name)).sort()
}

async function unschedule(fleet: FleetRedis, queue: Queue, name: string): Promise<void> {
  await queue.removeJobScheduler(name)
  const queueDown = await readOutages(fleet)
  await changeHunt(fleet, name, (state, now) => {
    if (state === null) return null
    // The lines first, the end second: the end writes none.
    const { state: due, entries } = recordDue(name, state, now, queueDown)
    return entries.length > 0 ? { state: due, entries } : null
  })
  await changeHunt(fleet, name, (state) => (state === null ? null : { state: null, entries: [] }))
}
