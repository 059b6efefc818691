import type { ParsedText } from '../../src/format.ts'
import { type Exact, ExactNumber } from '../../src/json/exact.ts'
import type { SourceRow } from '../../src/source-row.ts'

/** A value as plain JSON that keeps apart what differs: an exact number is `{"number": "<spelling>"}`. */
export function plainValue(value: Exact): unknown {
  if (value instanceof ExactNumber) return { number: value.text }
  if (value instanceof Map) return plainRow(value)
  if (Array.isArray(value)) return value.map(plainValue)
  return value
}

/** A row as an object without a prototype, so that `__proto__` is a key like any other. */
export function plainRow(row: SourceRow): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const [key, value] of row) object[key] = plainValue(value)
  return object
}

export function plainRows(page: ParsedText): Record<string, unknown>[] {
  return page.rows.map((row) => ({ ...plainRow(row) }))
}

/** The first law in one number: records that are neither a row nor a reject. */
export function unaccounted(page: ParsedText): number {
  return page.items - page.rows.length - page.rejects.filter((reject) => !reject.stored).length
}
