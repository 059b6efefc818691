import { createHash } from 'node:crypto'
import { type Hunt, type RunStatus, runWindowOf, toRunError } from '@huntfleet/contract'
import { cancelRun } from './cancel-run.ts'
import type { FleetRedis } from './connection.ts'
import { changeHunt } from './hunt-change.ts'
import { createHuntDraft, type HuntStep } from './hunt-draft.ts'
import type { HuntSource } from './hunt-source.ts'
import { type HuntState, type OpenSlot, runIdOfSlot } from './hunt-state.ts'
import { type HuntEvents, stepHunt } from './hunt-step.ts'
import { redisNow } from './hunt-store.ts'
import { enqueueRun } from './producer.ts'
import type { QueueLog } from './queue-log.ts'
import { hasEnded } from './run-record.ts'
import { getRun } from './run-store.ts'
import { readOutages } from './schedule-outages.ts'
import type { SlotEntry } from './slot-entry.ts'

export interface HuntEnvironment {
  readonly fleet: FleetRedis
  readonly signingKey: string | null
  readonly source: HuntSource
  readonly log: QueueLog
}

/**
 * Records what is due of a hunt and starts the runs whose turn it is. Safe at any time, from any number of workers and
 * again after a crash anywhere: what is due is decided once, and starting a run twice starts it once.
 */
export async function advanceHunt(environment: HuntEnvironment, hunt: Hunt): Promise<void> {
  const { fleet, log } = environment
  for (let more = true; more; ) {
    const step = await takeStep(fleet, hunt.name, { claim: true, unstartable: null })
    if (step === null) return
    more = step.more
    for (const runId of step.cancel) {
      await cancelRun(fleet, runId).catch((error) =>
        log.warn('replaced run', { run: runId, error: String(error) }),
      )
    }
    await tell(environment, hunt, step.settled)
    for (const open of step.start) await startSlot(environment, hunt, open)
  }
}

/** Fails what is due of a hunt that no worker has in its project file. */
export async function failHunt({ fleet }: HuntEnvironment, name: string, reason: string): Promise<void> {
  for (let more = true; more; )
    more = (await takeStep(fleet, name, { claim: true, unstartable: reason }))?.more ?? false
}

/** Records what is due and leaves the runs to a worker; null: there is no such hunt, or nothing to do. */
async function takeStep(
  fleet: FleetRedis,
  name: string,
  caller: Pick<HuntEvents, 'claim' | 'unstartable'>,
): Promise<HuntStep | null> {
  const queueDown = await readOutages(fleet)
  return changeHunt(fleet, name, async (state, now) => {
    if (state === null) return null
    const ended = await endedRuns(fleet, name, state)
    const step = stepHunt(name, state, { now, ended, queueDown, ...caller })
    const isSame = JSON.stringify(step.state) === JSON.stringify(state)
    return isSame && step.cancel.length === 0 ? null : step
  })
}

async function endedRuns(fleet: FleetRedis, name: string, state: HuntState): Promise<HuntEvents['ended']> {
  const ended = new Map<string, { status: RunStatus; live: boolean }>()
  const running = state.open.filter(({ phase }) => phase === 'running')
  // Somebody may have retried the run of an incomplete window.
  const retried = state.incomplete.flatMap(({ slot, runs }) => (runs === 0 ? [] : [{ slot, run: runs }]))
  for (const one of [...running, ...retried]) {
    const runId = runIdOfSlot(name, one)
    const record = await getRun(fleet, runId)
    if (record === null) ended.set(runId, { status: 'lost', live: false })
    else if (hasEnded(record.status)) {
      const live = Object.values(record.tables).every(
        ({ entry }) => entry === null || entry.source === 'live',
      )
      ended.set(runId, { status: record.status, live })
    }
  }
  return ended
}

async function startSlot(environment: HuntEnvironment, hunt: Hunt, open: OpenSlot): Promise<void> {
  const { fleet, source, signingKey, log } = environment
  const runId = runIdOfSlot(hunt.name, open)
  const scheduledAt = new Date(open.slot).toISOString()
  try {
    const job = await source.prepare(hunt, { runId, scheduledAt, window: runWindowOf(open.window) })
    const delayMs = open.note === null ? await jitterOf(fleet, hunt, open) : 0
    await enqueueRun(fleet, job, signingKey, { delayMs })
  } catch (thrown) {
    const error = toRunError(thrown)
    // Redis is away or the like: whoever looks next starts the slot.
    if (error.kind !== 'config') throw thrown
    log.warn('slot failed', { hunt: hunt.name, slot: scheduledAt, error: error.message })
    const failed = await finishStart(fleet, hunt.name, open, `${error.code}: ${error.message}`)
    await tell(environment, hunt, failed?.settled ?? [])
    return
  }
  await finishStart(fleet, hunt.name, open, null)
  log.info('slot started', { hunt: hunt.name, slot: scheduledAt, run: runId })
}

/** Notes that a slot's run is queued, or why it could not be. */
function finishStart(
  fleet: FleetRedis,
  name: string,
  { slot, run }: OpenSlot,
  failure: string | null,
): Promise<HuntStep | null> {
  return changeHunt(fleet, name, (state) => {
    if (state === null) return null
    const draft = createHuntDraft(name, state)
    const open = draft.state.open.find((one) => one.slot === slot && one.run === run)
    if (open?.phase !== 'starting') return null
    if (failure === null) open.phase = 'running'
    else draft.fail(open, failure)
    return draft.step(false)
  })
}

/** How much later the run of a slot starts: the same for everyone, and another moment for each hunt. */
async function jitterOf(fleet: FleetRedis, { name, schedule }: Hunt, { slot }: OpenSlot): Promise<number> {
  if (schedule.jitterMs === 0) return 0
  const hash = createHash('sha256').update(`${name}\n${slot}`).digest().readUInt32BE(0)
  const due = slot + Math.floor((hash / 2 ** 32) * schedule.jitterMs)
  return Math.max(0, due - (await redisNow(fleet)))
}

async function tell(
  { source, fleet }: HuntEnvironment,
  hunt: Hunt,
  settled: readonly SlotEntry[],
): Promise<void> {
  for (const entry of settled) {
    const runId = hunt.notify === null ? null : entry.runId
    source.settled(hunt, entry, runId === null ? null : await getRun(fleet, runId))
  }
}
