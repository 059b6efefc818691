import { type ColumnSpec, RunError } from '@huntfleet/contract'
import type { SchemaElement } from 'hyparquet-writer'
import type { CellValue } from '../coerce/cell-value.ts'
import { CellBatch } from './cell-batch.ts'
import type { ColumnChunk, ColumnWriter, IndexedChunk } from './column-writer.ts'
import { compressors, type PageCompressor, type ParquetCompression } from './compression.ts'
import { fileFooter, magic, type RowGroup } from './file-footer.ts'
import { FlatColumn } from './flat-column.ts'
import { ListColumn } from './list-column.ts'
import { flatElement, parquetSchema, typeOf } from './parquet-schema.ts'
import { PendingRows } from './pending-rows.ts'
import { valueEncoder } from './value-encoders.ts'
import { WriterState } from './writer-state.ts'

/**
 * Writes one Parquet file, row group by row group. After any error the file cannot be completed: every further call
 * throws the same error, and what was written has no footer, so that no reader takes it for a file.
 */
export interface ParquetWriter {
  /**
   * Takes a row in the columns' order. When it returns a promise a row group is being written: await it before the
   * next row (back-pressure). Throws INTERNAL for a row of another width or a call that did not wait.
   */
  appendRow(cells: readonly CellValue[]): void | Promise<void>
  /**
   * Takes many rows as columns, each with at least `rows` cells, behind those that were appended before. When it returns
   * a promise, await it (back-pressure); the batches are the caller's again afterwards. Throws INTERNAL for columns that
   * do not fit the table or a call that did not wait.
   */
  appendColumns(columns: readonly CellBatch[], rows: number): void | Promise<void>
  /**
   * Ends the row group, if one is open. Resolves, with what the footer must say of the row groups since the last `seal`,
   * once their bytes have been written.
   */
  seal(): Promise<SealedRowGroups>
  /** Goes on behind row groups that another writer has sealed, in their order. Throws INTERNAL once there are rows. */
  restore(sealed: readonly SealedRowGroups[]): void
  /** Writes the remaining rows and the footer with its key-value metadata. */
  finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number }>
}

/** What the footer must say of row groups that are written. Plain data. */
export interface SealedRowGroups {
  rowGroups: readonly Omit<RowGroup, 'columns'>[]
  /** Those of the first row group, in the order of the columns, then those of the next. */
  chunks: readonly IndexedChunk[]
  /** Rows of the file so far. */
  rows: number
  /** Bytes of the file so far. */
  offset: number
}

export interface ParquetWriterOptions {
  /** Rows of a row group; default 50,000. */
  rowGroupRows?: number
  /** A row group ends earlier at about so many bytes before compression; default 64 MB. */
  rowGroupBytes?: number
  /** Default zstd. */
  codec?: ParquetCompression
}

// Measured: larger groups scan no faster and hold more memory, smaller ones cost size and scan time.
const defaultRows = 50_000
const defaultBytes = 64_000_000

/** Rows are encoded in batches of so many, or of so many bytes: small enough to be in the processor's cache. */
const batchRows = 1_024
const batchBytes = 1_000_000

/**
 * Opens a writer for rows of these columns; cells are as `CellValue` says for their type. `write` takes bytes over and
 * resolves when more may come; its errors come back from the writer's methods unchanged.
 */
export function createParquetWriter(
  columns: readonly ColumnSpec[],
  write: (bytes: Uint8Array) => Promise<void>,
  options: ParquetWriterOptions = {},
): ParquetWriter {
  return new GroupedParquetWriter(columns, write, options)
}

class GroupedParquetWriter implements ParquetWriter {
  readonly #schema: SchemaElement[]
  readonly #columns: readonly ColumnWriter[]
  readonly #write: (bytes: Uint8Array) => Promise<void>
  readonly #groupRowLimit: number
  readonly #groupByteLimit: number
  readonly #rowGroups: RowGroup[] = []
  readonly #chunks: IndexedChunk[] = []
  #pending: PendingRows
  /** Rows of the open row group that are encoded. */
  #groupRows = 0
  /** Bytes before compression that they take, roughly. */
  #groupBytes = 0
  #rows = 0
  /** Bytes of the file that have been written. */
  #offset = 0
  /** Row groups that `seal` has given out. */
  #sealedGroups = 0
  readonly #state = new WriterState()

  constructor(
    columns: readonly ColumnSpec[],
    write: (bytes: Uint8Array) => Promise<void>,
    options: ParquetWriterOptions,
  ) {
    this.#schema = parquetSchema(columns)
    const compressor = compressors[options.codec ?? 'zstd']
    this.#columns = columns.map((column) => columnWriter(column, this.#schema, compressor))
    this.#write = write
    this.#groupRowLimit = options.rowGroupRows ?? defaultRows
    this.#groupByteLimit = options.rowGroupBytes ?? defaultBytes
    this.#pending = new PendingRows(columns.length)
  }

