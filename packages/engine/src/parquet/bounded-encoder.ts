import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import type { Bound, PageValues, ValueEncoder } from './value-encoder.ts'

/** Values of one width whose cells are compared as they are; never by dictionary. */
export abstract class BoundedEncoder<Cell extends Bound> implements ValueEncoder {
  protected readonly type: ColumnType
  readonly #width: number
  readonly #page = new PageBuffer()
  #min: Cell | undefined
  #max: Cell | undefined

  /** `width`: bytes of a value. */
  constructor(type: ColumnType, width: number) {
    this.type = type
    this.#width = width
  }

  /** The cell that a batch holds. Throws INTERNAL for one that is none of the type. */
  protected abstract checked(cell: CellValue | undefined): Cell
  /** Writes the bytes of a value; there is room for them. */
  protected abstract put(cell: Cell, bytes: Buffer, at: number): void

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) * this.#width)
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = this.checked(cells[at])
      this.put(cell, page.bytes, page.length)
      page.length += this.#width
      if (this.#min === undefined || cell < this.#min) this.#min = cell
      if (this.#max === undefined || cell > this.#max) this.#max = cell
    }
    return to
  }

  takePage(): PageValues {
    const page = {
      bytes: this.#page.content(),
      encoding: 'PLAIN' as const,
      min: this.#min,
      max: this.#max,
      unordered: false,
    }
    this.#page.restart()
    this.#min = undefined
    this.#max = undefined
    return page
  }

  takeDictionary(): null {
    return null
  }
}
