import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { ChunkMetadata } from './column-writer.ts'
import { snappyCompress } from './snappy.ts'

/** How pages are compressed. Every common reader knows all four; zstd is the smallest. */
export type ParquetCompression = 'zstd' | 'snappy' | 'gzip' | 'none'

export interface PageCompressor {
  /** As the Parquet format names it. */
  codec: ChunkMetadata['codec']
  /** The result shares no memory with the page. */
  compress(page: Uint8Array): Uint8Array
}

const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const compressors: Readonly<Record<ParquetCompression, PageCompressor>> = {
  zstd: { codec: 'ZSTD', compress: (page) => zstdCompressSync(page, zstdOptions) },
  snappy: { codec: 'SNAPPY', compress: snappyCompress },
  gzip: { codec: 'GZIP', compress: (page) => gzipSync(page) },
  none: { codec: 'UNCOMPRESSED', compress: (page) => page.slice() },
}
