import { RunError } from '@huntfleet/contract'

/** What a part of a pattern stands for. `blank` is any number of blanks, but one at least. */
export type PatternField =
  | 'year'
  | 'year2'
  | 'month'
  | 'monthName'
  | 'day'
  | 'hour'
  | 'hour12'
  | 'halfDay'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'zone'
  | 'weekday'
  | 'blank'
export type PatternToken = { readonly field: PatternField } | { readonly literal: string }

/**
 * The two notations of a column's `format`.
 *
 * Letters, as in Java, Elasticsearch and Unicode TR 35 (`yyyy-MM-dd HH:mm:ss.SSS`): runs of one letter stand for a part,
 * text in single quotes and everything that is no letter for itself, as does a bare `T`.
 * Percent signs, as in C and Python's strptime and Splunk (`%d/%b/%Y:%H:%M:%S %z`); a pattern with a `%` is one of these.
 * Either way a number of one digit may lack its leading zero, and a blank stands for any number of them.
 */
const letters: Readonly<Record<string, PatternField>> = {
  yyyy: 'year',
  yy: 'year2',
  // Not the week-based year and the day of the year of TR 35: who writes these two means year and day.
  YYYY: 'year',
  DD: 'day',
  M: 'month',
  MM: 'month',
  MMM: 'monthName',
  MMMM: 'monthName',
  d: 'day',
  dd: 'day',
  E: 'weekday',
  EEE: 'weekday',
  EEEE: 'weekday',
  H: 'hour',
  HH: 'hour',
  h: 'hour12',
  hh: 'hour12',
  a: 'halfDay',
  m: 'minute',
  mm: 'minute',
  s: 'second',
  ss: 'second',
  X: 'zone',
  XX: 'zone',
  XXX: 'zone',
  x: 'zone',
  xx: 'zone',
  xxx: 'zone',
  Z: 'zone',
  ZZ: 'zone',
  ZZZ: 'zone',
  z: 'zone',
}

const percents: Readonly<Record<string, PatternField>> = {
  Y: 'year',
  y: 'year2',
  m: 'month',
  b: 'monthName',
  B: 'monthName',
  h: 'monthName',
  d: 'day',
  e: 'day',
  a: 'weekday',
  A: 'weekday',
  H: 'hour',
  k: 'hour',
  I: 'hour12',
  l: 'hour12',
  p: 'halfDay',
  M: 'minute',
  S: 'second',
  f: 'fraction',
  N: 'fraction',
  Q: 'fraction',
  z: 'zone',
  Z: 'zone',
}

/** Directives that stand for several others. */
const shorthands: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
}

/** A pattern as a list of parts. Throws `RunError` CONTRACT_INVALID, naming the first part that is not known. */
export function patternTokens(pattern: string): PatternToken[] {
  return pattern.includes('%') ? percentTokens(pattern) : letterTokens(pattern)
}

function unknownPart(pattern: string, part: string, known: readonly string[]): RunError {
  return new RunError(
    'CONTRACT_INVALID',
    `format ${JSON.stringify(pattern)}: ${JSON.stringify(part)} is not known`,
    {
      hint: `a format is s, ms, us, ns or made of ${known.join(', ')}`,
    },
  )
}

/** Plain text between the parts: blanks are a part of their own. */
function literalTokens(text: string): PatternToken[] {
  return text
    .split(/(\s+)/)
    .filter((part) => part !== '')
    .map((part) => (part.trim() === '' ? { field: 'blank' } : { literal: part }))
}

function letterTokens(pattern: string): PatternToken[] {
  const tokens: PatternToken[] = []
  for (const [part] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g)) {
    if (part === "''") tokens.push({ literal: "'" })
    else if (part.length > 1 && part.startsWith("'"))
      tokens.push(...literalTokens(part.slice(1, -1).replaceAll("''", "'")))
    else if (/^S+$/.test(part)) tokens.push({ field: 'fraction' })
    else if (part === 'T' || !/^[A-Za-z']/.test(part)) tokens.push(...literalTokens(part))
    else {
      const field = Object.hasOwn(letters, part) ? letters[part] : undefined
      if (field === undefined) throw unknownPart(pattern, part, [...Object.keys(letters), 'S…'])
      tokens.push({ field })
    }
  }
  return tokens
}

function percentTokens(pattern: string): PatternToken[] {
  const whole = pattern.replace(/%([FTRD])/g, (_, name: string) => shorthands[name] ?? '')
  const tokens: PatternToken[] = []
  // Splunk writes the number of digits of a fraction: %3N.
  for (const [part, name] of whole.matchAll(/%[-\d]?(.)|[^%]+|%/gsu)) {
    if (name === undefined && part !== '%') tokens.push(...literalTokens(part))
    else if (part === '%%') tokens.push({ literal: '%' })
    else {
      const field = name !== undefined && Object.hasOwn(percents, name) ? percents[name] : undefined
      if (field === undefined) {
        const known = [...Object.keys(percents), ...Object.keys(shorthands)]
        throw unknownPart(
          pattern,
          part,
          known.map((letter) => `%${letter}`),
        )
      }
      tokens.push({ field })
    }
  }
  return tokens
}
