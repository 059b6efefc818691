import type { ColumnType } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'

/** The columns of the rows that wait for their row group to be complete. */
export class RowGroup {
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
      this.bytes += sizeOf(cell)
    }
    this.rows++
  }
}

/** Bytes that a cell takes, as an estimate: text counts its UTF-16 units. */
function sizeOf(cell: CellValue): number {
  if (cell === null) return 1
  if (typeof cell === 'string') return cell.length + 4
  if (typeof cell !== 'object') return 8
  if (cell instanceof Uint8Array) return cell.length + 4
  let bytes = 4
  for (const element of cell) bytes += sizeOf(element)
  return bytes
}

/** How hyparquet-writer is to write a column of a row group. */
export interface ColumnSettings {
  encoding?: 'PLAIN'
  statistics?: false
}

/**
 * Settings of a column's cells. Floats are never dictionaries, because a dictionary makes −0 and 0 one value. With a
 * NaN among them they have no bounds: the format leaves NaN out of those, and DuckDB, to whom it is the largest value,
 * would skip the row group that holds it.
 */
export function columnSettings(type: ColumnType, cells: readonly CellValue[]): ColumnSettings {
  const { kind } = type.kind === 'LIST' ? type.element : type
  if (kind !== 'FLOAT' && kind !== 'DOUBLE') return {}
  return cells.some(Number.isNaN) ? { encoding: 'PLAIN', statistics: false } : { encoding: 'PLAIN' }
}
