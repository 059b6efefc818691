import { type PageEntry, RunError, type TableEntry, type TableSpec } from '@huntfleet/contract'
import type { CellValue } from './coerce/cell-value.ts'
import type { Coercer } from './coerce/coercer.ts'
import { Rejection } from './coerce/rejection.ts'
import { compactJson } from './json/compact.ts'
import { scannedRowsOf } from './json/scanned-array.ts'
import type { ScannedRows } from './json/scanned-rows.ts'
import { compileMapping, type ReadField } from './mapping.ts'
import { type CellBatch, form } from './parquet/cell-batch.ts'
import type { ParquetWriter } from './parquet/parquet-writer.ts'
import { compilePath, firstKeys, type Path, readPath } from './path.ts'
import type { AnswerPage } from './read-answer.ts'
import { RejectsFile, type RejectsMemory } from './rejects.ts'
import { batchRows, ScannedColumns } from './scanned-columns.ts'
import { protectedCoercer } from './sensitive.ts'
import type { SourceRow } from './source-row.ts'
import type { PageReceipt } from './table-pipeline.ts'

/** Where rows go. */
type RowWriter = Pick<ParquetWriter, 'appendRow' | 'appendColumns'>

type StageReceipt = Pick<PageReceipt, 'cut' | 'full'>

/** What a stage knows of the rows that it has taken. Plain data. */
export interface StageMemory {
  rows: number
  dropped: number
  duplicates: number
  keyless: number
  nulls: readonly number[]
  keys: readonly string[]
  rejects: RejectsMemory
}

/**
 * Takes a table's pages: maps and coerces their rows, appends them to the Parquet file, counts what did not fit.
 * Every row that a source sent is stored, rejected, dropped as a double, or beyond `max_rows`; each of these is counted.
 */
export class TableStage {
  readonly #spec: TableSpec
  readonly #writer: RowWriter
  readonly #coercers: readonly Coercer[]
  readonly #readers: readonly (readonly ReadField[])[]
  readonly #scannedColumns: readonly ScannedColumns[]
  /** What tells a row from its double; null stands for the whole row. */
  readonly #keyPaths: readonly (Path | null)[]
  /** The keys of a row that those paths may begin with; null: the whole row is needed. */
  readonly #keyNames: readonly string[] | null
  readonly #keys = new Set<string>()
  readonly #nulls: number[]
  readonly rejects: RejectsFile
  rows = 0
  dropped = 0
  duplicates = 0
  /** Rows that are stored and have no key. */
  #keyless = 0
  /** Keys and kept rejects that `memory` has given out. */
  #rememberedKeys = 0
  #rememberedRejects = 0

