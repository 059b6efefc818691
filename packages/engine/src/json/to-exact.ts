import { RunError } from '@huntfleet/contract'
import { type Exact, ExactNumber } from './exact.ts'

/** Deeper than anything sane: only an object that holds itself gets here. */
const deepest = 100_000

/** A container that is made and not yet filled. */
interface Unfilled {
  made: Map<string, Exact> | Exact[]
  source: object
  depth: number
}

/**
 * A plain JavaScript value (`structuredContent`, what an adapter returned) as an `Exact`. Strings are made
 * well-formed; NaN and infinities become their words, as `parseExact` reads them; a bigint keeps all its digits; a
 * Date becomes ISO 8601 and bytes become `0x` hex, as the column types read them; Maps are objects. What JSON has no
 * place for (undefined, functions, symbols) is left out of objects and null elsewhere, as `JSON.stringify` does it.
 * Throws ANSWER_INVALID for a value that contains itself.
 */
export function toExact(value: unknown): Exact {
  const unfilled: Unfilled[] = []
  const root = convert(value, 0, unfilled)
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const { made, source, depth } = next
    if (depth > deepest) throw new RunError('ANSWER_INVALID', 'a value that contains itself is not JSON')
    if (made instanceof Map) fillObject(made, source, depth, unfilled)
    else if (Array.isArray(source)) {
      for (let index = 0; index < source.length; index++)
        made.push(convert(source[index], depth + 1, unfilled))
    }
  }
  return root
}

function fillObject(made: Map<string, Exact>, source: object, depth: number, unfilled: Unfilled[]): void {
  for (const [key, member] of source instanceof Map ? source : Object.entries(source)) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    made.set(String(key).toWellFormed(), convert(member, depth + 1, unfilled))
  }
}

/** A scalar, or an empty container that is noted to be filled. */
function convert(value: unknown, depth: number, unfilled: Unfilled[]): Exact {
  if (!isContainer(value)) return scalar(value)
  const made = Array.isArray(value) ? [] : new Map<string, Exact>()
  unfilled.push({ made, source: value, depth })
  return made
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return !(value instanceof ExactNumber || value instanceof Date || value instanceof Uint8Array)
}

function scalar(value: unknown): Exact {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed()
    case 'boolean':
      return value
    case 'number':
      return number(value)
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : new ExactNumber(String(value))
    default:
      return objectScalar(value)
  }
}

function objectScalar(value: unknown): Exact {
  if (value instanceof ExactNumber) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (!(value instanceof Uint8Array)) return null
  return `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function number(value: number): Exact {
  if (!Number.isFinite(value)) return String(value)
  return Object.is(value, -0) ? new ExactNumber('-0') : value
}
