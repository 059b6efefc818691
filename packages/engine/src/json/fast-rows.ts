import type { ColumnSpec, FieldSource } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import type { Coercer } from '../coerce/coercer.ts'
import { Rejection } from '../coerce/rejection.ts'
import type { Exact } from './exact.ts'
import { compileFastCell, type FastCell, inexact } from './fast-cell.ts'
import { NumberFidelity } from './number-fidelity.ts'
import { isPlainRow, member, type PlainField, type PlainRow, plainField } from './plain-field.ts'

/** A page whose elements are all objects. */
export interface FastPage {
  /** Rows of the page. */
  rows: number
  /** The parsed answer; no number in it of more digits than a double holds, where it is an object. */
  root: unknown
  /**
   * The rows, batch by batch, with exactly the cells and rejects of the exact way. They end early, before the first batch
   * with a value of which `JSON.parse` lost what its column needs: the rows from there on must be read exactly.
   */
  batches: () => Generator<FastBatch, void>
}

/** Some of a page's rows as columns of cells, in the columns' order. */
export interface FastBatch {
  rows: number
  /** Cells as the columns' coercers make them; safe integers of 64-bit types, and times, may be numbers. */
  columns: CellValue[][]
  /** Values that did not fit, row by row and column by column; the columns hold what is stored instead. */
  rejects: FastReject[]
}

export interface FastReject {
  /** 1-based position of the row in its page. */
  row: number
  /** 0-based position of the column. */
  column: number
  rejection: Rejection
  raw: Exact | undefined
}

interface FastColumn {
  spec: ColumnSpec
  /** The coercer that rows take on the exact way. */
  coerce: Coercer
  sources: readonly FieldSource[]
}

export interface FastTable {
  columns: readonly FastColumn[]
  nullValues: readonly string[]
  /** The key under which an object holds its rows; null: the answer is the array of rows. */
  itemsKey: string | null
}

/** Rows of a batch: what one of them holds is still in the processor's cache when the next column reads it. */
const batchRows = 256

/**
 * Compiles the fast way from the text of a JSON page to cells: `JSON.parse` instead of the exact parser, which is several
 * times slower. It gives null for a page that is no JSON, or anything but objects in an array: the caller then parses the
 * text exactly. Null instead of a function: no page of this table can go this way.
 */
export function compileFastRows(table: FastTable): ((text: string) => FastPage | null) | null {
  const fields: PlainField[] = []
  for (const { sources } of table.columns) {
    const field = plainField(sources, table.nullValues)
    if (field === undefined) return null
    fields.push(field)
  }
  const cells = table.columns.map(({ spec, coerce }) => compileFastCell(spec, coerce))
  return (text) => {
    const source = text.toWellFormed()
    const root = parsed(source.charCodeAt(0) === 0xfeff ? source.slice(1) : source)
    const rows = rowsOf(root, table.itemsKey)
    if (rows === undefined) return null
    const numbers = new NumberFidelity(source)
    // Cursors and totals stand beside the rows; what they need of a number is not known here.
    if (!Array.isArray(root) && !numbers.keeps(1)) return null
    return { rows: rows.length, root, batches: () => batchesOf(rows, fields, cells, numbers) }
  }
}

function* batchesOf(
  rows: readonly PlainRow[],
  fields: readonly PlainField[],
  cells: readonly FastCell[],
  numbers: NumberFidelity,
): Generator<FastBatch, void> {
  const reader = new RowReader(fields)
  for (let from = 0; from < rows.length; from += batchRows) {
    const to = Math.min(rows.length, from + batchRows)
    const batch = coerceBatch(reader.read(rows, from, to), from, cells, numbers)
    if (batch === null) return
    yield { rows: to - from, ...batch }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function rowsOf(root: unknown, itemsKey: string | null): readonly PlainRow[] | undefined {
  const rows: unknown = itemsKey !== null && isPlainRow(root) ? member(root, itemsKey) : root
  return Array.isArray(rows) && rows.every(isPlainRow) ? rows : undefined
}

/** The cells of a batch that starts at row `from`, 0-based; null when the exact way is needed. */
function coerceBatch(
  values: readonly unknown[][],
  from: number,
  cells: readonly FastCell[],
  numbers: NumberFidelity,
): Pick<FastBatch, 'columns' | 'rejects'> | null {
  const rejects: FastReject[] = []
  const columns: CellValue[][] = []
  for (const [column, coerce] of cells.entries()) {
    const target: CellValue[] = []
    const batch = values[column] ?? []
    // An index, because an iterator costs more than most cells do.
    for (let index = 0; index < batch.length; index++) {
      const cell = coerce(batch[index], numbers)
      if (cell === inexact) return null
      if (cell instanceof Rejection) {
        rejects.push({ row: from + index + 1, column, rejection: cell, raw: exactOf(batch[index]) })
        target.push(cell.stored)
      } else target.push(cell)
    }
    columns.push(target)
  }
  rejects.sort((a, b) => a.row - b.row || a.column - b.column)
  return { columns, rejects }
}

/** The value of a rejection as the exact parser gives it: a text, a truth value, null or nothing. */
function exactOf(value: unknown): Exact | undefined {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'boolean' || value === null ? value : undefined
}

/**
 * Reads the fields of rows, column by column. Rows mostly have the keys of the row before them in the same order; then
 * one pass over a row's members, which the engine does without looking keys up, finds all columns.
 */
class RowReader {
  readonly #fields: readonly PlainField[]
  /** Columns that read one key, by that key. */
  readonly #byKey = new Map<string, number[]>()
  /** The keys of the rows so far, and the columns that read each. */
  #keys: readonly string[] = []
  #columns: readonly (readonly number[])[] = []

  constructor(fields: readonly PlainField[]) {
    this.#fields = fields
    for (const [column, { key }] of fields.entries()) {
      if (key !== null) this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), column])
    }
  }

  /** The values of each column. */
  read(rows: readonly PlainRow[], from: number, to: number): unknown[][] {
    const values = this.#fields.map(() => new Array<unknown>(to - from).fill(undefined))
    for (let at = from; at < to; at++) {
      const row = rows[at]!
      if (!this.#readInOrder(row, values, at - from)) {
        this.#learn(row)
        this.#readByKey(row, values, at - from)
      }
    }
    for (const [column, { key, read }] of this.#fields.entries()) {
      if (key !== null) continue
      for (let at = from; at < to; at++) values[column]![at - from] = read(rows[at]!)
    }
    return values
  }

  /** False when the row has other keys, or the same in another order; some of its values are then read. */
  #readInOrder(row: PlainRow, values: readonly unknown[][], index: number): boolean {
    let position = 0
    for (const key in row) {
      if (key !== this.#keys[position]) return false
      for (const column of this.#columns[position]!) values[column]![index] = row[key]
      position++
    }
    return true
  }

  #learn(row: PlainRow): void {
    this.#keys = Object.keys(row)
    this.#columns = this.#keys.map((key) => this.#byKey.get(key) ?? [])
  }

  #readByKey(row: PlainRow, values: readonly unknown[][], index: number): void {
    for (const [key, columns] of this.#byKey) {
      const value = member(row, key)
      for (const column of columns) values[column]![index] = value
    }
  }
}
