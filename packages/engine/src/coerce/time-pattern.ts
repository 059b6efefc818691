import { RunError } from '@huntfleet/contract'
import { readFraction, type TimeFault } from './iso-text.ts'
import type { Moment } from './moment.ts'
import { type PatternField, type PatternToken, patternTokens } from './time-pattern-tokens.ts'
import { parseOffset } from './time-zone.ts'

/** Reads a text into a moment; null, or what is wrong. */
export type PatternReader = (text: string, moment: Moment) => TimeFault | null

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const numeric: ReadonlySet<string> = new Set([
  'year',
  'year2',
  'month',
  'day',
  'hour',
  'hour12',
  'minute',
  'second',
])

interface Fields {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** 0 for a.m., 12 for p.m., NaN when the text does not say. */
  halfDay: number
}

/**
 * Compiles the `format` of a column that is not an epoch unit, see `patternTokens` for the two notations. Month and day
 * names are English, upper or lower case, whole or their first three letters. Throws `RunError` CONTRACT_INVALID when
 * the pattern cannot be understood or lacks a part of what it is for: a date needs year, month and day, a time its hour.
 */
export function compileTimePattern(pattern: string, needs: 'date' | 'time'): PatternReader {
  const tokens = patternTokens(pattern)
  const fields = new Set(tokens.map((token) => ('field' in token ? token.field : '')))
  const hasDate =
    (fields.has('year') || fields.has('year2')) &&
    (fields.has('month') || fields.has('monthName')) &&
    fields.has('day')
  const hasTime = fields.has('hour') || (fields.has('hour12') && fields.has('halfDay'))
  if (needs === 'date' ? !hasDate : !hasTime) {
    throw new RunError('CONTRACT_INVALID', `format ${JSON.stringify(pattern)} names no whole ${needs}`, {
      hint:
        needs === 'date'
          ? 'it needs a year, a month and a day'
          : 'it needs an hour of 24, or one of 12 with AM/PM',
    })
  }
  const steps = tokens.map((token, index) => compileStep(token, tokens[index + 1]))

  return (text, moment) => {
    moment.clear()
    const read: Fields = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, halfDay: Number.NaN }
    let position = 0
    for (const step of steps) {
      position = step(text, position, read, moment)
      if (position < 0) return 'form'
    }
    if (position !== text.length) return 'form'
    if (hasDate && !moment.setDate(read.year, read.month, read.day)) return 'date'
    if (hasTime && !moment.setTime(hourOf(read), read.minute, read.second)) return 'time'
    return null
  }
}

/** Hour 0 to 23; a value that `setTime` refuses when a half day has no such hour. */
function hourOf({ hour, halfDay }: Fields): number {
  if (Number.isNaN(halfDay)) return hour
  return hour < 1 || hour > 12 ? 24 : (hour % 12) + halfDay
}

/** Reads its part of the text from `position`; returns where it ends, or -1. */
type Step = (text: string, position: number, fields: Fields, moment: Moment) => number

function compileStep(token: PatternToken, next: PatternToken | undefined): Step {
  if ('literal' in token) {
    const { literal } = token
    return (text, position) => (text.startsWith(literal, position) ? position + literal.length : -1)
  }
  const { field } = token
  if (numeric.has(field)) {
    // Digits that stand against the next number's are counted: yyyyMMdd.
    const joined = next !== undefined && 'field' in next && numeric.has(next.field)
    return numberStep(field, joined)
  }
  return wordSteps[field] ?? (() => -1)
}

function numberStep(field: PatternField, joined: boolean): Step {
  const most = field === 'year' ? 4 : 2
  const least = field === 'year' || field === 'year2' || joined ? most : 1
  return (text, position, fields) => {
    let end = position
    let value = 0
    for (; end < position + most; end++) {
      const digit = text.charCodeAt(end) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (end - position < least) return -1
    setField(fields, field, value)
    return end
  }
}

function setField(fields: Fields, field: PatternField, value: number): void {
  if (field === 'year') fields.year = value
  // POSIX: 69 to 99 are 1969 to 1999.
  else if (field === 'year2') fields.year = value + (value >= 69 ? 1900 : 2000)
  else if (field === 'month') fields.month = value
  else if (field === 'day') fields.day = value
  else if (field === 'hour' || field === 'hour12') fields.hour = value
  else if (field === 'minute') fields.minute = value
  else fields.second = value
}

const namePattern = /[a-z]{3,9}/iy
const halfDayPattern = /([ap])\.?m\.?/iy
const zonePattern = /Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?/iy
const blankPattern = /[ \t\u00a0\u202f]+/y

function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position
  return pattern.exec(text)?.[0]
}

/** Which of the names the text spells, or begins to spell with three letters or more; -1 for none. */
function indexOfName(names: readonly string[], text: string | undefined): number {
  return text === undefined ? -1 : names.findIndex((name) => name.startsWith(text.toLowerCase()))
}

const wordSteps: Readonly<Partial<Record<PatternField, Step>>> = {
  monthName(text, position, fields) {
    const name = matchAt(namePattern, text, position)
    const month = indexOfName(months, name) + 1
    if (name === undefined || month === 0) return -1
    fields.month = month
    return position + name.length
  },
  weekday(text, position) {
    const name = matchAt(namePattern, text, position)
    return name === undefined || indexOfName(weekdays, name) < 0 ? -1 : position + name.length
  },
  halfDay(text, position, fields) {
    const name = matchAt(halfDayPattern, text, position)
    if (name === undefined) return -1
    fields.halfDay = name.startsWith('p') || name.startsWith('P') ? 12 : 0
    return position + name.length
  },
  fraction(text, position, _fields, moment) {
    const end = readFraction(text, position, moment)
    return end === position ? -1 : end
  },
  zone(text, position, _fields, moment) {
    const zone = matchAt(zonePattern, text, position)
    const offset = zone === undefined ? undefined : parseOffset(zone)
    if (zone === undefined || offset === undefined) return -1
    moment.offset = offset
    return position + zone.length
  },
  blank(text, position) {
    const blanks = matchAt(blankPattern, text, position)
    return blanks === undefined ? -1 : position + blanks.length
  },
}
