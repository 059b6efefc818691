/** The Gregorian calendar, also for the time before it was introduced, as ISO 8601 and Parquet have it. */

export const secondsPerDay = 86_400

/** First and last second of the years 1 to 9999, counted from 1970-01-01T00:00:00Z: what a timestamp may be. */
export const firstSecond = -62_135_596_800
export const lastSecond = 253_402_300_799

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** How many days a month (1 to 12) has; 0 for a month that is none. */
export function daysInMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return leap ? 29 : (monthDays[month - 1] ?? 0)
}

/** Days since 1970-01-01. After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  // Years start in March, so that the leap day is the last of its year.
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Whether a day, counted from 1970-01-01, is the first of its month. */
export function isFirstOfMonth(days: number): boolean {
  return new Date(days * secondsPerDay * 1000).getUTCDate() === 1
}
