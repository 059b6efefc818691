import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { type PageEntry, pageEntrySchema } from '@huntfleet/contract'
import { z } from 'zod'
import type { SealedRowGroups } from './parquet/parquet-writer.ts'
import type { StageMemory } from './table-stage.ts'

/** What must be remembered of a sealed part of a table, so that another pipeline can go on behind it. */
export interface PartMemory {
  ledger: readonly PageEntry[]
  stage: StageMemory
  groups: SealedRowGroups
}

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const count = z.int().nonnegative()
const isObject = (value: unknown) => typeof value === 'object' && value !== null
const cellSchema = z.custom<StageMemory['rejects']['kept'][number][number]>(
  (value) => value === null || ['string', 'number', 'bigint'].includes(typeof value),
)
/**
 * Metadata of Parquet is not looked into: the SHA-256 that the checkpoint has of these bytes says that this program
 * wrote them.
 */
const memorySchema: z.ZodType<PartMemory> = z.strictObject({
  ledger: z.array(pageEntrySchema),
  stage: z.strictObject({
    rows: count,
    dropped: count,
    duplicates: count,
    keyless: count,
    nulls: z.array(count),
    keys: z.array(z.string()),
    rejects: z.strictObject({
      total: count,
      byColumn: z.array(z.tuple([z.string(), count])),
      kept: z.array(z.array(cellSchema)),
    }),
  }),
  groups: z.strictObject({
    rowGroups: z.array(z.custom<SealedRowGroups['rowGroups'][number]>(isObject)),
    chunks: z.array(z.custom<SealedRowGroups['chunks'][number]>(isObject)),
    rows: count,
    offset: count,
  }),
})

/** The memory as bytes: bounds of columns are bigints, bytes and −0, for which JSON has no place. */
export async function packMemory(memory: PartMemory): Promise<Uint8Array> {
  return await compress(serialize(memory))
}

/** The memory that `packMemory` packed. Throws what is wrong with bytes that it did not pack. */
export async function unpackMemory(bytes: Uint8Array): Promise<PartMemory> {
  return memorySchema.parse(deserialize(await decompress(bytes)))
}
