import { type ColumnSpec, type ColumnType, RunError } from '@huntfleet/contract'
import { ParquetWriter as HyparquetWriter } from 'hyparquet-writer'
import type { CellValue } from '../coerce/cell-value.ts'
import { ByteStream } from './byte-stream.ts'
import { compressions, type ParquetCompression } from './compression.ts'
import { markJson, parquetSchema, typeOf } from './parquet-schema.ts'
import { columnSettings, RowGroup } from './row-group.ts'

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
  /** Writes the remaining rows and the footer with its key-value metadata. */
  finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number }>
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

/**
 * Opens a writer for rows of these columns; cells are as `CellValue` says for their type. `write` takes bytes over and
 * resolves when more may come; its errors come back from `appendRow` and `finish` unchanged.
 */
export function createParquetWriter(
  columns: readonly ColumnSpec[],
  write: (bytes: Uint8Array) => Promise<void>,
  options: ParquetWriterOptions = {},
): ParquetWriter {
  return new GroupedParquetWriter(columns, write, options)
}

class GroupedParquetWriter implements ParquetWriter {
  readonly #columns: readonly { name: string; type: ColumnType }[]
  readonly #groupRows: number
  readonly #groupBytes: number
  readonly #stream: ByteStream
  readonly #file: HyparquetWriter
  #group: RowGroup
  #rows = 0
  #state: 'open' | 'writing' | 'finished' | { failed: unknown } = 'open'

  constructor(
    columns: readonly ColumnSpec[],
    write: (bytes: Uint8Array) => Promise<void>,
    options: ParquetWriterOptions,
  ) {
    this.#columns = columns.map((column) => ({ name: column.name, type: typeOf(column) }))
    this.#groupRows = options.rowGroupRows ?? defaultRows
    this.#groupBytes = options.rowGroupBytes ?? defaultBytes
    this.#stream = new ByteStream(write)
    this.#file = new HyparquetWriter({
      writer: this.#stream,
      schema: parquetSchema(columns),
      createdBy: 'huntfleet',
      ...compressions[options.codec ?? 'zstd'],
    })
    this.#group = new RowGroup(columns.length)
  }

  appendRow(cells: readonly CellValue[]): void | Promise<void> {
    this.#mustBeOpen('appendRow')
    if (cells.length !== this.#columns.length) {
      throw new RunError(
        'INTERNAL',
        `a row of ${cells.length} cells for a table of ${this.#columns.length} columns`,
      )
    }
    this.#group.append(cells)
    if (this.#group.rows < this.#groupRows && this.#group.bytes < this.#groupBytes) return
    return this.#guard(() => this.#writeGroup())
  }

  async finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number }> {
    this.#mustBeOpen('finish')
    await this.#guard(async () => {
      if (this.#group.rows > 0) await this.#writeGroup()
      await this.#writeFooter(metadata)
    })
    this.#state = 'finished'
    return { rows: this.#rows }
  }

  #mustBeOpen(method: string): void {
    if (this.#state === 'open') return
    if (typeof this.#state === 'object') throw this.#state.failed
    const why =
      this.#state === 'finished' ? 'the file is finished' : 'the previous call has not ended: await it'
    throw new RunError('INTERNAL', `${method} of a Parquet writer: ${why}`)
  }

  /** Runs one piece of writing; if it fails, the writer is of no use any more. */
  async #guard(work: () => Promise<void>): Promise<void> {
    this.#state = 'writing'
    try {
      await work()
      this.#state = 'open'
    } catch (error) {
      this.#state = { failed: error }
      throw error
    }
  }

  async #writeGroup(): Promise<void> {
    const group = this.#group
    this.#group = new RowGroup(this.#columns.length)
    const columnData = this.#columns.map(({ name, type }, index) => {
      const data = group.columns[index] ?? []
      return { name, data, ...columnSettings(type, data) }
    })
    await this.#file.write({ columnData, rowGroupSize: group.rows })
    this.#rows += group.rows
  }

  async #writeFooter(metadata: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(metadata)
    if (entries.length > 0) this.#file.kvMetadata = entries.map(([key, value]) => ({ key, value }))
    markJson(this.#file.schema)
    await this.#file.finish()
    if (this.#rows === 0 && !this.#stream.repairEmptyFooter()) {
      throw new RunError('INTERNAL', 'the footer of an empty Parquet file is not laid out as expected')
    }
    await this.#stream.flush()
  }
}
