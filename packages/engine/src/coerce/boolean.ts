import { ExactNumber } from '../json/exact.ts'
import { parseNumber, toUnscaled } from './number-text.ts'
import { type Coercion, reject, showValue } from './rejection.ts'

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** The numbers 0 and 1 in any spelling of JSON (`1.0`); undefined for all others. */
function truthOf(text: string): boolean | undefined {
  const number = parseNumber(text)
  const integer = number === undefined ? undefined : toUnscaled(number, 0, 1)
  return integer === 1n ? true : integer === 0n ? false : undefined
}

/** true and false, the numbers 0 and 1, and the usual words in any case, with blanks around. Blank text is null. */
export const booleanCoercion: Coercion = (value) => {
  if (typeof value === 'boolean') return value
  let truth: boolean | undefined
  if (value === 1 || value === 0) truth = value === 1
  else if (value instanceof ExactNumber) truth = truthOf(value.text)
  else if (typeof value === 'string') {
    const word = value.trim()
    if (word === '') return null
    // No word is longer, and lower-casing a long text costs.
    truth = word.length <= 5 ? words.get(word.toLowerCase()) : undefined
  }
  return truth ?? reject(`${showValue(value)} is not a boolean (${[...words.keys()].join(', ')} in any case)`)
}
