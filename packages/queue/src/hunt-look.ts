import type { FleetRedis } from './connection.ts'
import { advanceHunt, type HuntEnvironment } from './hunt-advance.ts'
import type { HuntState } from './hunt-state.ts'
import { readHunt } from './hunt-store.ts'
import { applySchedule } from './schedule-apply.ts'
import { dataEpoch, noteLook } from './schedule-outages.ts'

/** A worker's regular look at the hunts of its project file. */
export interface HuntLook {
  /** Advances one hunt; calls that come while it is under way share one more round. */
  advance(name: string): Promise<void>
  /** Looks at all hunts, and schedules them again if Redis has lost its data. */
  look(): Promise<void>
}

/**
 * Ticks say when to look at a hunt; this looks without being told, so that nothing is lost with a tick: slots that a
 * crash left half started, waiting ones whose turn it is, and schedules after Redis lost its data.
 */
export async function createHuntLook(environment: HuntEnvironment): Promise<HuntLook> {
  const { fleet, source, log } = environment
  const remembered = new Map<string, HuntState>()
  const running = new Map<string, Promise<void>>()
  const queued = new Map<string, Promise<void>>()
  let epoch = await dataEpoch(fleet)
  await restore(environment, new Map(), true)

  const advance = (name: string): Promise<void> => {
    const hunt = source.hunts.find((one) => one.name === name)
    if (hunt === undefined) return Promise.resolve()
    const under = running.get(name)
    if (under === undefined) {
      const work = advanceHunt(environment, hunt).finally(() => running.delete(name))
      running.set(name, work)
      return work
    }
    // One that came in the meantime may have been overlooked.
    const next =
      queued.get(name) ??
      under
        .catch(() => {})
        .then(() => {
          queued.delete(name)
          return advance(name)
        })
    queued.set(name, next)
    return next
  }

  return {
    advance,
    async look() {
      const now = await dataEpoch(fleet)
      if (now !== epoch) {
        log.warn('Redis has lost its data; the hunts are scheduled again', { hunts: source.hunts.length })
        await restore(environment, remembered, false)
        epoch = now
      }
      await noteLook(fleet)
      for (const { name } of source.hunts) {
        await advance(name).catch((error) => log.warn('hunt', { hunt: name, error: String(error) }))
        await remember(fleet, remembered, name)
      }
    },
  }
}

/** Schedules what is missing; at the start also what the project file has otherwise. Never removes: that is for `apply`. */
async function restore(
  { fleet, source, log }: HuntEnvironment,
  remembered: ReadonlyMap<string, HuntState>,
  change: boolean,
): Promise<void> {
  const { added, changed } = await applySchedule(fleet, source.hunts, { remove: false, change, remembered })
  if (added.length + changed.length > 0)
    log.info('hunts scheduled', { added, changed: changed.map(({ hunt }) => hunt) })
}

async function remember(fleet: FleetRedis, remembered: Map<string, HuntState>, name: string): Promise<void> {
  const { state } = await readHunt(fleet, name)
  if (state !== null) remembered.set(name, state)
}
