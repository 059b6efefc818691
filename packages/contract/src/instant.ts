import { durationForms, parseDuration } from './duration.ts'
import { plainNumber } from './plain-text.ts'

/** Points in time of parameters and filters: many spellings in, ISO 8601 UTC out. */

export interface Instant {
  /** Whole seconds since 1970-01-01T00:00:00Z, the earlier one for times between two. */
  seconds: number
  /** Digits behind the decimal point of the seconds, at most 9, as many as the input had. */
  fraction: string
}

/** The forms as an error message lists them. */
export const instantForms = `2026-01-31, 2026-01-31T12:00:00Z, an epoch number (s, ms, µs or ns), now, or relative to the run's scheduled time: - or + and ${durationForms}`

/** Years that ISO 8601 writes with four digits. */
const earliest = Date.parse('0001-01-01T00:00:00Z') / 1_000
const latest = Date.parse('9999-12-31T23:59:59Z') / 1_000

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i

/**
 * A time as ISO 8601 UTC; `undefined` when it is none.
 *
 * - ISO 8601 with any offset, `T` or a space, no zone (= UTC), date only. Fractions keep their digits (up to 9, more
 *   are refused): `…00Z` stays without, `…00.500Z` keeps three.
 * - Epoch numbers, unit by magnitude as for columns (SPEC section 9). A number beyond 2^53 was rounded before it came
 *   here and is refused; its digits as text are exact. Trailing zeros of the fraction are left out.
 * - `now` is `base`; `-7d`, `+90m` and `now-7d` are relative to it.
 */
export function parseInstant(value: string | number, base: Date): string | undefined {
  const text = typeof value === 'number' ? epochText(value) : value.trim()
  const instant = parseIsoInstant(text) ?? parseEpoch(text) ?? parseRelative(text, base)
  return instant === undefined || outOfRange(instant) ? undefined : formatInstant(instant)
}

/** Reads ISO 8601 only; `undefined` for anything else, and for days and hours that do not exist. */
export function parseIsoInstant(text: string): Instant | undefined {
  const match = isoPattern.exec(text.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0))
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year!, month! - 1, day!)
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day!) return undefined
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined
  date.setUTCHours(hour!, minute!, second!)
  const offset = offsetSeconds(match[8] ?? 'Z')
  if (offset === undefined) return undefined
  return { seconds: date.getTime() / 1_000 - offset, fraction: match[7] ?? '' }
}

/** `2026-01-31T12:00:00Z`, with a fraction when the instant has digits of one. */
export function formatInstant({ seconds, fraction }: Instant): string {
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19)
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`
}

/** Nanoseconds since 1970, for comparing and adding. */
export function instantNanos({ seconds, fraction }: Instant): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** The instant so many milliseconds later; `undefined` outside the years 1 to 9999. */
export function shiftInstant(instant: Instant, milliseconds: number): Instant | undefined {
  const nanos = instantNanos(instant) + BigInt(milliseconds) * 1_000_000n
  const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const digits = Math.max(instant.fraction.length, milliseconds % 1_000 === 0 ? 0 : 3)
  const seconds = Number((nanos - rest) / 1_000_000_000n)
  const shifted = { seconds, fraction: rest.toString().padStart(9, '0').slice(0, digits) }
  return outOfRange(shifted) ? undefined : shifted
}

function outOfRange({ seconds }: Instant): boolean {
  return seconds < earliest || seconds > latest
}

function offsetSeconds(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60)
}

function epochText(value: number): string {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? '' : plainNumber(value)
}

function parseEpoch(text: string): Instant | undefined {
  const match = /^0{0,20}(\d{1,19})(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) return undefined
  const digits = match[1] ?? ''
  // By magnitude: 1e8..1e11 are seconds, ..1e14 milliseconds, ..1e17 microseconds, above nanoseconds.
  if (digits.length < 9) return undefined
  const scale = digits.length <= 11 ? 0 : digits.length <= 14 ? 3 : digits.length <= 17 ? 6 : 9
  const point = digits.length - scale
  const fraction = (digits.slice(point) + (match[2] ?? '')).replace(/0+$/, '')
  return fraction.length > 9 ? undefined : { seconds: Number(digits.slice(0, point)), fraction }
}

function parseRelative(text: string, base: Date): Instant | undefined {
  const match = /^(now)?(?:([+-])(.{1,100}))?$/i.exec(text)
  if (match === null || text === '') return undefined
  const milliseconds = match[3] === undefined ? 0 : parseDuration(match[3])
  const start = parseIsoInstant(base.toISOString().replace('.000Z', 'Z'))
  if (milliseconds === undefined || start === undefined) return undefined
  return shiftInstant(start, match[2] === '-' ? -milliseconds : milliseconds)
}
