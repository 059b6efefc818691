import type { FieldSource } from '../../packages/contract/src/table-spec.ts'
import { arrayScanner, scannedRowsOf } from '../../packages/engine/src/json/scanned-array.ts'
import { compileMapping } from '../../packages/engine/src/mapping.ts'
import { createParquetWriter, type ParquetWriter } from '../../packages/engine/src/parquet/parquet-writer.ts'
import { ScannedColumns } from '../../packages/engine/src/scanned-columns.ts'
import { protectedCoercer } from '../../packages/engine/src/sensitive.ts'
import { eventColumns } from './event-pages.ts'

const mapping = eventColumns.map(({ name }): FieldSource[] => [{ from: 'path', path: name }])
const readers = compileMapping(mapping, [])
const columns = new ScannedColumns(
  eventColumns.map((spec, index) => ({
    spec,
    coerce: protectedCoercer(spec),
    sources: mapping[index] ?? [],
    read: readers[index] ?? (() => undefined),
  })),
  [],
)

/** Text of a page → cells → the open Parquet file. */
export async function stagePage(writer: ParquetWriter, text: string): Promise<void> {
  const scanned = arrayScanner(text.toWellFormed())(0)
  const rows = scanned === undefined ? undefined : scannedRowsOf(scanned.value)
  if (rows === undefined) throw new Error('the benchmark measures the fast way only')
  for (let at = 0; at < rows.length; ) {
    const filled = columns.fill(rows, at, rows.length)
    if (filled === 0) throw new Error('the benchmark has no values that do not fit')
    const writing = writer.appendColumns(columns.batches, filled)
    if (writing !== undefined) await writing
    at += filled
  }
  rows.release()
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
