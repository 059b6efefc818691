import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
import { countingWriter, eventBatches, stagePage } from './stage-page.ts'

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

/** hyparquet-writer with our parsing and coercion before it, in row groups of 50,000 rows as ours. */
export function hyparquetWriter(pages: readonly string[]): Contestant {
  return {
    name: 'hyparquet-writer, snappy',
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
        for (const batch of eventBatches(page)) addCells(columns, batch.columns)
        if ((columns[0]?.length ?? 0) >= rowGroupSize) await flush()
      }
      if ((columns[0]?.length ?? 0) > 0) await flush()
      await writer.finish()
      return output.offset
    },
  }
}

/** Adds a page's cells; hyparquet-writer wants every 64-bit integer as bigint. */
function addCells(columns: readonly CellValue[][], cells: readonly (readonly CellValue[])[]): void {
  for (const [index, { type }] of eventColumns.entries()) {
    const isWide = type === 'BIGINT' || type === 'TIMESTAMPTZ'
    for (const cell of cells[index] ?? [])
      columns[index]?.push(isWide && typeof cell === 'number' ? BigInt(cell) : cell)
  }
}

/** DuckDB as a user would take it, from a file of JSON lines that is there already. It may use all processors. */
export async function duckDb(pages: readonly string[]): Promise<Contestant & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'huntfleet-bench-'))
  const input = join(folder, 'events.ndjson')
  const output = join(folder, 'events.parquet')
  writeFileSync(
    input,
    pages.flatMap((page) => JSON.parse(page).map((row: unknown) => `${JSON.stringify(row)}\n`)).join(''),
  )
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

/** parquetjs-lite with our parsing and coercion before it; null where it is not installed. */
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
  for (const { columns, rows } of pages.flatMap((page) => [...eventBatches(page)])) {
    for (let row = 0; row < rows; row++) {
      const cells = eventColumns.map(({ name }, index) => [name, columns[index]?.[row] ?? null] as const)
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
