import { ExactNumber } from '../json/exact.ts'
import type { Present } from './rejection.ts'

/** A decimal number taken apart: ± `digits` × 10^`exponent`. */
export interface DecimalNumber {
  negative: boolean
  /** Without leading and trailing zeros; empty for zero. */
  digits: string
  exponent: number
}

// No two parts can match the same character, so that a long text is looked at once.
const numberPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/**
 * Reads a number of JSON or of a text: sign, leading zeros, `.5`, `5.` and exponents are allowed, blanks are not.
 * Undefined when it is no number.
 */
export function parseNumber(text: string): DecimalNumber | undefined {
  const match = numberPattern.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const all = whole + fraction
  if (all === '') return undefined
  let start = 0
  while (all.charCodeAt(start) === zero) start++
  let end = all.length
  while (end > start && all.charCodeAt(end - 1) === zero) end--
  const shift = Number(exponent) - fraction.length + (all.length - end)
  return { negative: sign === '-', digits: all.slice(start, end), exponent: start === end ? 0 : shift }
}

const zero = 0x30

/**
 * The number as a count of 10^-`scale`, when it is one exactly. `maxDigits` bounds the work: a number with more
 * digits than that is `too-large`, whatever its exponent; one with digits beyond the scale is `inexact`.
 */
export function toUnscaled(
  number: DecimalNumber,
  scale: number,
  maxDigits: number,
): bigint | 'too-large' | 'inexact' {
  const { digits, exponent, negative } = number
  if (digits === '') return 0n
  const shift = exponent + scale
  if (digits.length + shift > maxDigits) return 'too-large'
  if (shift < 0) return 'inexact'
  const magnitude = BigInt(digits + '0'.repeat(shift))
  return negative ? -magnitude : magnitude
}

/** The text of a number, or of a string that may hold one, without surrounding blanks; undefined for other values. */
export function numberText(value: Present): string | undefined {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  return value instanceof ExactNumber ? value.text : undefined
}

/** The most digits that a plain whole number may have to be read as a JavaScript number. */
const safeDigits = 15

/** A whole number of at most 15 digits and a sign, the common case; NaN for any other text. */
export function plainInteger(text: string): number {
  let position = 0
  const first = text.charCodeAt(0)
  if (first === 0x2d || first === 0x2b) position = 1
  const length = text.length
  if (length === position || length - position > safeDigits) return Number.NaN
  let value = 0
  for (; position < length; position++) {
    const digit = text.charCodeAt(position) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  // 0 - value, because -0 is no whole number of ours.
  return first === 0x2d ? 0 - value : value
}