  appendRow(cells: readonly CellValue[]): void | Promise<void> {
    this.#state.mustBeOpen('appendRow')
    if (cells.length !== this.#columns.length) {
      throw new RunError(
        'INTERNAL',
        `a row of ${cells.length} cells for a table of ${this.#columns.length} columns`,
      )
    }
    this.#pending.append(cells)
    if (this.#isGroupFull()) return this.#state.during(() => this.#writeGroup())
    if (this.#pending.rows >= batchRows || this.#pending.bytes >= batchBytes)
      this.#state.duringSync(() => this.#encodePending())
  }

  appendColumns(columns: readonly CellBatch[], rows: number): void | Promise<void> {
    this.#state.mustBeOpen('appendColumns')
    if (columns.length !== this.#columns.length || columns.some(({ forms }) => forms.length < rows)) {
      throw new RunError(
        'INTERNAL',
        `${columns.length} columns of ${rows} rows, or not so many, for a table of ${this.#columns.length} columns`,
      )
    }
    const end = this.#state.duringSync(() => {
      this.#encodePending()
      return this.#encodeUntilFull(columns, 0, rows)
    })
    if (this.#isGroupFull()) return this.#state.during(() => this.#writeGroups(columns, end, rows))
  }

  async seal(): Promise<SealedRowGroups> {
    this.#state.mustBeOpen('seal')
    await this.#state.during(async () => {
      if (this.#groupRows + this.#pending.rows > 0) await this.#writeGroup()
    })
    const from = this.#sealedGroups
    this.#sealedGroups = this.#rowGroups.length
    return {
      rowGroups: this.#rowGroups.slice(from).map(({ columns: _, ...group }) => group),
      chunks: this.#chunks.slice(from * this.#columns.length),
      rows: this.#rows,
      offset: this.#offset,
    }
  }

  restore(sealed: readonly SealedRowGroups[]): void {
    this.#state.mustBeOpen('restore')
    if (this.#offset > 0 || this.#groupRows + this.#pending.rows > 0)
      throw new RunError('INTERNAL', 'a Parquet writer that has rows cannot go on behind others')
    const width = this.#columns.length
    for (const { rowGroups, chunks, rows, offset } of sealed) {
      for (const [i, group] of rowGroups.entries()) {
        // The footer finds the place of a page index in the chunk that the index belongs to: they must be one object.
        const own = chunks.slice(i * width, (i + 1) * width)
        this.#rowGroups.push({ ...group, columns: own.map(({ chunk }) => chunk) })
        this.#chunks.push(...own)
      }
      this.#rows = rows
      this.#offset = offset
    }
    this.#sealedGroups = this.#rowGroups.length
  }

  async finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number }> {
    this.#state.mustBeOpen('finish')
    await this.#state.during(async () => {
      if (this.#groupRows + this.#pending.rows > 0) await this.#writeGroup()
      await this.#writeFooter(metadata)
    })
    this.#state.finish()
    return { rows: this.#rows }
  }

  #isGroupFull(): boolean {
    if (this.#groupRows + this.#pending.rows >= this.#groupRowLimit) return true
    return this.#groupBytes + this.#pending.bytes >= this.#groupByteLimit
  }

  #encodePending(): void {
    const pending = this.#pending
    if (pending.rows === 0) return
    this.#pending = new PendingRows(this.#columns.length)
    this.#encode(
      pending.columns.map((cells) => new CellBatch(cells)),
      0,
      pending.rows,
    )
  }

  /** Encodes rows from `from` on until there are no more or the row group is full; returns where it stopped. */
  #encodeUntilFull(columns: readonly CellBatch[], from: number, rows: number): number {
    let at = from
    while (at < rows && !this.#isGroupFull()) {
      const end = Math.min(rows, at + batchRows, at + this.#groupRowLimit - this.#groupRows)
      this.#encode(columns, at, end)
      at = end
    }
    return at
  }

  #encode(columns: readonly CellBatch[], from: number, to: number): void {
    this.#groupBytes = 0
    for (const [index, column] of this.#columns.entries()) {
      column.append(columns[index]!, from, to)
      this.#groupBytes += column.bytes
    }
    this.#groupRows += to - from
  }

  /** Writes the full row group, then the rows behind it and the row groups that they fill. */
  async #writeGroups(columns: readonly CellBatch[], from: number, rows: number): Promise<void> {
    let at = from
    while (this.#isGroupFull()) {
      await this.#writeGroup()
      at = this.#encodeUntilFull(columns, at, rows)
    }
  }

  async #writeGroup(): Promise<void> {
    this.#encodePending()
    const parts: Uint8Array[] = this.#offset === 0 ? [magic] : []
    const start = this.#offset + (parts[0]?.length ?? 0)
    let offset = start
    const columns: ColumnChunk[] = []
    for (const column of this.#columns) {
      const { parts: bytes, ...indexed } = column.takeChunk(offset)
      for (const part of bytes) offset += part.length
      parts.push(...bytes)
      columns.push(indexed.chunk)
      this.#chunks.push(indexed)
    }
    this.#rowGroups.push({
      columns,
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      num_rows: BigInt(this.#groupRows),
      total_compressed_size: BigInt(offset - start),
      file_offset: BigInt(start),
    })
    this.#rows += this.#groupRows
    this.#groupRows = 0
    this.#groupBytes = 0
    await this.#hand(joined(parts))
  }

  async #writeFooter(metadata: Readonly<Record<string, string>>): Promise<void> {
    if (this.#offset === 0) this.#offset = magic.length
    const footer = fileFooter(
      { schema: this.#schema, rows: this.#rows, rowGroups: this.#rowGroups, chunks: this.#chunks, metadata },
      this.#offset,
    )
    await this.#hand(this.#rows === 0 ? joined([magic, footer]) : footer)
  }

  /** The bytes are handed over and never touched again. */
  async #hand(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length
    await this.#write(bytes)
  }
}

function columnWriter(column: ColumnSpec, schema: SchemaElement[], compressor: PageCompressor): ColumnWriter {
  const type = typeOf(column)
  if (type.kind === 'LIST') return new ListColumn(column.name, type, schema, compressor)
  return new FlatColumn(flatElement(column.name, type), valueEncoder(type), compressor)
}

/** One piece of memory of its own, so that whoever takes it over may also send it to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
