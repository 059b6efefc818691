import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** The first rows of a Parquet file as text cells, read by DuckDB: by somebody else than who wrote it. */
export interface FirstRows {
  columns: string[]
  rows: string[][]
}

export async function firstRows(parquet: Uint8Array, count: number): Promise<FirstRows> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-demo-'))
  try {
    const file = join(folder, 'table.parquet')
    await writeFile(file, parquet)
    const database = await DuckDBInstance.create()
    const connection = await database.connect()
    const reader = await connection.runAndReadAll('SELECT * FROM read_parquet($file) LIMIT $count', {
      file,
      count,
    })
    const rows = reader.getRowsJson().map((row) => row.map(cellText))
    connection.closeSync()
    database.closeSync()
    return { columns: reader.columnNames(), rows }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Wider cells would break the lines of a terminal. */
const widestCell = 40

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
}
