import { RunError } from '@huntfleet/contract'
import { compactJson } from '../json/compact.ts'
import type { Exact } from '../json/exact.ts'
import { parseExact } from '../json/parse-exact.ts'
import { type Coercion, reject, showValue } from './rejection.ts'

/** The value of a JSON text; undefined when it is none. */
export function parseJsonText(text: string): Exact | undefined {
  try {
    return parseExact(text)
  } catch (error) {
    if (error instanceof RunError) return undefined
    throw error
  }
}

/**
 * Compact JSON text. A string must itself be JSON text (sources put documents into strings) and is a reject otherwise;
 * all other values are written as JSON. Key order and the spelling of numbers are the source's. Blank text is null.
 */
export const jsonCoercion: Coercion = (value) => {
  if (typeof value !== 'string') return compactJson(value)
  if (value.trim() === '') return null
  const parsed = parseJsonText(value)
  return parsed === undefined ? reject(`${showValue(value)} is not JSON text`) : compactJson(parsed)
}
