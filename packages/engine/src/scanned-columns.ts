import { type ColumnSpec, type FieldSource, parseColumnType } from '@huntfleet/contract'
import type { CellValue } from './coerce/cell-value.ts'
import type { Coercer } from './coerce/coercer.ts'
import { Rejection } from './coerce/rejection.ts'
import { compileShortCell, type ShortCell } from './coerce/short-cell.ts'
import type { Exact } from './json/exact.ts'
import type { ScannedField } from './json/scan-memory.ts'
import type { ScannedRows } from './json/scanned-rows.ts'
import type { ReadField } from './mapping.ts'
import { CellBatch, form } from './parquet/cell-batch.ts'
import { compilePath, firstKeys } from './path.ts'
import type { SourceRow } from './source-row.ts'

/** A column of a table: where its cells come from, and how they are made. */
export interface MappedColumn {
  spec: ColumnSpec
  sources: readonly FieldSource[]
  read: ReadField
  coerce: Coercer
}

/** Rows of a batch: what they hold is still in the processor's cache when the last column reads it. */
export const batchRows = 256

/** Bytes that the processor fetches at once. */
const cacheLine = 64

/**
 * Fills the columns of a table from scanned rows, column by column: common values without parsing them, all others as the
 * exact way does, from the one value that is needed.
 */
export class ScannedColumns {
  readonly batches: readonly CellBatch[]
  readonly #columns: readonly ScannedColumn[]

  constructor(columns: readonly MappedColumn[], nullValues: readonly string[]) {
    this.#columns = columns.map((column) => new ScannedColumn(column, nullValues))
    this.batches = columns.map(() => new CellBatch(new Array<CellValue>(batchRows).fill(null), batchRows))
  }

  /**
   * Fills `batches` with the cells of the rows behind `from`, at most so many; returns how many. They end early before a
   * row with a value that does not fit its column.
   */
  fill(rows: ScannedRows, from: number, most: number): number {
    let count = Math.min(most, batchRows, rows.length - from)
    const values = new RowValues(rows, from)
    values.touch(count)
    for (let index = 0; index < this.#columns.length; index++)
      count = this.#columns[index]!.fill(values, count, this.batches[index]!)
    return count
  }
}

/** Values of scanned rows from one row on, each parsed at most once. */
class RowValues {
  readonly rows: ScannedRows
  readonly from: number
  readonly #parsed: Map<string, Exact>[] = []

  /** What keeps `touch` from being optimised away. */
  touched = 0

  constructor(rows: ScannedRows, from: number) {
    this.rows = rows
    this.from = from
  }

  /**
   * Reads the rows' text once from front to end, one byte per cache line: the processor sees that coming, and fetches
   * ahead. Columns jump from row to row, which it does not see; without this, filling them took 1.7 times as long.
   */
  touch(count: number): void {
    if (count === 0) return
    const { places, stride, memory } = this.rows
    const { int32, bytes } = memory
    const first = places + this.from * stride
    const end = int32[first + (count - 1) * stride + 1]!
    for (let at = int32[first]!; at < end; at += cacheLine) this.touched ^= bytes[at]!
  }

  /** A row with those of the given keys that it has, and perhaps with others. */
  row(at: number, keys: readonly string[]): SourceRow {
    this.#parsed[at] ??= new Map()
    const row = this.#parsed[at]
    for (const key of keys) {
      const field = this.rows.fields.get(key)
      if (field === undefined || row.has(key)) continue
      const value = this.rows.value(field, this.from + at)
      if (value !== undefined) row.set(key, value)
    }
    return row
  }
}

class ScannedColumn {
  readonly #column: MappedColumn
  readonly #short: ShortCell
  /** Whether texts are taken as they are. */
  readonly #isText: boolean
  /** Keys of a row that are read; null: the whole row. */
  readonly #keys: readonly string[] | null
  /** The key whose value is the column's when a row has it; null: there is no such key. */
  readonly #key: string | null
  /** Other keys under which the value may be when a row has not that one. */
  readonly #others: readonly string[]
  /** Lengths in bytes of the texts that mean null. */
  readonly #nullLengths: ReadonlySet<number>

