import type { Instant } from './instant.ts'

/**
 * Times written by a pattern, always in UTC. The letters are those of Unicode Technical Standard 35 ("Date Field Symbol Table"),
 * the ones that Java, Elasticsearch and Kusto use, as far as they need no locale:
 * `yyyy yy MM M dd d DDD HH H mm m ss s S…(fraction) X XX XXX`, and text in single quotes (`''` is a quote).
 */

const tokenPattern = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/gy

type Writer = (date: Date, instant: Instant) => string

const two = (number: number) => String(number).padStart(2, '0')

function dayOfYear(date: Date): number {
  const newYear = new Date(date)
  newYear.setUTCMonth(0, 1)
  return Math.floor((date.getTime() - newYear.getTime()) / 86_400_000) + 1
}

const fields: Readonly<Record<string, Writer>> = {
  yyyy: (date) => String(date.getUTCFullYear()).padStart(4, '0'),
  yy: (date) => two(date.getUTCFullYear() % 100),
  MM: (date) => two(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  dd: (date) => two(date.getUTCDate()),
  d: (date) => String(date.getUTCDate()),
  DDD: (date) => String(dayOfYear(date)).padStart(3, '0'),
  HH: (date) => two(date.getUTCHours()),
  H: (date) => String(date.getUTCHours()),
  mm: (date) => two(date.getUTCMinutes()),
  m: (date) => String(date.getUTCMinutes()),
  ss: (date) => two(date.getUTCSeconds()),
  s: (date) => String(date.getUTCSeconds()),
  X: () => 'Z',
  XX: () => 'Z',
  XXX: () => 'Z',
}

/** The letters as an error message lists them. */
const datePatternLetters = `${Object.keys(fields).join(' ')} and S to SSSSSSSSS; other letters in single quotes`

/** A writer for the pattern, or what is wrong with it. */
export function compileDatePattern(
  pattern: string,
): { write: (instant: Instant) => string } | { wrong: string } {
  const writers: Writer[] = []
  for (const [token, quoted, letter] of pattern.matchAll(tokenPattern)) {
    const field = writerOf(token, quoted, letter)
    if (field === undefined) {
      return {
        wrong: `${JSON.stringify(token)} in date pattern ${JSON.stringify(pattern)}; valid: ${datePatternLetters}`,
      }
    }
    writers.push(field)
  }
  const write = (instant: Instant) => {
    const date = new Date(instant.seconds * 1_000)
    return writers.map((writer) => writer(date, instant)).join('')
  }
  return { write }
}

function writerOf(token: string, quoted: string | undefined, letter: string | undefined): Writer | undefined {
  if (token === "''") return () => "'"
  if (quoted !== undefined) return () => quoted.replaceAll("''", "'")
  if (letter === undefined) return token === "'" ? undefined : () => token
  if (letter === 'S' && token.length <= 9)
    return (_, instant) => instant.fraction.padEnd(9, '0').slice(0, token.length)
  return Object.hasOwn(fields, token) ? fields[token] : undefined
}
