import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import type { SourceRow } from './source-table.ts'

const rowSchema = z.object({
  i: z.coerce.number(),
  key: z.string(),
  at: z.string().transform((text) => new Date(`${text.replace(' ', 'T')}Z`).toISOString()),
  text: z.string(),
})

/** Reads Parquet files with DuckDB, which has no line of code in common with what wrote them. */
export interface TableReader {
  /** The rows in the order of the file. Throws when it is no whole Parquet file. */
  read(parquet: Uint8Array): Promise<SourceRow[]>
  close(): void
}

/** `folder` holds the file that is being read, and those that could not be. */
export async function openTableReader(folder: string): Promise<TableReader> {
  const database = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection: DuckDBConnection = await database.connect()
  let files = 0
  // One at a time: a connection runs one query, and memory holds one table.
  let last: Promise<unknown> = Promise.resolve()
  const readNow = async (parquet: Uint8Array): Promise<SourceRow[]> => {
    // DuckDB keeps pieces of files that it has read, by name: a name that came again would bring old pieces.
    const file = join(folder, `read-${++files}.parquet`)
    await writeFile(file, parquet)
    const query = `SELECT i, key, "at", text FROM read_parquet('${file}', file_row_number = true) ORDER BY file_row_number`
    const reader = await connection.runAndReadAll(query)
    const rows = reader.getRowObjectsJson().map((row) => rowSchema.parse(row))
    // A file that cannot be read is kept: it is the evidence.
    await rm(file)
    return rows
  }
  return {
    read(parquet) {
      const reading = last.then(
        () => readNow(parquet),
        () => readNow(parquet),
      )
      last = reading
      return reading
    },
    close() {
      connection.closeSync()
      database.closeSync()
    },
  }
}
