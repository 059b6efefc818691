import { daysInMonth, daysSinceEpoch, secondsPerDay } from './calendar.ts'

const shortest = '2026-02-03T04:05:06Z'.length
const longest = '2026-02-03T04:05:06.123456Z'.length
const hyphen = 0x2d
const colon = 0x3a

/** The number at the two digits from `position`; NaN when they are none. */
function twoDigits(text: string, position: number): number {
  const tens = text.charCodeAt(position) - 0x30
  const ones = text.charCodeAt(position + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/**
 * Microseconds since 1970-01-01T00:00:00Z of a time in the spelling that most sources use, `2026-02-03T04:05:06.789Z`
 * with up to six digits behind the point, when that is a safe integer; NaN for any other text, which may be a time all
 * the same.
 */
export function utcMicros(text: string): number {
  const last = text.length - 1
  if (last < shortest - 1 || last >= longest || text.charCodeAt(last) !== 0x5a) return Number.NaN
  if (text.charCodeAt(10) !== 0x54) return Number.NaN
  const micros = daySeconds(text) * 1_000_000 + timeMicros(text) + fractionMicros(text, last)
  return Number.isSafeInteger(micros) ? micros : Number.NaN
}

function daySeconds(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return Number.NaN
  // Also when one of them is NaN.
  if (!(year >= 1 && day >= 1 && day <= daysInMonth(year, month))) return Number.NaN
  return daysSinceEpoch(year, month, day) * secondsPerDay
}

function timeMicros(text: string): number {
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  if (text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return Number.NaN
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  return (hour * 3600 + minute * 60 + second) * 1_000_000
}

/** The digits between the point and `end`; 0 when the text has neither. */
function fractionMicros(text: string, end: number): number {
  if (end === shortest - 1) return 0
  if (text.charCodeAt(19) !== 0x2e || end === 20) return Number.NaN
  let micros = 0
  let unit = 100_000
  for (let at = 20; at < end; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    micros += digit * unit
    unit /= 10
  }
  return micros
}