  constructor(column: MappedColumn, nullValues: readonly string[]) {
    this.#column = column
    this.#short = compileShortCell(column.spec) ?? (() => false)
    const type = parseColumnType(column.spec.type)
    this.#isText = type?.kind === 'VARCHAR' && column.spec.sensitive === 'none'
    this.#keys = keysOf(column.sources)
    this.#key = column.sources.length === 1 ? (this.#keys?.[0] ?? null) : null
    this.#others = this.#keys?.slice(1) ?? []
    this.#nullLengths = new Set(nullValues.map((text) => Buffer.byteLength(text)))
  }

  /** Fills a batch; returns how many rows were filled, fewer than `count` where the next one has a value that does not fit. */
  fill(values: RowValues, count: number, batch: CellBatch): number {
    const { fields } = values.rows
    const field = this.#key === null ? undefined : fields.get(this.#key)
    const mayBeElsewhere = this.#key === null || this.#others.some((key) => fields.has(key))
    if (field !== undefined) return this.#fillFrom(field, mayBeElsewhere, values, count, batch)
    for (let at = 0; at < count; at++) {
      if (!mayBeElsewhere && !this.#column.spec.required) batch.forms[at] = form.none
      else if (!this.#exact(values, batch, at)) return at
    }
    return count
  }

  #fillFrom(
    field: ScannedField,
    mayBeElsewhere: boolean,
    values: RowValues,
    count: number,
    batch: CellBatch,
  ): number {
    const { places, stride, memory } = values.rows
    const { int32, bytes } = memory
    const absentIsNull = !mayBeElsewhere && !this.#column.spec.required
    const nullIsNull = !this.#column.spec.required
    const short = this.#short
    const nullLengths = this.#nullLengths
    const anyNulls = nullLengths.size > 0
    const isText = this.#isText
    let place = places + values.from * stride + 2 * field.place
    if (isText && this.#areTexts(values.rows, place, count, batch)) return count
    for (let at = 0; at < count; at++, place += stride) {
      const start = int32[place]!
      const end = int32[place + 1]!
      const mayBeNull = anyNulls && nullLengths.has(end - start - 2)
      if (isText && !mayBeNull && batch.forms[at] === form.text) continue
      if (start === 0 ? absentIsNull : bytes[start] === 0x6e && nullIsNull) batch.forms[at] = form.none
      else if (start === 0 || bytes[start] === 0x6e || mayBeNull || !short(bytes, start, end, batch, at)) {
        if (!this.#exact(values, batch, at)) return at
      }
    }
    return count
  }

  /** Fills the cells that are texts, all at once; whether they all were. */
  #areTexts({ memory, stride }: ScannedRows, place: number, count: number, batch: CellBatch): boolean {
    batch.texts = memory
    return memory.texts(place, stride, count, batch) === 0 && this.#nullLengths.size === 0
  }

  /** Fills one cell as the exact way does; false when its value does not fit. */
  #exact(values: RowValues, batch: CellBatch, at: number): boolean {
    const row = this.#keys === null ? values.rows.row(values.from + at) : values.row(at, this.#keys)
    const cell = this.#column.coerce(this.#column.read(row))
    if (cell instanceof Rejection) return false
    batch.forms[at] = cell === null ? form.none : form.cell
    batch.cells[at] = cell
    return true
  }
}

/** The keys of a row in which a column may find its value, the first of them as it stands; null: it reads the whole row. */
function keysOf(sources: readonly FieldSource[]): string[] | null {
  const keys: string[] = []
  for (const source of sources) {
    if (source.from === 'row') return null
    if (source.from === 'value') continue
    keys.push(...firstKeys(compilePath(source.path)))
  }
  return keys
}
