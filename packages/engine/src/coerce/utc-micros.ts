import { daysInMonth, daysSinceEpoch, secondsPerDay } from './calendar.ts'

const shortest = '2026-02-03T04:05:06Z'.length
const longest = '2026-02-03T04:05:06.123456Z'.length
const hyphen = 0x2d
const colon = 0x3a

/** The number at the two digits from `position`; NaN when they are none. */
function twoDigits(bytes: Uint8Array, position: number): number {
  const tens = bytes[position]! - 0x30
  const ones = bytes[position + 1]! - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/**
 * Microseconds since 1970-01-01T00:00:00Z of a time in the spelling that most sources use, `2026-02-03T04:05:06.789Z`
 * with up to six digits behind the point, when that is a safe integer; NaN for any other text, which may be a time all
 * the same. The text stands in UTF-8 between two places.
 */
export function utcMicros(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  if (length < shortest || length > longest || bytes[end - 1] !== 0x5a) return Number.NaN
  if (bytes[start + 10] !== 0x54) return Number.NaN
  const seconds = daySeconds(bytes, start) + timeSeconds(bytes, start)
  const micros = seconds * 1_000_000 + fractionMicros(bytes, start + shortest - 1, end - 1)
  return Number.isSafeInteger(micros) ? micros : Number.NaN
}

function daySeconds(bytes: Uint8Array, start: number): number {
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  const month = twoDigits(bytes, start + 5)
  const day = twoDigits(bytes, start + 8)
  if (bytes[start + 4] !== hyphen || bytes[start + 7] !== hyphen) return Number.NaN
  // Also when one of them is NaN.
  if (!(year >= 1 && day >= 1 && day <= daysInMonth(year, month))) return Number.NaN
  return daysSinceEpoch(year, month, day) * secondsPerDay
}

function timeSeconds(bytes: Uint8Array, start: number): number {
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  if (bytes[start + 13] !== colon || bytes[start + 16] !== colon) return Number.NaN
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  return hour * 3600 + minute * 60 + second
}

/** The digits between the point at `point` and `end`; 0 when the text has neither. */
function fractionMicros(bytes: Uint8Array, point: number, end: number): number {
  if (end === point) return 0
  if (bytes[point] !== 0x2e || end === point + 1) return Number.NaN
  let micros = 0
  let unit = 100_000
  for (let at = point + 1; at < end; at++) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    micros += digit * unit
    unit /= 10
  }
  return micros
}
