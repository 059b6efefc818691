import {
  daysInMonth,
  daysSinceEpoch,
  firstSecond,
  isFirstOfMonth,
  lastSecond,
  secondsPerDay,
} from './calendar.ts'
import type { ToUtc } from './time-zone.ts'

/**
 * A date and time as they stand in a value, before any zone is applied. Readers fill it in place: one moment serves a
 * whole column.
 */
export class Moment {
  /** Days since 1970-01-01, in the offset below; 0 without a date. */
  days = 0
  /** Second of the day, 0 to 86,399. */
  second = 0
  /** Whether the text said second 60; `second` then stands for second 59. */
  leapSecond = false
  /** Microseconds of the second, 0 to 999,999. */
  micros = 0
  /** Seconds east of UTC; NaN when the value names no offset. */
  offset = Number.NaN
  hasDate = false
  hasTime = false

  clear(): void {
    this.days = 0
    this.second = 0
    this.leapSecond = false
    this.micros = 0
    this.offset = Number.NaN
    this.hasDate = false
    this.hasTime = false
  }

  /** False when there is no such day. */
  setDate(year: number, month: number, day: number): boolean {
    if (year < 1 || day < 1 || day > daysInMonth(year, month)) return false
    this.days = daysSinceEpoch(year, month, day)
    this.hasDate = true
    return true
  }

  /** False when there is no such time; second 60 exists in the last minute of a UTC day only, see `utcSeconds`. */
  setTime(hour: number, minute: number, second: number): boolean {
    if (hour > 23 || minute > 59 || second > 60) return false
    this.second = hour * 3600 + minute * 60 + Math.min(second, 59)
    this.leapSecond = second === 60
    this.hasTime = true
    return true
  }
}

/**
 * Seconds since 1970-01-01T00:00:00Z of a moment with a date, or the reason why there is no such time. `toUtc` is asked
 * when the moment has no offset. A leap second is the first second of the next day, as on every POSIX clock; it is
 * taken only at the end of a UTC month, where leap seconds are put.
 */
export function utcSeconds(moment: Moment, toUtc: ToUtc): number | string {
  const local = moment.days * secondsPerDay + moment.second
  let utc = Number.isNaN(moment.offset) ? toUtc(local) : local - moment.offset
  if (Number.isNaN(utc))
    return 'does not exist in the time zone of the column: clocks were put forward over it'
  if (moment.leapSecond) {
    utc += 1
    if (utc % secondsPerDay !== 0 || !isFirstOfMonth(utc / secondsPerDay))
      return 'has second 60 where there is no leap second'
  }
  return utc < firstSecond || utc > lastSecond ? 'is outside the years 0001 to 9999' : utc
}
