import { numberText, parseNumber } from './number-text.ts'
import { type Coercion, reject, showValue } from './rejection.ts'

const notFinite: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
}

/** NaN and Infinity in any case, with or without a sign, short or long. */
function wordValue(text: string): number | undefined {
  const negative = text.startsWith('-')
  const word = (negative || text.startsWith('+') ? text.slice(1) : text).toLowerCase()
  const value = Object.hasOwn(notFinite, word) ? notFinite[word] : undefined
  return negative && value !== undefined ? -value : value
}

/**
 * Numbers, numeric strings (blanks around, sign, `.5`, exponent) and the words NaN, Inf and Infinity. The value is the
 * nearest one that the type has; a number beyond the largest finite one is a reject, never an infinity. Blank text is
 * null.
 */
export function floatCoercion(kind: 'FLOAT' | 'DOUBLE'): Coercion {
  const nearest = kind === 'FLOAT' ? Math.fround : Number
  return (value) => {
    let number = typeof value === 'number' && Number.isFinite(value) ? value : undefined
    if (number === undefined) {
      const text = numberText(value)
      if (text === '') return null
      if (text === undefined) return reject(`${showValue(value)} is not a number`)
      if (parseNumber(text) === undefined)
        return wordValue(text) ?? reject(`${showValue(value)} is not a number`)
      number = Number(text)
    }
    const cell = nearest(number)
    return Number.isFinite(cell) ? cell : reject(`${showValue(value)} is out of range for ${kind}`)
  }
}
