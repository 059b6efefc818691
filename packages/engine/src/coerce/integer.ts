import { numberText, parseNumber, plainInteger, toUnscaled } from './number-text.ts'
import { type Coercion, reject, showValue } from './rejection.ts'

/** Smallest and largest value of each integer type. */
export const integerRanges = {
  TINYINT: { min: -(2n ** 7n), max: 2n ** 7n - 1n },
  SMALLINT: { min: -(2n ** 15n), max: 2n ** 15n - 1n },
  INTEGER: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  BIGINT: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
  UTINYINT: { min: 0n, max: 2n ** 8n - 1n },
  USMALLINT: { min: 0n, max: 2n ** 16n - 1n },
  UINTEGER: { min: 0n, max: 2n ** 32n - 1n },
  UBIGINT: { min: 0n, max: 2n ** 64n - 1n },
} as const
export type IntegerKind = keyof typeof integerRanges

/** No integer type has more digits than 2^64 − 1. */
const maxDigits = 20

/**
 * JSON integers, digit strings with sign, blanks and leading zeros, and any other spelling of a whole number (`42.0`,
 * `4.2e1`), exact beyond 2^53. Fractions, numbers out of range and everything else are rejects; blank text is null.
 */
export function integerCoercion(kind: IntegerKind): Coercion {
  const { min, max } = integerRanges[kind]
  const wide = kind === 'BIGINT' || kind === 'UBIGINT'
  // Of the wide types only what is safe as a number takes the short way; the rest is compared as bigint.
  const low = wide ? Math.max(Number(min), Number.MIN_SAFE_INTEGER) : Number(min)
  const high = wide ? Number.MAX_SAFE_INTEGER : Number(max)

  /** The integer, or what is wrong with the text. */
  const exact = (text: string | undefined): bigint | string => {
    const number = text === undefined ? undefined : parseNumber(text)
    if (number === undefined) return 'is not a whole number'
    const integer = toUnscaled(number, 0, maxDigits)
    if (integer === 'inexact') return 'has a fraction and is not a whole number'
    if (integer === 'too-large' || integer < min || integer > max)
      return `is out of range for ${kind} (${min} to ${max})`
    return integer
  }

  return (value) => {
    const text = typeof value === 'number' ? undefined : numberText(value)
    if (text === '') return null
    const short = typeof value === 'number' ? value : text === undefined ? Number.NaN : plainInteger(text)
    // Adding 0 turns -0 into 0.
    if (short >= low && short <= high && Number.isInteger(short)) return wide ? BigInt(short) : short + 0
    const integer = exact(numberText(value))
    if (typeof integer === 'string') return reject(`${showValue(value)} ${integer}`)
    return wide ? integer : Number(integer)
  }
}
