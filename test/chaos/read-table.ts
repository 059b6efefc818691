import { writeFile } from 'node:fs/promises'
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

/** `folder` holds the file that is being read. */
export async function openTableReader(folder: string): Promise<TableReader> {
  const database = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection: DuckDBConnection = await database.connect()
  const file = join(folder, 'read.parquet')
  // One file, one at a time.
  let last: Promise<unknown> = Promise.resolve()
  const readNow = async (parquet: Uint8Array): Promise<SourceRow[]> => {
    await writeFile(file, parquet)
    const query = `SELECT i, key, "at", text FROM read_parquet('${file}', file_row_number = true) ORDER BY file_row_number`
    const reader = await connection.runAndReadAll(query)
    return reader.getRowObjectsJson().map((row) => rowSchema.parse(row))
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
