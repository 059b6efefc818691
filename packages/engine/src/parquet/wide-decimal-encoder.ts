import type { ColumnType } from '@huntfleet/contract'
import { type CellBatch, form } from './cell-batch.ts'
import { PageBuffer } from './page-buffer.ts'
import { type PageValues, type ValueEncoder, wrongCell } from './value-encoder.ts'

/** Bytes of the widest decimal, 38 digits. */
const widest = 16

/** DECIMAL of more than 18 digits: two's complement, highest byte first, in as many bytes as the precision needs. */
export class WideDecimalEncoder implements ValueEncoder {
  readonly #type: ColumnType
  readonly #width: number
  readonly #limit: bigint
  readonly #page = new PageBuffer()
  readonly #scratch = Buffer.alloc(widest)
  #min: bigint | undefined
  #max: bigint | undefined

  constructor(type: ColumnType, precision: number, width: number) {
    this.#type = type
    this.#width = width
    this.#limit = 10n ** BigInt(precision)
  }

  get size(): number {
    return this.#page.length
  }

  append({ forms, cells }: CellBatch, from: number, to: number): number {
    const page = this.#page
    page.reserve((to - from) * this.#width)
    for (let at = from; at < to; at++) {
      if (forms[at] === form.none) continue
      const cell = cells[at]
      if (typeof cell !== 'bigint' || cell >= this.#limit || cell <= -this.#limit)
        throw wrongCell(this.#type, cell)
      this.#scratch.writeBigInt64BE(cell >> 64n, 0)
      this.#scratch.writeBigUInt64BE(BigInt.asUintN(64, cell), 8)
      page.length += this.#scratch.copy(page.bytes, page.length, widest - this.#width)
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
