import { z } from 'zod'
import { jsonObjectSchema, jsonSchema } from './json-value.ts'
import { errorDocumentSchema } from './manifest.ts'
import { outcomes, proofs } from './outcome.ts'

/**
 * How far a table has come, between two pages: all that another worker needs to go on without asking the source again.
 * The pages of the open part stand beside it as they were received; those before it are pieces of the future file.
 */

/** The version of the checkpoints that this program writes and understands; any other is ignored. */
export const checkpointVersion = 1

const count = z.int().nonnegative()

/** What a table has spent of its budget, over all attempts. */
export const budgetSpentSchema = z.strictObject({
  /** Milliseconds. */
  timeMs: z.number().nonnegative(),
  pages: count,
  calls: count,
  retries: count,
  bytes: count,
})
export type BudgetSpent = z.infer<typeof budgetSpentSchema>

/** How the fetch of one part ended; texts are masked. */
export const savedEndSchema = z.strictObject({
  outcome: z.enum(outcomes),
  reason: z.string(),
  proof: z.enum(proofs).nullable(),
  error: errorDocumentSchema.nullable(),
  notes: z.array(z.string()),
  server: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
})
export type SavedEnd = z.infer<typeof savedEndSchema>

/** Where the fetch of the open part stands. */
export const fetchPlaceSchema = z.strictObject({
  /** Id of the search that was submitted; null: none was, or none is needed. */
  searchJob: jsonSchema,
  /** Rows asked for per page, as in force; null before the first page and without pagination. */
  pageSize: z.int().positive().nullable(),
  /** The paginator's state for the next page; null: the first page. */
  state: jsonObjectSchema.nullable(),
  /** Whether the fetch has begun again because its cursor had expired. */
  restarted: z.boolean(),
  /** The header row that a page has brought. */
  header: z.array(z.string()).nullable(),
  /** What the source has said about rows that it kept back. */
  truncation: z.string().nullable(),
  /** Pages of the fetch that are stored. */
  pages: count,
  notes: z.array(z.string()),
})
export type FetchPlace = z.infer<typeof fetchPlaceSchema>

/** An object in storage. */
const storedObjectSchema = z.strictObject({
  key: z.string(),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** A part of the table that is encoded and stored. */
export const sealedPartSchema = z.strictObject({
  /** Bytes of the future file; null: the part brought none. */
  piece: storedObjectSchema.nullable(),
  /** What must be remembered to go on behind it. */
  memory: storedObjectSchema,
})
export type SealedPart = z.infer<typeof sealedPartSchema>

export const checkpointStateSchema = z.strictObject({
  v: z.literal(checkpointVersion),
  /** Fingerprint of the table's spec: a checkpoint of another one is of no use. */
  spec: z.string(),
  /** Replayed pages never pass for live ones. */
  source: z.enum(['live', 'replay']),
  /** When it was saved, ISO 8601 UTC. */
  savedAt: z.iso.datetime(),
  budget: budgetSpentSchema,
  /** Whether the table was begun again from nothing because its cursor had expired. */
  startedOver: z.boolean(),
  /** Notes of the table as a whole; masked. */
  notes: z.array(z.string()),
  /** How the parts before the open one ended. */
  ends: z.array(savedEndSchema),
  place: fetchPlaceSchema,
  /** Whether nothing more will be asked for. */
  ended: z.boolean(),
  /** Pages that the table holds. */
  pages: count,
  /** Rows that the table holds. */
  rows: count,
  sealed: z.array(sealedPartSchema),
  /** State of the SHA-256 over the bytes of all pieces, base64; null without pieces. */
  sha256State: z.base64().nullable(),
})
export type CheckpointState = z.infer<typeof checkpointStateSchema>

/** A checkpoint as it was loaded. */
export interface SavedCheckpoint {
  state: CheckpointState
  /** The open part's pages in their order, each as its pipeline gave it out. */
  pages: readonly Uint8Array[]
}

/** What is to be saved. */
export interface CheckpointSave {
  state: CheckpointState
  /** Pages that are new. */
  pages: readonly Uint8Array[]
  /** Whether the pages saved before belong to a part that is sealed, or given up: they are forgotten. */
  newPart: boolean
}
