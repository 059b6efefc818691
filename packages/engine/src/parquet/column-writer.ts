import type { writeIndexes } from 'hyparquet-writer/src/indexes.js'
import type { CellBatch } from './cell-batch.ts'

/** A finished column chunk as the footer lists it, with the index of its pages. */
export type IndexedChunk = Parameters<typeof writeIndexes>[1][number]
export type ColumnChunk = IndexedChunk['chunk']
export type ChunkMetadata = NonNullable<ColumnChunk['meta_data']>

export interface EncodedChunk extends IndexedChunk {
  /** What to write, in this order. */
  parts: Uint8Array[]
}

/** Encodes one column, row group by row group. */
export interface ColumnWriter {
  /** Bytes of the open row group before compression, roughly. */
  readonly bytes: number
  /** Adds the cells from `from` to `to`. Throws INTERNAL for a cell that is none of the column's type. */
  append(batch: CellBatch, from: number, to: number): void
  /** Ends the row group; `offset` is where in the file the chunk will stand. */
  takeChunk(offset: number): EncodedChunk
}
