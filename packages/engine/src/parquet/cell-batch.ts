import type { CellValue } from '../coerce/cell-value.ts'

/** How a cell of a batch is held. */
export const form = {
  /** Null. */
  none: 0,
  /** In `cells`, as the column's coercer makes it. */
  cell: 1,
  /** In `numbers`: the value of a numeric column, or a safe integer of a 64-bit integer, a time or a timestamp. */
  number: 2,
  /** As UTF-8 between `starts` and `ends` of `bytes`. */
  text: 3,
} as const

/** Cells of one column, each in the form in which it costs least. */
export class CellBatch {
  readonly forms: Uint8Array
  readonly cells: CellValue[]
  readonly numbers: Float64Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** What holds the texts. */
  bytes: DataView = nothing

  /** A batch of these cells; up to `places` of them may be given another form. */
  constructor(cells: CellValue[], places = 0) {
    this.cells = cells
    this.forms = new Uint8Array(cells.length)
    for (let at = 0; at < cells.length; at++) this.forms[at] = cells[at] === null ? form.none : form.cell
    this.numbers = new Float64Array(places)
    this.starts = new Int32Array(places)
    this.ends = new Int32Array(places)
  }

  /** A cell as `CellValue` has it, but that a safe integer of a 64-bit type, or a time, may be a number. */
  value(at: number): CellValue {
    switch (this.forms[at]) {
      case form.none:
        return null
      case form.number:
        return this.numbers[at]!
      case form.text: {
        const { buffer, byteOffset } = this.bytes
        const start = this.starts[at]!
        return Buffer.from(buffer, byteOffset + start, this.ends[at]! - start).toString()
      }
      default:
        return this.cells[at] ?? null
    }
  }
}

const nothing = new DataView(new ArrayBuffer(0))
