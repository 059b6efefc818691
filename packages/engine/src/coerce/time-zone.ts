import { RunError } from '@huntfleet/contract'
import { daysSinceEpoch, secondsPerDay } from './calendar.ts'

/** From seconds of a wall clock (counted from its 1970-01-01T00:00:00) to UTC; NaN for a time that the clock skipped. */
export type ToUtc = (localSeconds: number) => number

const offsetPattern = /^([+-])(\d{2})(?::?(\d{2}))?$/

/** Seconds east of UTC of `+05:30`, `+0530`, `-08`, `Z`, `UTC` or `GMT`; undefined for any other text. */
export function parseOffset(text: string): number | undefined {
  if (/^(?:Z|UTC|GMT)$/i.test(text)) return 0
  const match = offsetPattern.exec(text)
  if (match === null) return undefined
  const hours = Number(match[2])
  const minutes = Number(match[3] ?? 0)
  if (hours > 23 || minutes > 59) return undefined
  const seconds = hours * 3600 + minutes * 60
  return match[1] === '-' ? -seconds : seconds
}

/**
 * The rule of a column's time zone: null is UTC, otherwise a fixed offset or an IANA name. A time that comes twice
 * (clocks put back) is the earlier one; one that never comes is NaN. Throws `RunError` CONTRACT_INVALID for no zone.
 */
export function compileTimeZone(zone: string | null): ToUtc {
  const fixed = zone === null ? 0 : parseOffset(zone)
  if (fixed !== undefined) return (local) => local - fixed
  const offsetAt = offsetsOf(zone ?? 'UTC')
  return (local) => {
    // No zone changes its offset twice in two days, so that one of these two holds, or the time does not exist.
    const before = local - offsetAt(local - secondsPerDay)
    const after = local - offsetAt(local + secondsPerDay)
    const first = Math.min(before, after)
    if (offsetAt(first) === local - first) return first
    const second = Math.max(before, after)
    return offsetAt(second) === local - second ? second : Number.NaN
  }
}

/** Since 1973 every change of an offset fell on a quarter of an hour of UTC. */
const quarterHour = 900
const quartersSince = 94_694_400
/** A page of rows spans few quarters; a table that spans more starts over. */
const cachedQuarters = 10_000

/** Seconds east of UTC in an IANA zone, by UTC second. */
function offsetsOf(zone: string): (utcSeconds: number) => number {
  const format = openFormat(zone)
  const cache = new Map<number, number>()
  return (utc) => {
    if (utc < quartersSince) return offsetBy(format, utc)
    const quarter = Math.floor(utc / quarterHour)
    const known = cache.get(quarter)
    if (known !== undefined) return known
    if (cache.size >= cachedQuarters) cache.clear()
    const offset = offsetBy(format, utc)
    cache.set(quarter, offset)
    return offset
  }
}

function openFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    throw new RunError(
      'CONTRACT_INVALID',
      `there is no time zone ${JSON.stringify(zone)}`,
      { hint: 'use an IANA name such as Europe/Berlin, an offset such as +05:30, or UTC' },
      error,
    )
  }
}

function offsetBy(format: Intl.DateTimeFormat, utc: number): number {
  const fields: Record<string, number> = {}
  let before = false
  for (const { type, value } of format.formatToParts(utc * 1000)) {
    if (type === 'era') before = value.startsWith('B')
    else fields[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
  const days = daysSinceEpoch(before ? 1 - year : year, month, day)
  return days * secondsPerDay + hour * 3600 + minute * 60 + second - utc
}
