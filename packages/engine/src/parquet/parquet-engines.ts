import { createParquetWriter } from './parquet-writer.ts'
import { createParquetjsWriter } from './parquetjs-writer.ts'

/** What writes Parquet files: our own encoder, or parquetjs-lite behind a fence. */
export type ParquetEngine = 'columnar' | 'parquetjs-lite'

/** How each opens a file. */
export const parquetEngines: Readonly<Record<ParquetEngine, typeof createParquetWriter>> = {
  columnar: createParquetWriter,
  'parquetjs-lite': createParquetjsWriter,
}
