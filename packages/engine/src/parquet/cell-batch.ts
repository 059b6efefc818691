import type { CellValue } from '../coerce/cell-value.ts'

/** How a cell of a batch is held. */
export const form = {
  /** Null. */
  none: 0,
  /** In `cells`, as the column's coercer makes it. */
  cell: 1,
  /** In `numbers`: the value of a numeric column, or a safe integer of a 64-bit integer, a time or a timestamp. */
  number: 2,
  /** As UTF-8 between `starts` and `ends` of what `texts` holds. */
  text: 3,
} as const

/** What holds the texts of a batch. */
export interface TextSource {
  readonly view: DataView
  /**
   * The texts of rows from `from` to `to`, each behind its length in four bytes, as one piece that is valid until the next
   * call; null where that is no faster than one by one.
   */
  gather(batch: CellBatch, from: number, to: number): Uint8Array | null
}

/** Cells of one column, each in the form in which it costs least. */
export class CellBatch {
  readonly forms: Uint8Array
  readonly cells: CellValue[]
  readonly numbers: Float64Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Of each text, as `text-index.ts` makes it. */
  readonly hashes: Int32Array
  texts: TextSource = nothing

  /** A batch of these cells; up to `places` of them may be given another form. */
  constructor(cells: CellValue[], places = 0) {
    this.cells = cells
    this.forms = new Uint8Array(cells.length)
    for (let at = 0; at < cells.length; at++) this.forms[at] = cells[at] === null ? form.none : form.cell
    this.numbers = new Float64Array(places)
    this.starts = new Int32Array(places)
    this.ends = new Int32Array(places)
    this.hashes = new Int32Array(places)
  }

  /** A cell as `CellValue` has it, but that a safe integer of a 64-bit type, or a time, may be a number. */
  value(at: number): CellValue {
    switch (this.forms[at]) {
      case form.none:
        return null
      case form.number:
        return this.numbers[at]!
      case form.text: {
        const { buffer, byteOffset } = this.texts.view
        const start = this.starts[at]!
        return Buffer.from(buffer, byteOffset + start, this.ends[at]! - start).toString()
      }
      default:
        return this.cells[at] ?? null
    }
  }
}

const nothing: TextSource = { view: new DataView(new ArrayBuffer(0)), gather: () => null }
