import { compileFastRows, type FastBatch } from '../../packages/engine/src/json/fast-rows.ts'
import { createParquetWriter, type ParquetWriter } from '../../packages/engine/src/parquet/parquet-writer.ts'
import { protectedCoercer } from '../../packages/engine/src/sensitive.ts'
import { eventColumns } from './event-pages.ts'

const fastRows = compileFastRows({
  columns: eventColumns.map((spec) => ({
    spec,
    coerce: protectedCoercer(spec),
    sources: [{ from: 'path', path: spec.name }],
  })),
  nullValues: [],
  itemsKey: null,
})

/** Text of a page → cells, batch by batch, on the fast way. */
export function* eventBatches(text: string): Generator<FastBatch, void> {
  const page = fastRows?.(text) ?? null
  let rows = 0
  for (const batch of page?.batches() ?? []) {
    rows += batch.rows
    yield batch
  }
  if (rows !== page?.rows) throw new Error('the benchmark measures the fast way only')
}

/** Text of a page → cells → the open Parquet file. */
export async function stagePage(writer: ParquetWriter, text: string): Promise<void> {
  for (const { columns, rows } of eventBatches(text)) {
    const writing = writer.appendColumns(columns, rows)
    if (writing !== undefined) await writing
  }
}

/** A writer that throws its bytes away and counts them. */
export function countingWriter(codec: 'snappy' | 'zstd'): { writer: ParquetWriter; bytes: () => number } {
  let bytes = 0
  const writer = createParquetWriter(
    eventColumns,
    async (part) => {
      bytes += part.length
    },
    { codec },
  )
  return { writer, bytes: () => bytes }
}
