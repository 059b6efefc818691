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
import type { Cell } from './answer-case.ts'

/** A Parquet file as DuckDB reads it. */
export interface ParquetTable {
  types: Record<string, string>
  rows: Cell[][]
}

/** Reads Parquet files with DuckDB, that is, with none of our own code. */
export class ParquetReader implements Disposable {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.#connection = connection
  }

  static async open(): Promise<ParquetReader> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    return new ParquetReader(instance, await instance.connect())
  }

  async read(path: string): Promise<ParquetTable> {
    const result = await this.#connection.runAndReadAll(
      `select * from read_parquet('${path.replaceAll("'", "''")}', hive_partitioning = false)`,
    )
    const types = result.columnTypes()
    return {
      types: Object.fromEntries(result.columnNames().map((name, at) => [name, String(types[at])])),
      rows: result.getRows().map((row) => row.map(cellOf)),
    }
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}

/**
 * A value as cases write it: integers of 64 bits and decimals as their digits, times as ISO 8601 with microseconds,
 * bytes as `0x` hex, NaN and infinities as their words.
 */
function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : spelling(value)
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue)
    return isoMicros(value.micros)
  if (value instanceof DuckDBDateValue) return new Date(value.days * 86_400_000).toISOString().slice(0, 10)
  if (value instanceof DuckDBTimeValue) return isoMicros(value.micros).slice(11, -1)
  if (value instanceof DuckDBBlobValue) return `0x${Buffer.from(value.bytes).toString('hex')}`
  if (value instanceof DuckDBListValue) return value.items.map(cellOf)
  if (value instanceof DuckDBDecimalValue || value instanceof DuckDBUUIDValue) return value.toString()
  throw new TypeError(`no column of ours is read as ${value.constructor.name}`)
}

function spelling(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

function isoMicros(micros: bigint): string {
  const perSecond = 1_000_000n
  const rest = ((micros % perSecond) + perSecond) % perSecond
  const seconds = Number((micros - rest) / perSecond)
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${String(rest).padStart(6, '0')}Z`
}
