import { z } from 'zod'
import { jsonObjectSchema } from './json-value.ts'
import { runId } from './names.ts'
import { defaultDeadlineMs, noBudget, runBudgetSchema } from './run-limits.ts'
import { tableSpecSchema } from './table-spec.ts'

/** Payloads of queue jobs. They hold no secret and no row, and a worker re-validates each (SPEC sections 11 and 16.1). */

/** The version of the payloads that this program writes and understands. */
export const payloadVersion = 1

/** Where a run's files go: the absolute URL and its settings, never credentials. */
export const storageTargetSchema = z.strictObject({
  /** `file:///…` or `s3://bucket/prefix`. */
  url: z.string(),
  endpoint: z.string().nullable(),
  region: z.string().nullable(),
  pathStyle: z.boolean(),
  layout: z.string(),
})
export type StorageTarget = z.infer<typeof storageTargetSchema>

/** Contract and binding as parsed, so that a worker needs no strategy files. */
export const bundleSchema = z.strictObject({
  /** Path of the strategy's folder as the producer named it, for error messages. */
  folder: z.string(),
  contract: jsonObjectSchema,
  binding: jsonObjectSchema.nullable(),
  hashes: z.strictObject({ contract: z.string(), binding: z.string() }),
})
export type Bundle = z.infer<typeof bundleSchema>

/** Half-open interval of events that a run is about; nulls when the run has none. */
export const windowSchema = z.strictObject({ start: z.string().nullable(), end: z.string().nullable() })
export type RunWindow = z.infer<typeof windowSchema>

/** Which execution of a run a job belongs to: 1, or more for a retry. */
const retry = z.int().positive().default(1)

export const runJobSchema = z.strictObject({
  v: z.literal(payloadVersion),
  runId,
  hunt: z.string().nullable(),
  bundle: bundleSchema,
  params: jsonObjectSchema,
  scheduledAt: z.string(),
  window: windowSchema,
  storage: storageTargetSchema,
  /** Only these tables; null: all. */
  tables: z.array(z.string()).nullable(),
  /** Lowers every table's `max_rows`; null: as bound. */
  maxRows: z.int().positive().nullable(),
  require: z.enum(['any', 'complete', 'proven']),
  retry,
  /** How long after it was queued the run ends, whatever its tables are doing. */
  deadlineMs: z.int().positive().default(defaultDeadlineMs),
  budget: runBudgetSchema.default(noBudget),
})
export type RunJob = z.infer<typeof runJobSchema>

export const tableJobSchema = z.strictObject({
  v: z.literal(payloadVersion),
  runId,
  spec: tableSpecSchema,
  storage: storageTargetSchema,
  retry,
  /** When the run ends, ISO 8601 UTC; null: no table is stopped. */
  deadlineAt: z.string().nullable().default(null),
  budget: runBudgetSchema.default(noBudget),
})
export type TableJob = z.infer<typeof tableJobSchema>
