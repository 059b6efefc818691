import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

const twoTo32 = 2 ** 32

/**
 * INT64: integers of 64 bits, times, timestamps, and decimals of at most 18 digits. A cell is a bigint, or of
 * the form `number` where that is a safe integer: those need no bigint on their way.
 */
export class Int64Encoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #low: bigint
  readonly #high: bigint
  readonly #lowNumber: number
  readonly #page = new PageBuffer()
  /** Bounds of the cells that are numbers, and of those that are bigint. */
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #bigMin: bigint | undefined
  #bigMax: bigint | undefined

  /** `low` and `high` are the smallest and the largest value that the type has; `high` is no safe integer. */
  constructor(type: ColumnType, low: bigint, high: bigint) {
    this.#type = type
    this.#low = low
    this.#high = high
    this.#lowNumber = Number(low)
  }

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells, numbers }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) * 8)
    const halves = page.int32
    let count = page.length >> 3
    let min = this.#min
    let max = this.#max
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      if (forms[at] === form.cell) {
        page.int64[count++] = this.#bounded(cells[at])
        continue
      }
      const cell = numbers[at]!
      if (!Number.isSafeInteger(cell) || cell < this.#lowNumber || cell > this.#high)
        throw wrongCell(this.#type, cell)
      // Two's complement in two halves; storing takes the lower 32 bits.
      halves[2 * count] = cell
      halves[2 * count + 1] = Math.floor(cell / twoTo32)
      count++
      if (cell < min) min = cell
      if (cell > max) max = cell
    }
    page.length = count << 3
    this.#min = min
    this.#max = max
    return to
  }

  #bounded(cell: CellValue | undefined): bigint {
    if (typeof cell !== 'bigint' || cell < this.#low || cell > this.#high) throw wrongCell(this.#type, cell)
    if (this.#bigMin === undefined || cell < this.#bigMin) this.#bigMin = cell
    if (this.#bigMax === undefined || cell > this.#bigMax) this.#bigMax = cell
    return cell
  }

  takePage(): PageValues {
    const bytes = this.#page.content()
    // Both bounds are numbers at once or not at all, and so are both bigints.
    let min = this.#bigMin
    let max = this.#bigMax
    if (this.#max >= this.#min) {
      if (min === undefined || this.#min < min) min = BigInt(this.#min)
      if (max === undefined || this.#max > max) max = BigInt(this.#max)
    }
    this.#page.restart()
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
    this.#bigMin = undefined
    this.#bigMax = undefined
    return { bytes, encoding: 'PLAIN', min, max, unordered: false }
  }

  takeDictionary(): null {
    return null
  }
}
