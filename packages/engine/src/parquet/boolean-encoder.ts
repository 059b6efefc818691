import type { ColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

/** BOOLEAN: one bit a value, the lowest bit of a byte first. */
export class BooleanEncoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #page = new PageBuffer()
  #count = 0
  #trues = 0

  constructor(type: ColumnType) {
    this.#type = type
  }

  get size(): number {
    return this.#count >> 3
  }

  append({ forms, cells }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.length = (this.#count + 7) >> 3
    page.reserve(((to - from) >> 3) + 1)
    const { bytes } = page
    let count = this.#count
    let trues = this.#trues
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = cells[at]
      if (typeof cell !== 'boolean') throw wrongCell(this.#type, cell)
      // The first bit of a byte clears what an earlier page has left there.
      if ((count & 7) === 0) bytes[count >> 3] = 0
      if (cell) {
        bytes[count >> 3]! |= 1 << (count & 7)
        trues++
      }
      count++
    }
    this.#count = count
    this.#trues = trues
    return to
  }

  takePage(): PageValues {
    const some = this.#count > 0
    const min = some ? this.#trues === this.#count : undefined
    const max = some ? this.#trues > 0 : undefined
    this.#page.length = (this.#count + 7) >> 3
    const bytes = this.#page.content()
    this.#page.restart()
    this.#count = 0
    this.#trues = 0
    return { bytes, encoding: 'PLAIN', min, max, unordered: false }
  }

  takeDictionary(): null {
    return null
  }
}
