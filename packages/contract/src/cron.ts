import { didYouMean } from './did-you-mean.ts'
import { nextFire } from './fire-times.ts'

/**
 * Which texts are cron patterns. Libraries are lenient (an empty text is "every minute", `H` another time on every
 * machine), and a hunt that runs at another time than its author thinks misses what it hunts for.
 */

export type ParsedCron =
  | { readonly ok: true; readonly cron: string }
  /** `meant` is a valid pattern that may have been meant. */
  | { readonly ok: false; readonly reason: string; readonly meant: string }

interface Field {
  name: string
  min: number
  max: number
  words: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Field[] = [
  { name: 'second', min: 0, max: 59, words: [] },
  { name: 'minute', min: 0, max: 59, words: [] },
  { name: 'hour', min: 0, max: 23, words: [] },
  { name: 'day of month', min: 1, max: 31, words: [] },
  { name: 'month', min: 1, max: 12, words: months },
  { name: 'day of week', min: 0, max: 7, words: days },
]

const everyHour = '0 * * * *'
const named: Readonly<Record<string, string>> = {
  '@hourly': everyHour,
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}
/** What other programs, and people, call them. */
const otherNames: Readonly<Record<string, string>> = {
  '@midnight': '@daily',
  '@annually': '@yearly',
  '@minutely': '* * * * *',
  '@every': '@hourly',
}

/** The forms as an error message lists them. */
const cronForms = `5 fields (minute hour day month weekday), 6 with seconds first, or ${Object.keys(named).join(', ')}`

/** Reads a pattern; names such as `@hourly` become fields. */
export function parseCron(text: string): ParsedCron {
  const trimmed = text.trim().toLowerCase()
  const byName = named[trimmed]
  if (byName !== undefined) return { ok: true, cron: byName }
  const parts = trimmed === '' ? [] : trimmed.split(/\s+/)
  const wrong = wrongFields(parts)
  if (wrong !== null) return { ok: false, reason: wrong, meant: meantBy(trimmed, parts) }
  const cron = parts.join(' ')
  if (nextFire({ cron, timezone: 'UTC' }, 0) !== null) return { ok: true, cron }
  // The last day that every month has.
  const meant = parts.with(-3, '28').join(' ')
  return { ok: false, reason: 'never fires: no month has such a day', meant }
}

/** What is wrong with the fields; null: nothing. */
function wrongFields(parts: readonly string[]): string | null {
  const first = parts[0]
  if (first === undefined) return `is empty; write ${cronForms}`
  if (first.startsWith('@')) return `is not a name that is known here; write ${cronForms}`
  if (parts.length !== 5 && parts.length !== 6)
    return `has ${parts.length} field${parts.length === 1 ? '' : 's'}; write ${cronForms}`
  const kinds = fields.slice(fields.length - parts.length)
  for (const [index, field] of kinds.entries()) {
    const wrong = wrongField(parts[index] ?? '', field)
    if (wrong !== null) return wrong
  }
  return null
}

function wrongField(part: string, field: Field): string | null {
  for (const item of part.split(',')) {
    const wrong = wrongItem(item, field)
    if (wrong !== null) return `${field.name} ${wrong}`
  }
  return null
}

function wrongItem(item: string, field: Field): string | null {
  const match = /^(?:\*|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d{1,4}))?$/.exec(item)
  const shown = JSON.stringify(item)
  if (match === null) return `${shown} is not *, a value, a range or a step (*/5)`
  const [, from, to, step] = match
  for (const word of [from, to]) {
    if (word === undefined || numberOf(word, field) !== null) continue
    const words = field.words.length > 0 ? ` or ${field.words.join(', ')}` : ''
    return `${JSON.stringify(word)} is not ${field.min} to ${field.max}${words}`
  }
  if (from !== undefined && to !== undefined && (numberOf(from, field) ?? 0) > (numberOf(to, field) ?? 0))
    return `range ${shown} runs backwards`
  if (step === undefined) return null
  if (from !== undefined && to === undefined) return `${shown} has a step without a range`
  return Number(step) < 1 || Number(step) > field.max ? `step ${shown} is not 1 to ${field.max}` : null
}

function numberOf(word: string, field: Field): number | null {
  const at = field.words.indexOf(word)
  if (at >= 0) return at + field.min
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN
  return value >= field.min && value <= field.max ? value : null
}

/** A valid pattern near the text. */
function meantBy(text: string, parts: readonly string[]): string {
  const [first = ''] = parts
  const names = [...Object.keys(named), ...Object.keys(otherNames)]
  const guess = otherNames[first] ?? didYouMean(text.startsWith('@') ? first : `@${text}`, names)
  if (guess !== undefined) return named[otherNames[guess] ?? guess] ?? otherNames[guess] ?? everyHour
  if (text === '' || first.startsWith('@')) return everyHour
  const counted = countedFields(parts)
  const kinds = fields.slice(fields.length - counted.length)
  const repaired = counted.map((part, index) => repairedField(part, kinds[index]))
  return wrongFields(repaired) === null ? repaired.join(' ') : everyHour
}

/** Five or six fields: days without commas between them, none where others say every day, no year. */
function countedFields(parts: readonly string[]): string[] {
  const weekdays = parts.slice(4)
  if (weekdays.length > 1 && weekdays.every((part) => days.includes(part)))
    return [...parts.slice(0, 4), weekdays.join(',')]
  return parts.length < 5 ? [...parts, ...Array(5 - parts.length).fill('*')] : parts.slice(0, 6)
}

/** The part as it was probably meant; when nobody can tell, `*`, or 0 for what is smaller than days. */
function repairedField(part: string, field: Field | undefined): string {
  if (field === undefined || wrongField(part, field) === null) return part
  const guess = guessedField(part, field)
  if (wrongField(guess, field) === null) return guess
  return field.min === 0 && field.words.length === 0 && part !== '?' ? '0' : '*'
}

function guessedField(part: string, field: Field): string {
  if (/^h(?:\/|$)/.test(part)) return part.replace('h', part === 'h' ? String(field.min) : '*')
  if (part === 'l') return field.max === 31 ? '28' : '6'
  const range = /^([a-z0-9]+)-([a-z0-9]+)$/.exec(part)
  if (range !== null) return `${range[2]}-${range[1]}`
  const step = /^(\d+)\/(\d+)$/.exec(part)
  if (step !== null) return `${step[1]}-${field.max}/${step[2]}`
  // Whole names, and Quartz's `15W`, `5L` and `5#3`.
  const word = field.words.find((known) => part.startsWith(known))
  return word ?? part.replace(/(?:w|l|#\d)$/, '')
}
