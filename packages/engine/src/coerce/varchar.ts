import { compactJson } from '../json/compact.ts'
import { ExactNumber } from '../json/exact.ts'
import type { Coercion } from './rejection.ts'

/**
 * Any value as text: strings as they are, numbers in the source's own digits, booleans as `true` and `false`, objects
 * and lists as compact JSON. Never a reject. Parquet text is UTF-8, so half a surrogate pair becomes U+FFFD.
 */
export const varcharCoercion: Coercion = (value) => {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'object' ? compactJson(value) : String(value)
}
