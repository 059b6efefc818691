import type { CellValue } from '../../src/coerce/cell-value.ts'
import { Rejection } from '../../src/coerce/rejection.ts'
import { type Exact, isExactArray, isExactObject } from '../../src/json/exact.ts'
import type { FastBatch, FastPage, FastReject, FastTable } from '../../src/json/fast-rows.ts'
import { parseExact } from '../../src/json/parse-exact.ts'
import { compileMapping } from '../../src/mapping.ts'

/** The cells and rejects of a page on the exact way; null for anything but objects in an array. */
export function exactPage(table: FastTable, text: string): FastBatch | null {
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

/** The batches of a page as one. */
export function wholePage(page: FastPage): FastBatch {
  const batches = [...page.batches()]
  const width = batches[0]?.columns.length ?? 0
  return {
    rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    columns: Array.from({ length: width }, (_, column) =>
      batches.flatMap((batch) => batch.columns[column] ?? []),
    ),
    rejects: batches.flatMap((batch) => batch.rejects),
  }
}

/** The rows with bigint wherever the coercers give bigint. */
export function comparable(table: FastTable, batch: FastBatch): FastBatch {
  const columns = batch.columns.map((cells, index) =>
    wide.test(table.columns[index]?.spec.type ?? '')
      ? cells.map((cell) => (typeof cell === 'number' ? BigInt(cell) : cell))
      : cells,
  )
  return { ...batch, columns }
}
