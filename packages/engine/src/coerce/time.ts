import { secondsPerDay } from './calendar.ts'
import { Moment, utcSeconds } from './moment.ts'
import { type Coercion, reject, showValue } from './rejection.ts'
import { compileTimeReader, type TimeOptions } from './time-reader.ts'
import { compileTimeZone } from './time-zone.ts'

/**
 * Microseconds since midnight of a time alone or of everything that a TIMESTAMP takes. A value that names an offset, or
 * counts from the epoch, is the time of day in UTC; any other is the time that it says. Blank text is null.
 */
export function timeCoercion({ format }: TimeOptions): Coercion {
  const read = compileTimeReader(format, 'time')
  const asWritten = compileTimeZone(null)
  const moment = new Moment()
  return (value) => {
    const outcome = read(value, moment)
    if (outcome === null) return null
    if (outcome !== true) return reject(outcome)
    if (!moment.hasTime) return reject(`${showValue(value)} is a date without a time`)
    const seconds = utcSeconds(moment, asWritten)
    if (typeof seconds === 'string') return reject(`${showValue(value)} ${seconds}`)
    const second = seconds - Math.floor(seconds / secondsPerDay) * secondsPerDay
    return BigInt(second * 1_000_000 + moment.micros)
  }
}