  /** `mask` hides secrets in the rejects; rows are stored as the source sent them. */
  constructor(spec: TableSpec, writer: RowWriter, mask?: (text: string) => string) {
    this.#spec = spec
    this.#writer = writer
    this.#coercers = spec.columns.map(protectedCoercer)
    this.#readers = spec.fetches.map((fetch) => compileMapping(fetch.mapping, fetch.answer.nullValues))
    this.#scannedColumns = spec.fetches.map(
      ({ mapping, answer }, part) =>
        new ScannedColumns(
          spec.columns.map((column, index) => ({
            spec: column,
            sources: mapping[index] ?? [],
            read: this.#readers[part]?.[index] ?? (() => undefined),
            coerce: this.#coercers[index] ?? (() => null),
          })),
          answer.nullValues,
        ),
    )
    this.#keyPaths = spec.dedupeKey.map((path) => (path === '$' ? null : compilePath(path)))
    this.#keyNames = this.#keyPaths.every((path) => path !== null) ? this.#keyPaths.flatMap(firstKeys) : null
    this.#nulls = spec.columns.map(() => 0)
    this.rejects = new RejectsFile(spec.columns, mask)
  }

  get knowsDoubles(): boolean {
    return this.#keyPaths.length > 0 && this.#keyless === 0
  }

  /** Takes a page. Its rows may not be read afterwards. */
  async receive(page: AnswerPage, entry: PageEntry): Promise<StageReceipt> {
    this.#addRejects(page, entry.page)
    const scanned = scannedRowsOf(page.rows)
    if (scanned !== undefined && page.rejects.length === 0) {
      const receipt = await this.#receiveScanned(scanned, entry)
      scanned.release()
      return receipt
    }
    const incomplete = incompleteRows(page, this.#spec.onReject)
    const readers = this.#readers[entry.part] ?? []
    const position = positions(page)
    for (const row of page.rows) {
      const key = this.#keyOf(row)
      const at = position()
      if (key !== null && this.#keys.has(key)) this.duplicates += 1
      else if (this.rows >= this.#spec.budget.maxRows) return { cut: true, full: true }
      else {
        const cells = this.#coerce(row, readers, entry.page, at)
        const flushing = this.#take(incomplete.has(at) ? undefined : cells, key)
        if (flushing !== undefined) await flushing
      }
    }
    return { cut: false, full: this.rows >= this.#spec.budget.maxRows }
  }

  /** Rows that are not parsed yet go to their columns in batches; one with a value that does not fit goes alone. */
  async #receiveScanned(rows: ScannedRows, { part, page }: PageEntry): Promise<StageReceipt> {
    const columns = this.#scannedColumns[part]
    const readers = this.#readers[part] ?? []
    /** Grows as long as everything fits, so that a page of rejects is not tried over and over again. */
    let wanted = batchRows
    for (let at = 0; at < rows.length; ) {
      const keys = this.#distinctKeys(rows, at, Math.min(wanted, rows.length - at))
      const room = this.#spec.budget.maxRows - this.rows
      if (keys.length === 0) {
        this.duplicates += 1
        at += 1
        continue
      }
      if (room <= 0) return { cut: true, full: true }
      const filled = columns?.fill(rows, at, Math.min(keys.length, room)) ?? 0
      const flushing =
        filled > 0
          ? this.#takeColumns(columns?.batches ?? [], keys.slice(0, filled))
          : this.#take(this.#coerce(rows.row(at), readers, page, at + 1), keys[0] ?? null)
      if (flushing !== undefined) await flushing
      at += Math.max(1, filled)
      wanted = Math.min(batchRows, 2 * Math.max(1, filled))
    }
    return { cut: false, full: this.rows >= this.#spec.budget.maxRows }
  }

  /** The keys of rows from `from` on, at most so many, up to the first double. */
  #distinctKeys(rows: ScannedRows, from: number, most: number): (string | null)[] {
    if (this.#keyPaths.length === 0) return new Array(most).fill(null)
    const keys: (string | null)[] = []
    const own = new Set<string>()
    for (let at = from; at < from + most; at++) {
      const key = this.#keyOf(this.#keyNames === null ? rows.row(at) : rows.pick(at, this.#keyNames))
      if (key !== null && (this.#keys.has(key) || own.has(key))) break
      keys.push(key)
      if (key !== null) own.add(key)
    }
    return keys
  }

  #takeColumns(batches: readonly CellBatch[], keys: readonly (string | null)[]): void | Promise<void> {
    for (const [column, { forms }] of batches.entries()) {
      let nulls = 0
      for (let at = 0; at < keys.length; at++) if (forms[at] === form.none) nulls++
      this.#nulls[column] = (this.#nulls[column] ?? 0) + nulls
    }
    for (const key of keys) this.#remember(key)
    this.rows += keys.length
    return this.#writer.appendColumns(batches, keys.length)
  }

  #remember(key: string | null): void {
    if (key === null) this.#keyless += 1
    else this.#keys.add(key)
  }

  #addRejects(page: AnswerPage, number: number): void {
    for (const reject of page.rejects) {
      this.rejects.addRow(number, reject)
      if (!reject.stored) this.dropped += 1
      if (this.#spec.onReject === 'fail') throw this.#rejected(reject.reason, number)
    }
  }

  /** Stores a row; undefined is one that is dropped. */
  #take(cells: CellValue[] | undefined, key: string | null): void | Promise<void> {
    if (cells === undefined) {
      this.dropped += 1
      return
    }
    // Remembered here and not before: the double of a row that was dropped is no double of anything that is stored.
    this.#remember(key)
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

  /** What tells a row from its double; null: nothing does, and it is kept. */
  #keyOf(row: SourceRow): string | null {
    if (this.#keyPaths.length === 0) return null
    const values = this.#keyPaths.map((path) => (path === null ? row : (readPath(row, path) ?? null)))
    return values.every((value) => value === null) ? null : compactJson(values)
  }

  /** What must be remembered to go on with this table: all counts, and what was added since the last `memory`. */
  memory(): StageMemory {
    const { rows, dropped, duplicates } = this
    const keys = [...this.#keys].slice(this.#rememberedKeys)
    const rejects = this.rejects.memory(this.#rememberedRejects)
    this.#rememberedKeys = this.#keys.size
    this.#rememberedRejects = this.rejects.kept
    return { rows, dropped, duplicates, keyless: this.#keyless, nulls: [...this.#nulls], keys, rejects }
  }

  /** Goes on behind another stage's memories, in their order. */
  restore(memories: readonly StageMemory[]): void {
    for (const { rows, dropped, duplicates, keyless, nulls, keys, rejects } of memories) {
      this.rows = rows
      this.dropped = dropped
      this.duplicates = duplicates
      this.#keyless = keyless
      for (const [i, count] of nulls.entries()) this.#nulls[i] = count
      for (const key of keys) this.#keys.add(key)
      this.rejects.restore(rejects)
    }
    this.#rememberedKeys = this.#keys.size
    this.#rememberedRejects = this.rejects.kept
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

/** Positions of a page's rows, one after the other: those of rejected elements are passed over. */
function positions(page: AnswerPage): () => number {
  const rejected = new Set(page.rejects.filter((reject) => !reject.stored).map((reject) => reject.row))
  let at = 0
  return () => {
    do at += 1
    while (rejected.has(at))
    return at
  }
}

/** Positions of the rows that are stored although cells are missing, where rows that are not whole are dropped. */
function incompleteRows(page: AnswerPage, onReject: TableSpec['onReject']): ReadonlySet<number> {
  const partial = onReject === 'drop_row' ? page.rejects.filter((reject) => reject.stored) : []
  return new Set(partial.map((reject) => reject.row))
}
