import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBUUIDValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import type { ColumnSpec } from '@huntfleet/contract'
import { parquetReadObjects } from 'hyparquet'
import type { CellValue } from '../../src/coerce/cell-value.ts'
import { createParquetWriter, type ParquetWriterOptions } from '../../src/parquet/parquet-writer.ts'

/** The bytes of a file with these rows. */
export async function written(
  columns: readonly ColumnSpec[],
  rows: Iterable<readonly CellValue[]>,
  options: ParquetWriterOptions = {},
  metadata: Record<string, string> = {},
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const writer = createParquetWriter(
    columns,
    async (bytes) => {
      parts.push(bytes)
    },
    options,
  )
  for (const row of rows) await writer.appendRow(row)
  await writer.finish(metadata)
  return Buffer.concat(parts)
}

/** DuckDB over files of a folder of its own; every file has a new path. */
export class DuckDbReader implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'huntfleet-parquet-'))
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  #files = 0

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open(): Promise<DuckDbReader> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    return new DuckDbReader(instance, await instance.connect())
  }

  /** Stores a file and returns what stands for it in SQL. */
  file(bytes: Uint8Array): string {
    const path = join(this.#folder, `${this.#files++}.parquet`)
    writeFileSync(path, bytes)
    return `'${path}'`
  }

  async query(sql: string): Promise<CellValue[][]> {
    const result = await this.#connection.runAndReadAll(sql)
    return result.getRows().map((row) => row.map(cellOf))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.closeSync()
    this.#instance.closeSync()
    rmSync(this.#folder, { recursive: true })
  }
}

/** What DuckDB read, as we would have written it. */
function cellOf(value: DuckDBValue): CellValue {
  if (value instanceof DuckDBDecimalValue) return value.value
  if (value instanceof DuckDBDateValue) return value.days
  if (value instanceof DuckDBTimeValue) return value.micros
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBUUIDValue) return value.toString()
  if (value instanceof DuckDBBlobValue) return Uint8Array.from(value.bytes)
  if (value instanceof DuckDBListValue) return value.items.map(cellOf)
  if (value === null || typeof value !== 'object') return value
  throw new TypeError(`no cell of ours is read as ${value.constructor.name}`)
}

/** Column `c` as hyparquet reads it: times and dates as numbers, decimals as floats. */
export async function readByHyparquet(bytes: Uint8Array): Promise<unknown[]> {
  const buffer = Uint8Array.from(bytes).buffer
  const rows = await parquetReadObjects({
    file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
    utf8: false,
    compressors: { ZSTD: (page) => zstdDecompressSync(page), GZIP: (page) => gunzipSync(page) },
    parsers: {
      timestampFromMicroseconds: (micros) => micros,
      dateFromDays: (days) => days,
      jsonFromBytes: (text) => new TextDecoder().decode(text),
      stringFromBytes: (text) => text && new TextDecoder().decode(text),
    },
  })
  return rows.map((row) => row['c'] ?? null)
}
