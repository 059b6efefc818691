import type { ColumnSpec } from '@huntfleet/contract'
import type { CellValue } from './coerce/cell-value.ts'
import type { Rejection } from './coerce/rejection.ts'
import { compactJson } from './json/compact.ts'
import type { Exact } from './json/exact.ts'
import { createParquetWriter } from './parquet/parquet-writer.ts'
import { maskedText } from './sensitive.ts'
import type { RowReject } from './source-row.ts'

/** Rejects that a file keeps; the others are counted only (SPEC section 9). */
export const keptRejects = 1_000
/** Characters of a raw value that are kept. */
const rawLength = 4_096

function column(name: string, type: string): ColumnSpec {
  return { name, type, required: false, format: null, timezone: null, round: 'reject', sensitive: 'none' }
}

/** The columns of every rejects file. */
const rejectsColumns: readonly ColumnSpec[] = [
  /** 1-based page of the table. */
  column('page', 'INTEGER'),
  /** 1-based position of the row in its page. */
  column('row', 'BIGINT'),
  /** Null where a whole row was rejected. */
  column('column', 'VARCHAR'),
  column('reason', 'VARCHAR'),
  /** The value as JSON text, or the text of a row that could not be parsed; cut to 4,096 characters and `…`. */
  column('raw', 'VARCHAR'),
]

/** The rejects of a table at one moment. Plain data. */
export interface RejectsMemory {
  total: number
  byColumn: readonly (readonly [column: string, count: number])[]
  kept: readonly (readonly CellValue[])[]
}

/**
 * The rejects of one table: the first 1,000 are kept, all are counted. Of a sensitive column no value is kept, and of
 * a table with such a column no row that could not be parsed, since it holds the column's value too.
 */
export class RejectsFile {
  readonly #sensitive: ReadonlySet<string>
  readonly #byColumn: Map<string, number>
  readonly #kept: CellValue[][] = []
  readonly #mask: (text: string) => string
  #total = 0

  /** `mask` hides secrets: what a source could not write as a row may well be a report of what it was asked. */
  constructor(columns: readonly ColumnSpec[], mask: (text: string) => string = (text) => text) {
    this.#mask = mask
    this.#sensitive = new Set(columns.filter((spec) => spec.sensitive !== 'none').map((spec) => spec.name))
    this.#byColumn = new Map(columns.map((spec) => [spec.name, 0]))
  }

  /** All rejects: values and rows. */
  get total(): number {
    return this.#total
  }

  /** Rejected values by column; every column of the table is there. */
  get byColumn(): ReadonlyMap<string, number> {
    return this.#byColumn
  }

  /** Rejects that the file holds. */
  get kept(): number {
    return this.#kept.length
  }

  /** A value that did not fit its column. `raw` is what the source sent. */
  addCell(page: number, row: number, columnName: string, rejection: Rejection, raw: Exact | undefined): void {
    this.#total += rejection.count
    this.#byColumn.set(columnName, (this.#byColumn.get(columnName) ?? 0) + rejection.count)
    if (this.#full) return
    const text = this.#sensitive.has(columnName)
      ? maskedText
      : raw === undefined
        ? null
        : cut(this.#mask(compactJson(raw)))
    for (const reason of rejection.reasons) this.#keep(page, row, columnName, this.#mask(reason), text)
  }

  /** A row, or a part of one, that its format could not read. */
  addRow(page: number, reject: RowReject): void {
    this.#total += 1
    if (this.#full) return
    // What a parser says about a row may quote it.
    const withheld = this.#sensitive.size > 0
    const reason = withheld
      ? 'the row could not be read (withheld: the table has sensitive columns)'
      : this.#mask(reject.reason)
    this.#keep(page, reject.row, null, reason, withheld ? maskedText : cut(this.#mask(reject.raw)))
  }

  /** What must be remembered to go on with these rejects; of the kept ones only those from `from` on. */
  memory(from: number): RejectsMemory {
    return { total: this.#total, byColumn: [...this.#byColumn], kept: this.#kept.slice(from) }
  }

  /** Goes on behind rejects of which `memory` was taken; called for each memory in turn. */
  restore({ total, byColumn, kept }: RejectsMemory): void {
    this.#total = total
    for (const [column, count] of byColumn) this.#byColumn.set(column, count)
    this.#kept.push(...kept.map((cells) => [...cells]))
  }

  /** The file as Parquet. */
  async toParquet(metadata: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    const writer = createParquetWriter(rejectsColumns, async (bytes) => {
      parts.push(bytes)
    })
    for (const cells of this.#kept) await writer.appendRow(cells)
    await writer.finish(metadata)
    return Buffer.concat(parts)
  }

  get #full(): boolean {
    return this.#kept.length >= keptRejects
  }

  #keep(page: number, row: number, columnName: string | null, reason: string, raw: string | null): void {
    if (!this.#full) this.#kept.push([page, BigInt(row), columnName, reason, raw])
  }
}

function cut(text: string): string {
  // A cut through a surrogate pair leaves half of it, which Parquet cannot hold.
  return (text.length > rawLength ? `${text.slice(0, rawLength)}…` : text).toWellFormed()
}
