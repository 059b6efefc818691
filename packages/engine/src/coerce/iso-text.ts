import type { Moment } from './moment.ts'
import { parseOffset } from './time-zone.ts'

/** The number at the two digits from `position`; NaN when they are none. */
function twoDigits(text: string, position: number): number {
  const tens = text.charCodeAt(position) - 0x30
  const ones = text.charCodeAt(position + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

const hyphen = 0x2d
const colon = 0x3a

/** Why a text is no time: its form, or a day or time that does not exist. */
export type TimeFault = 'form' | 'date' | 'time'

/**
 * Reads RFC 3339 and its common relatives into `moment`: `2026-02-03T04:05:06.789Z`, a blank or `t` for the `T`, a comma
 * for the point, no seconds, no fraction, no zone, the offsets `+0530` and `+05`, `UTC` or `GMT`, a blank before them,
 * the date alone and the time alone. Fractions of any length are cut to microseconds. Returns null, or what is wrong.
 */
export function readIsoText(text: string, moment: Moment): TimeFault | null {
  moment.clear()
  let position = 0
  if (text.charCodeAt(4) === hyphen) {
    const fault = readDate(text, moment)
    if (fault !== null) return fault
    if (text.length === 10) return null
    const separator = text.charCodeAt(10)
    if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return 'form'
    position = 11
  }
  return readTime(text, position, moment)
}

function readDate(text: string, moment: Moment): TimeFault | null {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (Number.isNaN(year + month + day) || text.charCodeAt(7) !== hyphen) return 'form'
  return moment.setDate(year, month, day) ? null : 'date'
}

function readTime(text: string, start: number, moment: Moment): TimeFault | null {
  const hour = twoDigits(text, start)
  const minute = twoDigits(text, start + 3)
  if (Number.isNaN(hour + minute) || text.charCodeAt(start + 2) !== colon) return 'form'
  let position = start + 5
  let second = 0
  if (text.charCodeAt(position) === colon) {
    second = twoDigits(text, position + 1)
    if (Number.isNaN(second)) return 'form'
    position += 3
    const point = text.charCodeAt(position)
    if (point === 0x2e || point === 0x2c) {
      const end = readFraction(text, position + 1, moment)
      if (end === position + 1) return 'form'
      position = end
    }
  }
  if (!moment.setTime(hour, minute, second)) return 'time'
  return position === text.length || readZone(text, position, moment) ? null : 'form'
}

/** Reads digits as a fraction of a second, cut to microseconds; returns where they end. */
export function readFraction(text: string, start: number, moment: Moment): number {
  let position = start
  let micros = 0
  let unit = 100_000
  for (; position < text.length; position++) {
    const digit = text.charCodeAt(position) - 0x30
    if (digit < 0 || digit > 9) break
    micros += digit * unit
    // The seventh digit and all after it count nothing.
    unit = unit >= 1 ? Math.floor(unit / 10) : 0
  }
  moment.micros = micros
  return position
}

function readZone(text: string, start: number, moment: Moment): boolean {
  const character = text.charCodeAt(start)
  if (start === text.length - 1 && (character === 0x5a || character === 0x7a)) {
    moment.offset = 0
    return true
  }
  const zone = text.slice(start)
  // An offset is short; a long rest is no zone and is not copied again and again.
  const offset = zone.length <= 10 ? parseOffset(zone.trimStart()) : undefined
  if (offset === undefined) return false
  moment.offset = offset
  return true
}
