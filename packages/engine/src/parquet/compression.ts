import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { ParquetWriter } from 'hyparquet-writer'

/** How pages are compressed. Every common reader knows all four; zstd is the smallest. */
export type ParquetCompression = 'zstd' | 'snappy' | 'gzip' | 'none'

type HyparquetOptions = ConstructorParameters<typeof ParquetWriter>[0]

/** What hyparquet-writer needs for a compression; snappy is its own. */
export const compressions: Readonly<
  Record<ParquetCompression, Pick<HyparquetOptions, 'codec' | 'compressors'>>
> = {
  zstd: { codec: 'ZSTD', compressors: { ZSTD: (page) => zstdCompressSync(page) } },
  snappy: { codec: 'SNAPPY' },
  gzip: { codec: 'GZIP', compressors: { GZIP: (page) => gzipSync(page) } },
  none: { codec: 'UNCOMPRESSED' },
}
