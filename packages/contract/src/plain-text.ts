import type { Json } from './json-value.ts'

/** How values read inside a longer text (SPEC section 5). */

export type Scalar = null | boolean | number | string

export function isScalar(value: Json): value is Scalar {
  return value === null || typeof value !== 'object'
}

/** A scalar as plain text: no exponent, `true` and `false`, nothing for null. */
export function plainText(value: Scalar): string {
  if (value === null) return ''
  return typeof value === 'number' ? plainNumber(value) : String(value)
}

/** All digits of a finite number without an exponent: `1e21` is `1000000000000000000000`. */
export function plainNumber(value: number): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value))
  if (match === null) return String(value)
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}

/** `a list`, `a map`, `a string` …: what a value is, for messages. */
export function kindOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}
