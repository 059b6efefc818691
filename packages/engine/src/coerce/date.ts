import { secondsPerDay } from './calendar.ts'
import { Moment, utcSeconds } from './moment.ts'
import { type Coercion, reject, showValue } from './rejection.ts'
import { compileTimeReader, type TimeOptions } from './time-reader.ts'
import { compileTimeZone } from './time-zone.ts'

/**
 * Days since 1970-01-01 of everything that a TIMESTAMP takes. A value that names an offset, or counts from the epoch, is
 * the day in UTC; any other is the day that it says. Blank text is null.
 */
export function dateCoercion({ format }: TimeOptions): Coercion {
  const read = compileTimeReader(format, 'date')
  const asWritten = compileTimeZone(null)
  const moment = new Moment()
  return (value) => {
    const outcome = read(value, moment)
    if (outcome === null) return null
    if (outcome !== true) return reject(outcome)
    if (!moment.hasDate) return reject(`${showValue(value)} is a time without a date`)
    const seconds = utcSeconds(moment, asWritten)
    return typeof seconds === 'number'
      ? Math.floor(seconds / secondsPerDay)
      : reject(`${showValue(value)} ${seconds}`)
  }
}
