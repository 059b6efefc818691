import { Moment, utcSeconds } from './moment.ts'
import { type Coercion, reject, showValue } from './rejection.ts'
import { compileTimeReader, type TimeOptions } from './time-reader.ts'
import { compileTimeZone } from './time-zone.ts'

/**
 * Microseconds since 1970-01-01T00:00:00Z, for TIMESTAMP and TIMESTAMPTZ alike. A time without an offset is in the
 * column's `timezone`, else UTC; a date alone is its midnight there. Years 0001 to 9999. Blank text is null.
 */
export function timestampCoercion({ format, timezone }: TimeOptions): Coercion {
  const read = compileTimeReader(format, 'date')
  const toUtc = compileTimeZone(timezone)
  const moment = new Moment()
  return (value) => {
    const outcome = read(value, moment)
    if (outcome === null) return null
    if (outcome !== true) return reject(outcome)
    if (!moment.hasDate) return reject(`${showValue(value)} is a time without a date`)
    const seconds = utcSeconds(moment, toUtc)
    if (typeof seconds === 'string') return reject(`${showValue(value)} ${seconds}`)
    const micros = seconds * 1_000_000 + moment.micros
    // Numbers are exact up to the year 2255 and cost less.
    return Number.isSafeInteger(micros)
      ? BigInt(micros)
      : BigInt(seconds) * 1_000_000n + BigInt(moment.micros)
  }
}
