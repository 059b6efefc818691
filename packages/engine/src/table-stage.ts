import { type PageEntry, RunError, type TableEntry, type TableSpec } from '@huntfleet/contract'
import type { CellValue } from './coerce/cell-value.ts'
import type { Coercer } from './coerce/coercer.ts'
import { Rejection } from './coerce/rejection.ts'
import type { PageReceipt, PageReceiver } from './fetch-pages.ts'
import { compactJson } from './json/compact.ts'
import { compileMapping, type ReadField } from './mapping.ts'
import type { ParquetWriter } from './parquet/parquet-writer.ts'
import { compilePath, type Path, readPath } from './path.ts'
import type { AnswerPage } from './read-answer.ts'
import { RejectsFile } from './rejects.ts'
import { protectedCoercer } from './sensitive.ts'
import type { SourceRow } from './source-row.ts'

/**
 * Takes a table's pages: maps and coerces their rows, appends them to the Parquet file, counts what did not fit.
 * Every row that a source sent is stored, rejected, dropped as a double, or beyond `max_rows`; each of these is counted.
 */
export class TableStage implements PageReceiver {
  readonly #spec: TableSpec
  readonly #writer: ParquetWriter
  readonly #coercers: readonly Coercer[]
  readonly #readers: readonly (readonly ReadField[])[]
  readonly #keyPaths: readonly Path[]
  readonly #keys = new Set<string>()
  readonly #nulls: number[]
  readonly rejects: RejectsFile
  readonly ledger: PageEntry[] = []
  rows = 0
  dropped = 0
  duplicates = 0

  constructor(spec: TableSpec, writer: ParquetWriter) {
    this.#spec = spec
    this.#writer = writer
    this.#coercers = spec.columns.map(protectedCoercer)
    this.#readers = spec.fetches.map((fetch) => compileMapping(fetch.mapping, fetch.answer.nullValues))
    this.#keyPaths = spec.dedupeKey.map(compilePath)
    this.#nulls = spec.columns.map(() => 0)
    this.rejects = new RejectsFile(spec.columns)
  }

  async receive(page: AnswerPage, entry: PageEntry): Promise<PageReceipt> {
    this.ledger.push(entry)
    this.#addRejects(page, entry.page)
    const readers = this.#readers[entry.part] ?? []
    for (const [index, row] of page.rows.entries()) {
      const isFull = this.rows >= this.#spec.budget.maxRows
      if (this.#isDouble(row, !isFull)) this.duplicates += 1
      else if (isFull) return { cut: true, full: true }
      else {
        const flushing = this.#append(this.#coerce(row, readers, entry.page, index + 1))
        if (flushing !== undefined) await flushing
      }
    }
    return { cut: false, full: this.rows >= this.#spec.budget.maxRows }
  }

  #addRejects(page: AnswerPage, number: number): void {
    for (const reject of page.rejects) {
      this.rejects.addRow(number, reject)
      if (!reject.stored) this.dropped += 1
      if (this.#spec.onReject === 'fail') throw this.#rejected(reject.reason, number)
    }
  }

  /** Stores a row; undefined is one that is dropped. */
  #append(cells: CellValue[] | undefined): void | Promise<void> {
    if (cells === undefined) {
      this.dropped += 1
      return
    }
    // Counted here and not when coercing: a dropped row's nulls are in no file.
    for (let i = 0; i < cells.length; i++) if (cells[i] === null) this.#nulls[i] = (this.#nulls[i] ?? 0) + 1
    this.rows += 1
    return this.#writer.appendRow(cells)
  }

  /** The row's cells; undefined when the row is to be dropped because a value did not fit. */
  #coerce(
    row: SourceRow,
    readers: readonly ReadField[],
    page: number,
    position: number,
  ): CellValue[] | undefined {
    const cells = new Array<CellValue>(this.#coercers.length)
    let drop = false
    for (let i = 0; i < cells.length; i++) {
      const raw = readers[i]?.(row)
      const cell = this.#coercers[i]?.(raw) ?? null
      if (!(cell instanceof Rejection)) {
        cells[i] = cell
        continue
      }
      const name = this.#spec.columns[i]?.name ?? ''
      this.rejects.addCell(page, position, name, cell, raw)
      if (this.#spec.onReject === 'fail')
        throw this.#rejected(`column ${name}: ${cell.reasons[0] ?? ''}`, page)
      drop ||= this.#spec.onReject === 'drop_row'
      cells[i] = cell.stored
    }
    return drop ? undefined : cells
  }

  #rejected(reason: string, page: number): RunError {
    return new RunError('ROW_REJECTED', `a value did not fit and on_reject is fail: ${reason}`, {
      table: this.#spec.table,
      page,
      hint: 'correct the column type or field_map, or set on_reject: null to keep the row with null',
    })
  }

  #isDouble(row: SourceRow, remember: boolean): boolean {
    if (this.#keyPaths.length === 0) return false
    const values = this.#keyPaths.map((path) => readPath(row, path))
    // A row without its key cannot be told from others: it is kept.
    if (values.every((value) => value === undefined || value === null)) return false
    const key = compactJson(values.map((value) => value ?? null))
    if (this.#keys.has(key)) return true
    if (remember) this.#keys.add(key)
    return false
  }

  /** Type, nulls and rejects per column, for the manifest. */
  columns(): TableEntry['columns'] {
    return Object.fromEntries(
      this.#spec.columns.map((column, i) => [
        column.name,
        {
          type: column.type,
          nulls: this.#nulls[i] ?? 0,
          rejects: this.rejects.byColumn.get(column.name) ?? 0,
        },
      ]),
    )
  }
}
