import type { CellValue } from '../coerce/cell-value.ts'

/** Bytes that a cell takes before compression, as an estimate: text counts its UTF-16 units. */
export function cellSize(cell: CellValue): number {
  if (cell === null) return 1
  if (typeof cell === 'string') return cell.length + 4
  if (typeof cell !== 'object') return 8
  if (cell instanceof Uint8Array) return cell.length + 4
  let bytes = 4
  for (const element of cell) bytes += cellSize(element)
  return bytes
}
