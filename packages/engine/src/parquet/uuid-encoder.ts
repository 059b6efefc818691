import type { ColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

const uuidBytes = 16
const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** UUID as 16 bytes, from its canonical text. Canonical texts sort as their bytes do. */
export class UuidEncoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #page = new PageBuffer()
  #min: string | undefined
  #max: string | undefined

  constructor(type: ColumnType) {
    this.#type = type
  }

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) * uuidBytes)
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = cells[at]
      if (typeof cell !== 'string' || !canonical.test(cell)) throw wrongCell(this.#type, cell)
      page.length += page.bytes.write(cell.replaceAll('-', ''), page.length, uuidBytes, 'hex')
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
