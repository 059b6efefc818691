import { compileDatePattern } from './date-pattern.ts'
import { unknownName } from './did-you-mean.ts'
import { durationForms, parseDuration } from './duration.ts'
import { formatInstant, type Instant, parseInstant, parseIsoInstant, shiftInstant } from './instant.ts'
import type { Json } from './json-value.ts'
import { depthOfJson } from './map-json.ts'
import type { TemplateFilter } from './placeholder.ts'
import { isScalar, kindOfValue, plainText } from './plain-text.ts'
import { kqlQuoting, luceneQuoting, refused, splQuoting, sqlQuoting } from './query-quoting.ts'

/** What stands behind the `|` of a placeholder (SPEC section 5). */

interface FilterRule {
  /** How it is written, for messages. */
  usage: string
  /** What is wrong with the arguments, if anything. */
  check(args: readonly Json[]): string | undefined
  apply(value: Json, args: readonly Json[]): Json
  /** What comes out cannot leave the literal or field that it is put in. */
  escapes: boolean
}

/** `JSON.stringify` calls itself; deeper values would end in a stack overflow. */
const deepestJson = 500

const rules = {
  join: {
    usage: 'join(",")',
    check: (args) => (args.length <= 1 && args.every(isString) ? undefined : 'the separator is one string'),
    apply: (value, [separator]) => joined(value, isString(separator) ? separator : ','),
    escapes: false,
  },
  json: {
    usage: 'json',
    check: noArguments,
    apply: (value) => {
      if (depthOfJson(value) > deepestJson)
        throw refused('json', `more than ${deepestJson} levels of nesting`)
      return JSON.stringify(value)
    },
    escapes: true,
  },
  sql: {
    usage: 'sql or sql("backslash")',
    check: (args) =>
      args.length === 0 || (args.length === 1 && args[0] === 'backslash')
        ? undefined
        : 'the only argument is "backslash", for dialects that escape with backslashes',
    apply: (value, args) => sqlQuoting(args.length === 1)(value),
    escapes: true,
  },
  spl: { usage: 'spl', check: noArguments, apply: splQuoting, escapes: true },
  kql: { usage: 'kql', check: noArguments, apply: kqlQuoting, escapes: true },
  lucene: { usage: 'lucene', check: noArguments, apply: luceneQuoting, escapes: true },
  url: {
    usage: 'url',
    check: noArguments,
    apply: (value) => urlEncoded(scalarText('url', value)),
    escapes: true,
  },
  default: {
    usage: 'default("x")',
    check: (args) => (args.length === 1 ? undefined : 'the value to use is one string or number'),
    apply: (value, [fallback]) => value ?? fallback ?? null,
    escapes: false,
  },
  epoch: {
    usage: 'epoch',
    check: noArguments,
    apply: (value) => instantOf('epoch', value).seconds,
    escapes: true,
  },
  epoch_ms: { usage: 'epoch_ms', check: noArguments, apply: epochMilliseconds, escapes: true },
  date: {
    usage: 'date("yyyy-MM-dd")',
    check: ([pattern, ...more]) => {
      if (!isString(pattern) || more.length > 0) return 'the pattern is one string'
      const compiled = compileDatePattern(pattern)
      return 'wrong' in compiled ? compiled.wrong : undefined
    },
    apply: (value, [pattern]) => {
      const compiled = compileDatePattern(String(pattern))
      if ('wrong' in compiled) throw refused('date', compiled.wrong)
      return compiled.write(instantOf('date', value))
    },
    escapes: true,
  },
  minus: {
    usage: 'minus("10m")',
    check: oneDuration,
    apply: (value, [duration]) => shifted('minus', value, -milliseconds(duration)),
    escapes: true,
  },
  plus: {
    usage: 'plus("10m")',
    check: oneDuration,
    apply: (value, [duration]) => shifted('plus', value, milliseconds(duration)),
    escapes: true,
  },
} satisfies Record<string, FilterRule>

const filters: ReadonlyMap<string, FilterRule> = new Map(Object.entries(rules))

/** The names of all filters. */
export const filterNames: readonly string[] = [...filters.keys()]

/** What is wrong with a filter as written, if anything: its name or its arguments. */
export function checkFilter({ name, args }: TemplateFilter): string | undefined {
  const rule = filters.get(name)
  if (rule === undefined) return unknownName('filter', name, filterNames)
  const wrong = rule.check(args)
  return wrong === undefined ? undefined : `filter ${name}: ${wrong}; write ${rule.usage}`
}

/**
 * What the filter makes of a value. Null passes through the filters that quote text as an empty text.
 * Times are cut to the unit that is written (`epoch` to seconds): both ends of a half-open window are cut alike, so that
 * windows still join without a gap.
 * @throws {RunError} `ARGUMENT_INVALID` when the value does not suit the filter, or the filter itself is wrong.
 */
export function applyFilter(filter: TemplateFilter, value: Json): Json {
  const rule = filters.get(filter.name)
  const wrong = checkFilter(filter)
  if (rule === undefined || wrong !== undefined) throw refused(filter.name, wrong ?? 'unknown')
  return rule.apply(value, filter.args)
}

/** Whether a text that went through this filter cannot change the meaning of the query around it. */
export function filterEscapes(name: string): boolean {
  return filters.get(name)?.escapes ?? false
}

function isString(value: Json | undefined): value is string {
  return typeof value === 'string'
}

function noArguments(args: readonly Json[]): string | undefined {
  return args.length === 0 ? undefined : 'it takes no arguments'
}

function oneDuration(args: readonly Json[]): string | undefined {
  const [text] = args
  if (args.length === 1 && isString(text) && parseDuration(text) !== undefined) return undefined
  return `the duration is one string such as ${durationForms}`
}

function milliseconds(duration: Json | undefined): number {
  return (isString(duration) ? parseDuration(duration) : undefined) ?? 0
}

function scalarText(filter: string, value: Json): string {
  if (isScalar(value)) return plainText(value)
  throw refused(filter, `${kindOfValue(value)} has no plain text`, 'put join(",") or json before it')
}

function joined(value: Json, separator: string): string {
  if (!Array.isArray(value)) throw refused('join', `the value is ${kindOfValue(value)}, not a list`)
  return value.map((element) => scalarText('join', element)).join(separator)
}

/** RFC 3986: everything but the unreserved characters, also `!'()*`, which `encodeURIComponent` leaves. */
function urlEncoded(text: string): string {
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percent)
}

function instantOf(filter: string, value: Json): Instant {
  // Relative forms were resolved when the parameter was checked; here is no time to be relative to.
  const relative = isString(value) && /^\s*(?:now|[+-])/i.test(value)
  const readable = (isString(value) || typeof value === 'number') && !relative
  const iso = readable ? parseInstant(value, new Date(0)) : undefined
  const instant = iso === undefined ? undefined : parseIsoInstant(iso)
  if (instant !== undefined) return instant
  const what = isScalar(value) ? JSON.stringify(value) : kindOfValue(value)
  throw refused(filter, `${what} is not a time`, 'declare the parameter with type timestamp')
}

function epochMilliseconds(value: Json): number {
  const { seconds, fraction } = instantOf('epoch_ms', value)
  return seconds * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3))
}

function shifted(filter: string, value: Json, by: number): string {
  const instant = shiftInstant(instantOf(filter, value), by)
  if (instant === undefined)
    throw refused(filter, `${JSON.stringify(value)} moved so far leaves the years 1 to 9999`)
  return formatInstant(instant)
}
