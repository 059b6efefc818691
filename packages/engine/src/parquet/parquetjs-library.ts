import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'

/** What we use of parquetjs-lite, which has no types of its own. */
export interface ParquetjsLibrary {
  ParquetSchema: new (fields: Readonly<Record<string, object>>) => object
  ParquetWriter: {
    openStream(schema: object, sink: Writable, options: object): Promise<ParquetjsFile>
  }
}

export interface ParquetjsFile {
  appendRow(row: Readonly<Record<string, unknown>>): Promise<void>
  setMetadata(key: string, value: string): void
  setRowGroupSize(rows: number): void
  close(): Promise<void>
}

const require = createRequire(import.meta.url)

/** Loads the package, which costs whoever does not choose it nothing. */
export function parquetjsLibrary(): ParquetjsLibrary {
  return require('parquetjs-lite')
}
