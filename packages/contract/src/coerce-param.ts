import { parseDuration } from './duration.ts'
import { instantForms, instantNanos, parseInstant, parseIsoInstant } from './instant.ts'
import type { Json } from './json-value.ts'
import { depthOfJson, mapJson } from './map-json.ts'
import { type ParamType, paramForms } from './param-spec.ts'
import { isScalar, kindOfValue, plainText } from './plain-text.ts'

/** A value as its type wants it, or why it is none; the reason follows on the shown value. */
export type CoercedParam = { ok: true; value: Json } | { ok: false; reason: string }

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** No tool's arguments nest deeper; what does is an attack on whoever walks through it. */
const deepestValue = 100

const tooLong =
  'has more digits than a JSON number keeps (beyond 2^53); declare the parameter as str to pass them all'

/**
 * Reads a value as the type of a parameter. Nothing is rounded or cut: what does not fit is refused.
 * `scheduledAt` is what relative times are relative to. Coercing twice is coercing once.
 */
export function coerceParam(type: ParamType, value: Json, scheduledAt: Date): CoercedParam {
  switch (type) {
    case 'str':
      return toText(value)
    case 'int':
      return toInt(value)
    case 'float':
      return toFloat(value)
    case 'bool':
      return toBool(value)
    case 'list':
      return toList(value)
    case 'timestamp':
      return toTimestamp(value, scheduledAt)
    case 'duration':
      return typeof value === 'string' && parseDuration(value) !== undefined
        ? accept(value.trim())
        : refuse('duration', typeof value === 'number' ? 'has no unit' : undefined)
  }
}

/**
 * A number that orders two values of the type; `undefined` for types without an order. Times are nanoseconds.
 * @param value as `coerceParam` returned it
 */
export function paramOrder(type: ParamType, value: Json): number | bigint | undefined {
  if (typeof value === 'number' && (type === 'int' || type === 'float')) return value
  if (typeof value !== 'string') return undefined
  if (type === 'duration') return parseDuration(value)
  const instant = type === 'timestamp' ? parseIsoInstant(value) : undefined
  return instant === undefined ? undefined : instantNanos(instant)
}

function accept(value: Json): CoercedParam {
  return { ok: true, value }
}

function refuse(type: ParamType, why?: string): CoercedParam {
  const wanted = `${type}: ${type === 'timestamp' ? instantForms : paramForms[type]}`
  return { ok: false, reason: why === undefined ? `is not of type ${wanted}` : `${why}; type ${wanted}` }
}

function wasRounded(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
}

function toText(value: Json): CoercedParam {
  if (typeof value === 'string') return accept(value)
  if (!isScalar(value)) return refuse('str', `is ${kindOfValue(value)}`)
  return wasRounded(value) ? refuse('str', `${tooLong}, and put them in quotes`) : accept(plainText(value))
}

function toInt(value: Json): CoercedParam {
  const digits =
    typeof value === 'string' ? /^\s*([+-]?\d{1,400})(?:\.0{0,100})?\s*$/.exec(value)?.[1] : undefined
  const number = digits === undefined ? value : Number(digits)
  if (typeof number !== 'number' || !Number.isInteger(number)) return refuse('int')
  // Adding 0 turns -0 into 0.
  return Number.isSafeInteger(number) ? accept(number + 0) : refuse('int', tooLong)
}

function toFloat(value: Json): CoercedParam {
  const numeric = typeof value === 'string' && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)
  const number = numeric ? Number(value) : value
  if (typeof number !== 'number') return refuse('float')
  return Number.isFinite(number) ? accept(number) : refuse('float', 'is beyond the range of a 64-bit number')
}

function toBool(value: Json): CoercedParam {
  if (typeof value === 'boolean') return accept(value)
  const word =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
  const meant = words.get(word)
  return meant === undefined ? refuse('bool') : accept(meant)
}

/**
 * An array, the text of a JSON array, or a scalar, which is a list of one. A text with a comma may be one value or
 * several, and a list that is read wrongly finds nothing without a word, so that it is refused.
 */
function toList(value: Json): CoercedParam {
  const list = typeof value === 'string' ? listOfText(value) : isScalar(value) ? [value] : value
  if (list === undefined) return refuse('list', 'could be one value or several')
  if (!Array.isArray(list)) return refuse('list')
  if (depthOfJson(list) > deepestValue) return refuse('list', `nests more than ${deepestValue} levels`)
  let rounded = false
  mapJson(list, {
    leaf: (leaf) => {
      rounded ||= wasRounded(leaf)
      return null
    },
  })
  return rounded
    ? refuse('list', 'holds a number beyond 2^53, whose last digits are lost; put it in quotes')
    : accept(list)
}

function listOfText(text: string): Json | undefined {
  if (text.trimStart().startsWith('[')) {
    try {
      const parsed: Json = JSON.parse(text)
      return parsed
    } catch {
      return undefined
    }
  }
  return text.includes(',') ? undefined : [text]
}

function toTimestamp(value: Json, scheduledAt: Date): CoercedParam {
  if (typeof value !== 'string' && typeof value !== 'number') return refuse('timestamp')
  const iso = parseInstant(value, scheduledAt)
  if (iso !== undefined) return accept(iso)
  return wasRounded(value)
    ? refuse('timestamp', `${tooLong.split(';')[0]}; put them in quotes`)
    : refuse('timestamp')
}
