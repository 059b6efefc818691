import { type TypeMap, tableFromIPC } from 'apache-arrow'
import polars from 'nodejs-polars'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { cellsOf, uuidOf } from './read-by-arrow.ts'

/** A column of a contract's type as polars reads it and hands it on in Arrow's format, where nothing is rounded. */
export function readByPolars(bytes: Uint8Array, type: string, column = 'c'): CellValue[] {
  const frame = polars.readParquet(Buffer.from(bytes))
  const table = tableFromIPC<TypeMap>(frame.writeIPC({ compression: 'uncompressed' }))
  return cellsOf(table.getChild(column)?.data ?? []).map((cell) => asOurs(cell, type))
}

/** Polars has neither UUID nor JSON, and reads the bytes behind them. */
function asOurs(cell: CellValue, type: string): CellValue {
  if (Array.isArray(cell)) return cell.map((element) => asOurs(element, type.slice(0, -2)))
  if (!(cell instanceof Uint8Array) || type === 'BLOB') return cell
  return type === 'UUID' ? uuidOf(cell) : Buffer.from(cell).toString()
}
