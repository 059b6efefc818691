import { isExactArray } from '../json/exact.ts'
import type { CellValue } from './cell-value.ts'
import { parseJsonText } from './json.ts'
import { type Coercion, Rejection, reject, showValue } from './rejection.ts'

/** Reasons kept of one list; a rejects file keeps no more rows than this either. */
const keptReasons = 1_000

/**
 * A list whose elements are coerced one by one: a bad element becomes null and a reject of its own, the others stay.
 * A text that holds a JSON array is that array, because csv has no other way to send one; blank text is null. Any other
 * value is a reject: to make a list of a single value would be a guess.
 */
export function listCoercion(element: Coercion, typeName: string): Coercion {
  return (value) => {
    let items = value
    if (typeof value === 'string') {
      if (value.trim() === '') return null
      items = parseJsonText(value) ?? value
    }
    if (!isExactArray(items)) return reject(`${showValue(value)} is not a list of ${typeName}`)
    const reasons: string[] = []
    let count = 0
    const cells = items.map((item, index): CellValue => {
      const cell = item === null ? null : element(item)
      if (!(cell instanceof Rejection)) return cell
      count += cell.count
      if (reasons.length < keptReasons)
        reasons.push(...cell.reasons.map((reason) => `element ${index + 1}: ${reason}`))
      return cell.stored
    })
    return count === 0 ? cells : new Rejection(reasons, count, cells)
  }
}
