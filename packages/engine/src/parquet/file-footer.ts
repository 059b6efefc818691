import { RunError } from '@huntfleet/contract'
import { ByteWriter, type SchemaElement } from 'hyparquet-writer'
import { writeIndexes } from 'hyparquet-writer/src/indexes.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import type { IndexedChunk } from './column-writer.ts'
import { markJson } from './parquet-schema.ts'

/** `PAR1`, before the first row group and behind the footer. */
export const magic = Uint8Array.of(0x50, 0x41, 0x52, 0x31)

export type RowGroup = Parameters<typeof writeMetadata>[1]['row_groups'][number]

export interface FooterContent {
  schema: SchemaElement[]
  rows: number
  rowGroups: RowGroup[]
  chunks: IndexedChunk[]
  metadata: Readonly<Record<string, string>>
}

const formatVersion = 2
/** A footer's row count 0 as 64-bit integer and its list of no row groups, as hyparquet-writer writes them. */
const listOfNothing = Uint8Array.of(0x16, 0x00, 0x19, 0x00)
/** Where in it the type of the list's elements stands, and what it is to be. */
const elementTypeAt = 3
const listOfStructs = 0x0c

/** Page indexes and footer of a file, `offset` bytes of which have been written. Notes in the chunks where their indexes are. */
export function fileFooter(content: FooterContent, offset: number): Uint8Array {
  const writer = new ByteWriter(1 << 16)
  writer.offset = offset
  writeIndexes(writer, content.chunks)
  markJson(content.schema)
  const entries = Object.entries(content.metadata)
  writeMetadata(writer, {
    version: formatVersion,
    created_by: 'huntfleet',
    schema: content.schema,
    num_rows: BigInt(content.rows),
    row_groups: content.rowGroups,
    // Counted by the writer.
    metadata_length: 0,
    ...(entries.length === 0 ? {} : { key_value_metadata: entries.map(([key, value]) => ({ key, value })) }),
  })
  writer.appendBytes(magic)
  const footer = writer.getBytes()
  if (content.rows === 0) repairEmptyFooter(footer)
  return footer
}

/**
 * hyparquet-writer 0.17 writes the empty list of row groups as a list of nothing, where the element type must be struct
 * (arrow-rs refuses the file). Nothing before it can look the same: a schema has no 64-bit integers, and its names no
 * control characters.
 */
function repairEmptyFooter(footer: Uint8Array): void {
  const at = Buffer.from(footer.buffer, footer.byteOffset, footer.length).indexOf(listOfNothing)
  if (at < 0)
    throw new RunError('INTERNAL', 'the footer of an empty Parquet file is not laid out as expected')
  footer[at + elementTypeAt] = listOfStructs
}
