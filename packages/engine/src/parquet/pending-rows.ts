import type { CellValue } from '../coerce/cell-value.ts'
import { cellSize } from './cell-size.ts'

/** Rows that came one by one and wait to be encoded, as columns. */
export class PendingRows {
  readonly columns: readonly CellValue[][]
  rows = 0
  /** Roughly what the cells take in the file before compression. */
  bytes = 0

  constructor(width: number) {
    this.columns = Array.from({ length: width }, () => [])
  }

  append(cells: readonly CellValue[]): void {
    for (let index = 0; index < this.columns.length; index++) {
      const cell = cells[index] ?? null
      this.columns[index]?.push(cell)
      this.bytes += cellSize(cell)
    }
    this.rows++
  }
}
