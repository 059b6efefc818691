import { Cron } from 'croner'

/** When a cron pattern fires. The only file that knows the library; all times are epoch milliseconds. */

export interface CronSchedule {
  /** Five or six fields, as `parseCron` gives them. */
  readonly cron: string
  /** IANA name of the zone whose wall clock the pattern speaks of. */
  readonly timezone: string
}

/**
 * The first fire time after `after`; null: there is none any more.
 * Where clocks are set forward, a time that does not exist fires when they are; where they are set back, a fixed time
 * fires once, the first time, and `*` hours and minutes fire in both passes.
 */
export function nextFire(schedule: CronSchedule, after: number): number | null {
  return firesBetween(schedule, after, Number.POSITIVE_INFINITY, 1)[0] ?? null
}

/** Fire times later than `after` and not later than `until`, oldest first, at most `limit`. */
export function firesBetween(
  { cron, timezone }: CronSchedule,
  after: number,
  until: number,
  limit: number,
): number[] {
  const pattern = new Cron(cron, { timezone, paused: true })
  const fires: number[] = []
  for (let last = after; fires.length < limit; ) {
    const next = pattern.nextRun(new Date(last))?.getTime() ?? null
    if (next === null || next > until) break
    fires.push(next)
    last = next
  }
  return fires
}

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
/** How far back to look, each time about as many fire times further. */
const lookBacks = [2, 10, 60, 600]
  .map((seconds) => seconds * second)
  .concat(2 * hour, 26 * hour, 8 * day, 32 * day, 370 * day, 3_000 * day)

/** The last fire time before `before`; null: there was none in eight years. Asked forward, so that both ways agree. */
export function previousFire(schedule: CronSchedule, before: number): number | null {
  for (const back of lookBacks) {
    const last = firesBetween(schedule, before - back, before - 1, Number.POSITIVE_INFINITY).at(-1)
    if (last !== undefined) return last
  }
  return null
}
