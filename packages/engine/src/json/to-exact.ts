import { RunError } from '@huntfleet/contract'
import { type Exact, ExactNumber } from './exact.ts'

/** Deeper than anything sane: only an object that holds itself gets here. */
const deepest = 100_000

type Target = Map<string, Exact> | Exact[]

/**
 * A plain JavaScript value (`structuredContent`, what an adapter returned) as an `Exact`. Strings are made
 * well-formed; NaN and infinities become their words, as `parseExact` reads them; a bigint keeps all its digits; a
 * Date becomes ISO 8601 and bytes become `0x` hex, as the column types read them; Maps are objects. What JSON has no
 * place for (undefined, functions, symbols) is left out of objects and null elsewhere, as `JSON.stringify` does it.
 * Throws ANSWER_INVALID for a value that contains itself.
 */
export function toExact(value: unknown): Exact {
  const root: Exact[] = []
  const open: { target: Target; key: string; value: unknown; depth: number }[] = []
  open.push({ target: root, key: '', value, depth: 0 })
  // Last in, first out; members are queued in reverse, so that they are added in their order.
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { target, depth } = item
    if (depth > deepest) throw new RunError('ANSWER_INVALID', 'a value that contains itself is not JSON')
    const members = membersOf(item.value)
    if (members === undefined) {
      add(target, item.key, scalar(item.value))
      continue
    }
    const container: Target = members.keyed ? new Map() : []
    add(target, item.key, container)
    for (let index = members.entries.length - 1; index >= 0; index--) {
      const [key, member] = members.entries[index]!
      if (members.keyed && isNothing(member)) continue
      open.push({ target: container, key, value: member, depth: depth + 1 })
    }
  }
  return root[0] ?? null
}

function add(target: Target, key: string, value: Exact): void {
  if (target instanceof Map) target.set(key, value)
  else target.push(value)
}

function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

/** What a container holds; undefined for a value that is not a container. */
function membersOf(value: unknown): { keyed: boolean; entries: [string, unknown][] } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof ExactNumber || value instanceof Date || value instanceof Uint8Array) return undefined
  if (Array.isArray(value)) return { keyed: false, entries: Array.from(value, (member) => ['', member]) }
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return { keyed: true, entries: entries.map(([key, member]) => [String(key).toWellFormed(), member]) }
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
