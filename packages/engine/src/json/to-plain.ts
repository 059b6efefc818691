import { type Json, RunError } from '@huntfleet/contract'
import { type Exact, ExactNumber, isExactArray, isExactObject } from './exact.ts'

/** The MCP SDK serialises arguments recursively; what comes from a source must not overflow its stack. */
const deepest = 200

/**
 * A value of an answer as plain JSON, for cursors and arguments. A number that a JavaScript number cannot carry
 * (an integer beyond 2^53, `1e400`, more digits than a double holds) becomes a string of its exact spelling: a cursor
 * that goes back rounded would fetch other rows. `1.50` is the number 1.5: same value, other spelling.
 * Throws ANSWER_INVALID beyond 200 levels of nesting.
 */
export function toPlain(value: Exact, depth = 0): Json {
  if (depth > deepest) {
    throw new RunError(
      'ANSWER_INVALID',
      `a value nested more than ${deepest} levels deep cannot be an argument`,
    )
  }
  if (value instanceof ExactNumber) return plainNumber(value.text)
  if (isExactArray(value)) return value.map((member) => toPlain(member, depth + 1))
  if (!isExactObject(value)) return value
  // fromEntries defines properties, so that a key `__proto__` is a key.
  return Object.fromEntries(Array.from(value, ([key, member]) => [key, toPlain(member, depth + 1)]))
}

function plainNumber(spelling: string): number | string {
  const value = Number(spelling)
  return Number.isFinite(value) && canonical(String(value)) === canonical(spelling) ? value : spelling
}

/** A decimal number's digits without zeros at either end and the power of ten that belongs to them. */
function canonical(spelling: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(spelling)
  if (parts === null) return spelling
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = stripZeros(whole + fraction)
  if (digits.text === '') return '0'
  return `${sign}${digits.text}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.stripped)}`
}

/** Without leading and trailing zeros, and how many trailing ones there were. */
function stripZeros(digits: string): { text: string; stripped: number } {
  let start = 0
  let end = digits.length
  while (start < end && digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return { text: digits.slice(start, end), stripped: digits.length - end }
}
