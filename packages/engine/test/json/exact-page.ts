import type { CellValue } from '../../src/coerce/cell-value.ts'
import { Rejection } from '../../src/coerce/rejection.ts'
import { type Exact, isExactArray, isExactObject } from '../../src/json/exact.ts'
import type { FastPage, FastReject, FastTable } from '../../src/json/fast-rows.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { compileMapping } from '../../src/mapping.ts'

export type ExactPage = Omit<FastPage, 'root'>

/** The cells and rejects of a page on the exact way; null for anything but objects in an array. */
export function exactPage(table: FastTable, text: string): ExactPage | null {
  const root = parseExact(text, { lenientNumbers: true })
  const rows = isExactObject(root) && table.itemsKey !== null ? root.get(table.itemsKey) : root
  if (!isExactArray(rows) || !rows.every(isExactObject)) return null
  const readers = compileMapping(
    table.columns.map(({ sources }) => sources),
    table.nullValues,
  )
  const rejects: FastReject[] = []
  const columns = table.columns.map((): CellValue[] => [])
  for (const [index, row] of rows.entries()) {
    for (const [column, { coerce }] of table.columns.entries()) {
      const raw: Exact | undefined = readers[column]?.(row)
      const rejection = coerce(raw)
      if (!(rejection instanceof Rejection)) columns[column]?.push(rejection)
      else {
        columns[column]?.push(rejection.stored)
        rejects.push({ row: index + 1, column, rejection, raw })
      }
    }
  }
  return { rows: rows.length, columns, rejects }
}

const wide = /^(?:U?BIGINT|TIME.*|DECIMAL.*)$/

/** The page with bigint wherever the coercers give bigint. */
export function comparable(table: FastTable, page: FastPage): ExactPage {
  const columns = page.columns.map((cells, index) =>
    wide.test(table.columns[index]?.spec.type ?? '')
      ? cells.map((cell) => (typeof cell === 'number' ? BigInt(cell) : cell))
      : cells,
  )
  return { rows: page.rows, columns, rejects: page.rejects }
}
