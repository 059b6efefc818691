import type { ColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

/**
 * FLOAT and DOUBLE, never by dictionary, which would make −0 and 0 one value. The bounds leave NaN out, as the format
 * demands, and a bound that is zero is −0 below and 0 above, since readers may take the two for different values.
 */
export class FloatEncoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #shift: 2 | 3
  readonly #page = new PageBuffer()
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #hasNaN = false

  constructor(type: ColumnType) {
    this.#type = type
    this.#shift = type.kind === 'FLOAT' ? 2 : 3
  }

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells, numbers }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) << this.#shift)
    const values = this.#shift === 2 ? page.float32 : page.float64
    let count = page.length >> this.#shift
    let min = this.#min
    let max = this.#max
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = forms[at] === form.number ? numbers[at] : cells[at]
      if (typeof cell !== 'number') throw wrongCell(this.#type, cell)
      values[count++] = cell
      if (cell < min) min = cell
      if (cell > max) max = cell
      if (Number.isNaN(cell)) this.#hasNaN = true
    }
    page.length = count << this.#shift
    this.#min = min
    this.#max = max
    return to
  }

  takePage(): PageValues {
    const bytes = this.#page.content()
    const min = this.#min === 0 ? -0 : this.#min
    const max = this.#max === 0 ? 0 : this.#max
    const ordered = max >= min
    const page = {
      bytes,
      encoding: 'PLAIN' as const,
      min: ordered ? min : undefined,
      max: ordered ? max : undefined,
      unordered: this.#hasNaN,
    }
    this.#page.restart()
    this.#min = Number.POSITIVE_INFINITY
    this.#max = Number.NEGATIVE_INFINITY
    this.#hasNaN = false
    return page
  }

  takeDictionary(): null {
    return null
  }
}
