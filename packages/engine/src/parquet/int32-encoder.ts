import type { ColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

/** INT32: integers of at most 32 bits, dates, and decimals of at most 9 digits, which come as bigint. */
export class Int32Encoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #low: number
  readonly #high: number
  readonly #page = new PageBuffer()
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  /** `low` and `high` are the smallest and the largest value that the type has. */
  constructor(type: ColumnType, low: number, high: number) {
    this.#type = type
    this.#low = low
    this.#high = high
  }

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells, numbers }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) * 4)
    const values = page.int32
    let count = page.length >> 2
    let min = this.#min
    let max = this.#max
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = forms[at] === form.number ? numbers[at] : cells[at]
      const value = typeof cell === 'bigint' ? Number(cell) : cell
      if (
        typeof value !== 'number' ||
        !(value >= this.#low && value <= this.#high) ||
        !Number.isInteger(value)
      )
        throw wrongCell(this.#type, cell)
      values[count++] = value
      if (value < min) min = value
      if (value > max) max = value
    }
    page.length = count << 2
    this.#min = min
    this.#max = max
    return to
  }

  takePage(): PageValues {
    const bytes = this.#page.content()
    const [min, max] = bytes.length === 0 ? [undefined, undefined] : [this.#min, this.#max]
    this.#page.restart()
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
    return { bytes, encoding: 'PLAIN', min, max, unordered: false }
  }

  takeDictionary(): null {
    return null
  }
}
