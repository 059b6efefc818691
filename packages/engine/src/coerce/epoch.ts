import { firstSecond, lastSecond, secondsPerDay } from './calendar.ts'
import type { Moment } from './moment.ts'
import { type DecimalNumber, parseNumber, plainInteger } from './number-text.ts'

/** Units in which sources count time since 1970-01-01T00:00:00Z, as decimal places of a second. */
const epochUnits = { s: 0, ms: 3, us: 6, ns: 9 } as const
export type EpochUnit = keyof typeof epochUnits

export function isEpochUnit(text: string): text is EpochUnit {
  return Object.hasOwn(epochUnits, text)
}

/** Why a number is no time. */
export type EpochFault = 'form' | 'small' | 'range'

/**
 * Reads a number since the epoch into `moment`, cut down to whole microseconds. Without a unit its size tells it
 * (SPEC section 9): 1e8 to 1e11 are seconds, to 1e14 milliseconds, to 1e17 microseconds, larger ones nanoseconds;
 * a number below 1e8 could be any of them and is `small`. Returns null, or what is wrong.
 */
export function readEpoch(text: string, unit: EpochUnit | null, moment: Moment): EpochFault | null {
  moment.clear()
  const short = plainInteger(text)
  if (!Number.isNaN(short)) {
    const places = unit === null ? placesOf(Math.abs(short)) : epochUnits[unit]
    if (places === undefined) return 'small'
    const perSecond = 10 ** places
    const seconds = Math.floor(short / perSecond)
    const rest = short - seconds * perSecond
    return setEpoch(moment, seconds, places <= 6 ? rest * 10 ** (6 - places) : Math.floor(rest / 1000))
  }
  const number = parseNumber(text)
  if (number === undefined) return 'form'
  const whole = number.digits.length + number.exponent
  const places = unit === null ? placesByDigits(number.digits === '' ? 0 : whole) : epochUnits[unit]
  if (places === undefined) return 'small'
  // Year 9999 has 12 digits of seconds; nothing longer is expanded.
  if (whole - places > 12) return 'range'
  const micros = floorAt(number, 6 - places)
  const seconds = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n)
  return setEpoch(moment, Number(seconds), Number(micros - seconds * 1_000_000n))
}

function placesOf(magnitude: number): number | undefined {
  if (magnitude < 1e8) return undefined
  return magnitude < 1e11 ? 0 : magnitude < 1e14 ? 3 : 6
}

function placesByDigits(digits: number): number | undefined {
  if (digits < 9) return undefined
  return digits < 12 ? 0 : digits < 15 ? 3 : digits < 18 ? 6 : 9
}

/** The largest whole count of 10^-`scale` that is not above the number. */
function floorAt({ digits, exponent, negative }: DecimalNumber, scale: number): bigint {
  const shift = exponent + scale
  const kept = Math.max(digits.length + shift, 0)
  const magnitude = BigInt(shift >= 0 ? digits + '0'.repeat(shift) : digits.slice(0, kept) || '0')
  if (!negative) return magnitude
  // Digits that are cut off are never all zeros.
  return shift < 0 && digits !== '' ? -magnitude - 1n : -magnitude
}

function setEpoch(moment: Moment, seconds: number, micros: number): EpochFault | null {
  if (seconds < firstSecond || seconds > lastSecond) return 'range'
  moment.days = Math.floor(seconds / secondsPerDay)
  moment.second = seconds - moment.days * secondsPerDay
  moment.micros = micros
  moment.offset = 0
  moment.hasDate = true
  moment.hasTime = true
  return null
}
