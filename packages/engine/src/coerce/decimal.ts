import { type DecimalNumber, numberText, parseNumber, toUnscaled } from './number-text.ts'
import { type Coercion, reject, showValue } from './rejection.ts'

/**
 * The count of 10^-`scale` nearest to a number that has digits beyond the scale; of two equally near ones the even
 * one.
 */
function roundHalfEven(number: DecimalNumber, scale: number): bigint {
  const { digits, exponent, negative } = number
  const kept = digits.length + exponent + scale
  // With kept < 0 the number is smaller than a tenth of the last place.
  const cut = kept < 0 ? '0' : digits.slice(kept)
  const floor = kept <= 0 ? 0n : BigInt(digits.slice(0, kept))
  const first = cut.charCodeAt(0) - 0x30
  // Trailing zeros are gone, so that more than one digit means more than a half.
  const up = first > 5 || (first === 5 && (cut.length > 1 || floor % 2n === 1n))
  const magnitude = up ? floor + 1n : floor
  return negative ? -magnitude : magnitude
}

/**
 * Exact decimals from numbers and numeric strings, never through a double. More digits than the column has places for
 * are a reject, behind the point only unless the column rounds. Blank text is null. The cell is the unscaled bigint.
 */
export function decimalCoercion(precision: number, scale: number, round: 'reject' | 'half_even'): Coercion {
  const limit = 10n ** BigInt(precision)
  const type = `DECIMAL(${precision},${scale})`

  return (value) => {
    const text = numberText(value)
    if (text === '') return null
    const number = text === undefined ? undefined : parseNumber(text)
    if (number === undefined) return reject(`${showValue(value)} is not a decimal number`)
    let unscaled = toUnscaled(number, scale, precision)
    if (unscaled === 'inexact') {
      if (round === 'reject') {
        return reject(`${showValue(value)} has more than the ${scale} decimal places of ${type}`)
      }
      unscaled = roundHalfEven(number, scale)
    }
    if (unscaled === 'too-large' || unscaled >= limit || unscaled <= -limit) {
      return reject(
        `${showValue(value)} is out of range for ${type}: at most ${precision - scale} digits before the point`,
      )
    }
    return unscaled
  }
}
