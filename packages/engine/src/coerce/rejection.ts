import { type Exact, ExactNumber } from '../json/exact.ts'
import type { CellValue } from './cell-value.ts'

/** A value that does not fit its column. */
export class Rejection {
  /** Why, in words; one reason per value. Only a list can have several, and of a long list only the first are kept. */
  readonly reasons: readonly string[]
  /** How many values did not fit: 1, or the number of bad elements of a list. */
  readonly count: number
  /** What the table gets instead: null, or the list with null for each bad element. */
  readonly stored: CellValue

  constructor(reasons: readonly string[], count: number, stored: CellValue) {
    this.reasons = reasons
    this.count = count
    this.stored = stored
  }
}

/** The rejection of one value; the table gets null. */
export function reject(reason: string): Rejection {
  return new Rejection([reason], 1, null)
}

/** A value as JSON has it, other than null. */
export type Present = Exclude<Exact, null>

/** Turns a value that is there into a cell of one type. Blank text means "no value" to most types and gives null. */
export type Coercion = (value: Present) => CellValue | Rejection

const shownLength = 60
/** Control, direction and zero-width characters: a reason ends up on terminals and pages (SPEC section 16.8). */
const unprintable = /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** A value as a reason shows it: short, on one line, printable. */
export function showValue(value: Present): string {
  if (typeof value === 'string') {
    const quoted = JSON.stringify(value.slice(0, shownLength)).replace(
      unprintable,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return value.length > shownLength ? `${quoted}… (${value.length} characters)` : quoted
  }
  if (value instanceof ExactNumber) {
    return value.text.length > shownLength ? `${value.text.slice(0, shownLength)}…` : value.text
  }
  if (typeof value === 'object') return value instanceof Map ? 'an object' : 'a list'
  return String(value)
}
