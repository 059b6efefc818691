import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { DuckDBInstance } from '@duckdb/node-api'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { CellValue } from '../../packages/engine/src/coerce/cell-value.ts'
import { parquetSchema } from '../../packages/engine/src/parquet/parquet-schema.ts'
import { eventColumns } from './event-pages.ts'
import type { Contestant } from './measure.ts'
import { countingWriter, stagePage } from './stage-page.ts'

/** What a page costs at least: nothing can be known of its rows without this. */
export function jsonParse(pages: readonly string[]): Contestant {
  return {
    name: 'JSON.parse alone',
    run: async () => {
      for (const page of pages) JSON.parse(page)
      return null
    },
  }
}

export function ours(pages: readonly string[], codec: 'snappy' | 'zstd'): Contestant {
  return {
    name: `huntfleet, ${codec}`,
    run: async () => {
      const { writer, bytes } = countingWriter(codec)
      for (const page of pages) await stagePage(writer, page)
      await writer.finish({})
      return bytes()
    },
  }
}

const rowGroupSize = 50_000

/** hyparquet-writer behind `JSON.parse` and checks of every value, in row groups of 50,000 rows as ours. */
export function hyparquetWriter(pages: readonly string[], scale: number): Contestant {
  return {
    name: 'hyparquet-writer, snappy',
    scale,
    run: async () => {
      const output = new ByteWriter()
      const writer = new ParquetWriter({ writer: output, schema: parquetSchema(eventColumns) })
      let columns = eventColumns.map((): CellValue[] => [])
      const flush = async () => {
        const columnData = eventColumns.map(({ name }, index) => ({ name, data: columns[index] ?? [] }))
        columns = eventColumns.map(() => [])
        await writer.write({ columnData, rowGroupSize })
      }
      for (const page of pages) {
        for (const row of JSON.parse(page)) addCells(columns, row)
        if ((columns[0]?.length ?? 0) >= rowGroupSize) await flush()
      }
      if ((columns[0]?.length ?? 0) > 0) await flush()
      await writer.finish()
      return output.offset
    },
  }
}

function addCells(columns: readonly CellValue[][], row: Record<string, unknown>): void {
  for (const [index, { name, type }] of eventColumns.entries())
    columns[index]?.push(plainCell(type, row[name] ?? null))
}

/** A value of the benchmark's events as the writers take it; throws for one of another type. */
function plainCell(type: string, value: unknown): CellValue {
  if (value === null) return null
  if (type === 'VARCHAR' && typeof value === 'string') return value
  if (type === 'BOOLEAN' && typeof value === 'boolean') return value
  if (type === 'DOUBLE' && typeof value === 'number') return value
  if (type === 'INTEGER' && typeof value === 'number' && (value | 0) === value) return value
  if (type === 'BIGINT' && typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (type === 'TIMESTAMPTZ' && typeof value === 'string') return microsOf(value)
  throw new Error(`${String(value)} is no ${type}`)
}

/** Microseconds of a time with six digits behind its point. */
function microsOf(text: string): bigint {
  const millis = Date.parse(`${text.slice(0, 23)}Z`)
  if (Number.isNaN(millis) || text.length !== 27) throw new Error(`${text} is no time`)
  return BigInt(millis) * 1000n + BigInt(text.slice(23, 26))
}

/** DuckDB as a user would take it, from a file of JSON lines that is there already. It may use all processors. */
export async function duckDb(pages: readonly string[]): Promise<Contestant & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'huntfleet-bench-'))
  const input = join(folder, 'events.ndjson')
  const output = join(folder, 'events.parquet')
  for (const page of pages) appendFileSync(input, ndjson(JSON.parse(page)))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const types = eventColumns.map(({ name, type }) => `${name}: '${type}'`).join(', ')
  const rows = `read_json('${input}', format = 'newline_delimited', columns = {${types}})`
  return {
    name: 'DuckDB read_json → COPY, snappy',
    run: async () => {
      await connection.run(`COPY (FROM ${rows}) TO '${output}' (FORMAT parquet, CODEC snappy)`)
      return statSync(output).size
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync()
      instance.closeSync()
      rmSync(folder, { recursive: true })
    },
  }
}

function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

interface ParquetjsLite {
  ParquetSchema: new (fields: Record<string, object>) => object
  ParquetWriter: {
    openStream(
      schema: object,
      stream: Writable,
    ): Promise<{
      appendRow(row: object): Promise<void>
      close(): Promise<void>
    }>
  }
}

const parquetjsTypes: Readonly<Record<string, string>> = {
  TIMESTAMPTZ: 'TIMESTAMP_MICROS',
  VARCHAR: 'UTF8',
  INTEGER: 'INT32',
  BIGINT: 'INT64',
  DOUBLE: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
}

/** parquetjs-lite behind `JSON.parse` and the same checks; null where it is not installed. */
export function parquetjsLite(pages: readonly string[], scale: number): Contestant | null {
  const library = installed('parquetjs-lite')
  if (library === null) return null
  const schema = new library.ParquetSchema(
    Object.fromEntries(
      eventColumns.map(({ name, type }) => [
        name,
        { type: parquetjsTypes[type], optional: true, compression: 'SNAPPY' },
      ]),
    ),
  )
  return {
    name: 'parquetjs-lite, snappy',
    scale,
    run: async () => {
      let bytes = 0
      const sink = new Writable({
        write(part: Uint8Array, _, done) {
          bytes += part.length
          done()
        },
      })
      const writer = await library.ParquetWriter.openStream(schema, sink)
      for (const row of eventRows(pages)) await writer.appendRow(row)
      await writer.close()
      return bytes
    },
  }
}

/** The rows of pages as objects without nulls. */
function* eventRows(pages: readonly string[]): Generator<Record<string, CellValue>, void> {
  for (const page of pages) {
    for (const row of JSON.parse(page)) {
      const cells = eventColumns.map(({ name, type }) => [name, plainCell(type, row[name] ?? null)] as const)
      yield Object.fromEntries(cells.filter(([, cell]) => cell !== null))
    }
  }
}

function installed(name: 'parquetjs-lite'): ParquetjsLite | null {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
