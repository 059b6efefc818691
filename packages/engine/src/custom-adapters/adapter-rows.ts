import { compactJson } from '../json/compact.ts'
import { toExact } from '../json/to-exact.ts'
import type { RowReject } from '../source-row.ts'

/** What a user's adapter returned, ready to leave its thread. */
export interface AdapterRows {
  /** The rows as one JSON array: text crosses between threads whole, whatever the values, and is parsed exactly. */
  json: string
  rejects: RowReject[]
}

/** As much of a value that is no row as a person needs to recognise it. */
const longestRaw = 1_000

/**
 * Takes what an adapter returned: any iterable of objects or Maps. Values that have a JSON form are given it (a Date
 * becomes ISO 8601, a bigint keeps its digits, bytes become `0x` hex, a Map is an object, `undefined` is left out); a
 * row that is no object, or that holds a function, a symbol or a promise, is a reject that says so.
 * Throws TypeError when the result as a whole is no list of rows.
 */
export function adapterRows(result: unknown): AdapterRows {
  if (!isRowList(result)) {
    throw new TypeError(
      `the adapter returned ${nameOf(result)}; it must return a list of objects, one per row, or a promise of one`,
    )
  }
  const texts: string[] = []
  const rejects: RowReject[] = []
  let row = 0
  for (const value of result) {
    row += 1
    const fault = isRow(value) ? undefined : `the row is ${nameOf(value)}, not an object`
    const read = fault === undefined ? rowText(value) : { fault }
    if ('text' in read) texts.push(read.text)
    else rejects.push({ row, reason: read.fault, raw: rawOf(value), stored: false })
  }
  return { json: `[${texts.join(',')}]`, rejects }
}

function rowText(value: unknown): { text: string } | { fault: string } {
  try {
    const text = compactJson(toExact(value))
    const odd = valueWithoutJson(value)
    return odd === undefined ? { text } : { fault: odd }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function isRowList(value: unknown): value is Iterable<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Map || ArrayBuffer.isView(value)) {
    return false
  }
  return typeof Reflect.get(value, Symbol.iterator) === 'function'
}

function isRow(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date || value instanceof Set || value instanceof Promise || ArrayBuffer.isView(value))
  )
}

/** Says where a value stands that JSON has no form for; only called when nothing in it contains itself. */
function valueWithoutJson(root: unknown): string | undefined {
  const open: { value: object; path: string }[] = []
  const look = (value: unknown, path: string): string | undefined => {
    const isOdd = typeof value === 'function' || typeof value === 'symbol'
    if (isOdd || value instanceof Promise || value instanceof Set) return `${path} is ${nameOf(value)}`
    if (value instanceof Date && Number.isNaN(value.getTime())) return `${path} is a Date without a time`
    if (typeof value !== 'object' || value === null) return undefined
    if (!(value instanceof Date || value instanceof Uint8Array)) open.push({ value, path })
    return undefined
  }
  look(root, 'the row')
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    for (const [key, member] of value instanceof Map ? value : Object.entries(value)) {
      const fault = look(member, path === 'the row' ? `its value ${String(key)}` : path)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

/** A value in words: what it is, not what it holds. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = value.constructor?.name ?? ''
  return name === '' || name === 'Object' ? 'an object' : `a ${name}`
}

function rawOf(value: unknown): string {
  try {
    return compactJson(toExact(value)).slice(0, longestRaw)
  } catch {
    return nameOf(value)
  }
}
