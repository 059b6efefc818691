import { Writable } from 'node:stream'
import { type ColumnSpec, RunError } from '@huntfleet/contract'
import type { CellValue } from '../coerce/cell-value.ts'
import type { CellBatch } from './cell-batch.ts'
import { cellSize } from './cell-size.ts'
import type { ParquetCompression } from './compression.ts'
import type { ParquetWriter, ParquetWriterOptions, SealedRowGroups } from './parquet-writer.ts'
import { parquetjsType, refuseForParquetjs, unwritable } from './parquetjs-fence.ts'
import { type ParquetjsFile, parquetjsLibrary } from './parquetjs-library.ts'
import { WriterState } from './writer-state.ts'

const codecs: { readonly [K in ParquetCompression]?: string } = {
  snappy: 'SNAPPY',
  gzip: 'GZIP',
  none: 'UNCOMPRESSED',
}

// It holds a row group's values as JavaScript arrays, which take several times the memory of encoded ones.
const defaultRows = 10_000
const defaultBytes = 16_000_000

/**
 * Opens a writer that is parquetjs-lite 0.8.7 behind a fence: only what it writes right gets to it, and everything else is
 * PROJECT_INVALID. Its statistics and page index are off, since readers lose rows by them. It cannot be sealed.
 */
export function createParquetjsWriter(
  columns: readonly ColumnSpec[],
  write: (bytes: Uint8Array) => Promise<void>,
  options: ParquetWriterOptions = {},
): ParquetWriter {
  return new ParquetjsWriter(columns, write, options)
}

class ParquetjsWriter implements ParquetWriter {
  readonly #columns: readonly { spec: ColumnSpec; value: (cell: CellValue) => unknown }[]
  readonly #file: Promise<ParquetjsFile>
  readonly #groupRowLimit: number
  readonly #groupByteLimit: number
  #groupRows = 0
  #groupBytes = 0
  #rows = 0
  readonly #state = new WriterState()

  constructor(
    columns: readonly ColumnSpec[],
    write: (bytes: Uint8Array) => Promise<void>,
    { codec = 'snappy', rowGroupRows = defaultRows, rowGroupBytes = defaultBytes }: ParquetWriterOptions,
  ) {
    refuseForParquetjs(columns)
    const compression = codecs[codec]
    if (compression === undefined)
      throw new RunError('PROJECT_INVALID', `parquetjs-lite cannot write storage.compression: ${codec}`, {
        hint: `set storage.compression to ${Object.keys(codecs).join(', ')}, or remove storage.parquet_engine`,
      })
    this.#groupRowLimit = rowGroupRows
    this.#groupByteLimit = rowGroupBytes
    this.#columns = columns.map((spec) => ({ spec, value: parquetjsType(spec).value }))
    const fields = columns.map((spec) => [
      spec.name,
      { type: parquetjsType(spec).name, optional: true, compression, statistics: false },
    ])
    const { ParquetSchema, ParquetWriter: Library } = parquetjsLibrary()
    this.#file = Library.openStream(new ParquetSchema(Object.fromEntries(fields)), sinkOf(write), {
      rowGroupSize: rowGroupRows,
      pageIndex: false,
    })
    // Whoever appends learns of it.
    this.#file.catch(() => {})
  }

  appendRow(cells: readonly CellValue[]): Promise<void> {
    this.#state.mustBeOpen('appendRow')
    if (cells.length !== this.#columns.length) {
      throw new RunError(
        'INTERNAL',
        `a row of ${cells.length} cells for a table of ${this.#columns.length} columns`,
      )
    }
    return this.#guard(() => this.#append(cells))
  }

  appendColumns(columns: readonly CellBatch[], rows: number): Promise<void> {
    this.#state.mustBeOpen('appendColumns')
    if (columns.length !== this.#columns.length || columns.some(({ forms }) => forms.length < rows)) {
      throw new RunError(
        'INTERNAL',
        `${columns.length} columns of ${rows} rows, or not so many, for a table of ${this.#columns.length} columns`,
      )
    }
    return this.#guard(async () => {
      for (let row = 0; row < rows; row++) await this.#append(columns.map((column) => column.value(row)))
    })
  }

  /** One row, and only one at a time: of rows that are appended at once parquetjs-lite loses some and doubles others. */
  async #append(cells: readonly CellValue[]): Promise<void> {
    // Without prototype: it takes what every object inherits for a value of a column of that name.
    const row: Record<string, unknown> = Object.create(null)
    for (const [index, { spec, value }] of this.#columns.entries()) {
      const cell = cells[index] ?? null
      this.#groupBytes += cellSize(cell)
      const written = cell === null ? null : value(cell)
      if (written === undefined) throw unwritable(spec, cell)
      row[spec.name] = written
    }
    const file = await this.#file
    const isLast = this.#groupRows + 1 >= this.#groupRowLimit || this.#groupBytes >= this.#groupByteLimit
    // It looks at the size behind each row.
    file.setRowGroupSize(isLast ? 1 : this.#groupRowLimit)
    await file.appendRow(row)
    this.#rows += 1
    this.#groupRows = isLast ? 0 : this.#groupRows + 1
    if (isLast) this.#groupBytes = 0
  }

  seal(): Promise<SealedRowGroups> {
    throw new RunError('INTERNAL', 'parquetjs-lite cannot seal a part of a file')
  }

  restore(): void {
    throw new RunError('INTERNAL', 'parquetjs-lite cannot go on behind a part of a file')
  }

  async finish(metadata: Readonly<Record<string, string>>): Promise<{ rows: number }> {
    this.#state.mustBeOpen('finish')
    await this.#guard(async () => {
      const file = await this.#file
      for (const [key, value] of Object.entries(metadata)) file.setMetadata(key, value)
      await file.close()
    })
    this.#state.finish()
    return { rows: this.#rows }
  }

  #guard(work: () => Promise<void>): Promise<void> {
    return this.#state.during(async () => {
      try {
        await work()
      } catch (thrown) {
        // It throws texts.
        throw typeof thrown === 'string' ? new RunError('INTERNAL', `parquetjs-lite: ${thrown}`) : thrown
      }
    })
  }
}

/**
 * A stream for parquetjs-lite. The first bytes wait for the next ones, because it does not wait for them itself: an error
 * would be nobody's.
 */
function sinkOf(write: (bytes: Uint8Array) => Promise<void>): Writable {
  let begin: Uint8Array | null = null
  const sink = new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      if (begin === null) {
        begin = Uint8Array.from(bytes)
        done()
        return
      }
      // Memory of its own, which is handed over.
      const all = new Uint8Array(begin.length + bytes.length)
      all.set(begin)
      all.set(bytes, begin.length)
      begin = new Uint8Array()
      write(all).then(() => done(), done)
    },
  })
  // The call that wrote rejects with it.
  sink.on('error', () => {})
  return sink
}
