import { z } from 'zod'
import { type ErrorCode, type ErrorKind, errorCodes, errorKindNames } from './error-codes.ts'
import { jsonObjectSchema } from './json-value.ts'
import { outcomes, proofs, runStatuses } from './outcome.ts'

/**
 * The manifest of a run: written last, created only if absent, and so the commit of the run (SPEC section 11).
 * Its field names are a stable interface; times are ISO 8601 UTC, durations milliseconds, sizes bytes.
 */

const count = z.int().nonnegative()

export const errorDocumentSchema = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  kind: z.enum(errorKindNames as [ErrorKind, ...ErrorKind[]]),
  message: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
  path: z.string().optional(),
  table: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  page: z.int().optional(),
  attempt: z.int().optional(),
  retryAfterMs: z.number().optional(),
  hint: z.string().optional(),
  issues: z
    .array(
      z.object({
        message: z.string(),
        code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]).optional(),
        file: z.string().optional(),
        line: z.int().optional(),
        column: z.int().optional(),
        path: z.string().optional(),
      }),
    )
    .readonly()
    .optional(),
})

/** One line of the page ledger. */
export const pageEntrySchema = z.strictObject({
  /** 1-based over the whole table. */
  page: z.int().positive(),
  /** Which fetch of the table, 0-based. */
  part: count,
  /** Offset or page number, or a hash of the cursor; null for the first page and without pagination. */
  at: z.union([z.string(), z.number()]).nullable(),
  /** Items the source sent, before mapping and rejects. */
  items: count,
  bytes: count,
  ms: count,
  /** Attempt of the job that stored this page, 1-based. */
  attempt: z.int().positive(),
})
export type PageEntry = z.infer<typeof pageEntrySchema>

export const columnEntrySchema = z.strictObject({ type: z.string(), nulls: count, rejects: count })

/** Another attempt at a table than the one that its entry tells about. */
export const tableAttemptSchema = z.strictObject({
  /** Which execution of the run: 1, or more for a retry. */
  retry: z.int().positive(),
  outcome: z.enum(outcomes),
  reason: z.string(),
  rows: count,
  path: z.string().nullable(),
  sha256: z.string().nullable(),
  attempt: z.string().nullable(),
  error: errorDocumentSchema.nullable(),
})
export type TableAttempt = z.infer<typeof tableAttemptSchema>

export const tableEntrySchema = z.strictObject({
  outcome: z.enum(outcomes),
  /** Whether the table holds all that the source had. */
  whole: z.boolean(),
  /** A sentence. */
  reason: z.string(),
  proof: z.enum(proofs).nullable(),
  optional: z.boolean(),
  rows: count,
  bytes: count,
  pages: count,
  calls: count,
  retries: count,
  duration_ms: count,
  /** Key below the storage URL; null without a file. */
  path: z.string().nullable(),
  sha256: z.string().nullable(),
  columns: z.record(z.string(), columnEntrySchema),
  rejects: count,
  /** Rows left out because of `on_reject: drop_row` or because they were not rows at all. */
  rows_dropped: count,
  /** Rows left out by `dedupe_key`. */
  duplicates: count,
  rejects_path: z.string().nullable(),
  source: z.enum(['live', 'replay', 'agent']),
  /** The run that fetched this table, when it was shared; its files are those that are named here. */
  shared_from: z.string().optional(),
  server: z.string().nullable(),
  tool: z.string().nullable(),
  server_version: z.string().nullable(),
  hashes: z.strictObject({ contract: z.string(), binding: z.string(), args: z.string() }).nullable(),
  notes: z.array(z.string()),
  ledger: z.array(pageEntrySchema),
  /** Where the ledger goes on when it has more than 1,000 lines. */
  ledger_path: z.string().nullable(),
  attempt: z.string().nullable(),
  error: errorDocumentSchema.nullable(),
  /** Which execution of the run brought this. */
  retry: z.int().positive().default(1),
  /** The attempts of other executions of the run, in their order. */
  history: z.array(tableAttemptSchema).default([]),
})
export type TableEntry = z.infer<typeof tableEntrySchema>

export const manifestSchema = z.strictObject({
  manifest_version: z.literal(1),
  run_id: z.string(),
  strategy: z.string(),
  version: z.string(),
  hunt: z.string().nullable(),
  status: z.enum(runStatuses),
  params: jsonObjectSchema,
  scheduled_at: z.string(),
  window: z.strictObject({ start: z.string().nullable(), end: z.string().nullable() }),
  started_at: z.string(),
  finished_at: z.string(),
  /** Where `path`s are relative to; no credentials. */
  storage: z.string(),
  huntfleet_version: z.string(),
  /** Which execution of the run this tells about: 1, or more for a retry. */
  retry: z.int().positive().default(1),
  tables: z.record(z.string(), tableEntrySchema),
})
export type Manifest = z.infer<typeof manifestSchema>

/** The ledger's first lines that stand in the manifest itself. */
export const ledgerInManifest = 1_000

/** Key of a run's manifest below the storage URL; `retry` counts from 1. */
export function manifestKey(strategy: string, runId: string, retry = 1): string {
  const name = retry === 1 ? 'manifest.json' : `manifest.${retry}.json`
  return `_runs/strategy=${strategy}/run=${runId}/${name}`
}

/** The entry of a table that the fleet does not fetch, or could not begin to. */
export function unfetchedEntry(
  outcome: 'skipped' | 'native' | 'awaiting_agent' | 'failed',
  reason: string,
  table: { optional: boolean; columns: Readonly<Record<string, string>> },
  error: TableEntry['error'] = null,
): TableEntry {
  return {
    outcome,
    whole: false,
    reason,
    proof: null,
    optional: table.optional,
    rows: 0,
    bytes: 0,
    pages: 0,
    calls: 0,
    retries: 0,
    duration_ms: 0,
    path: null,
    sha256: null,
    columns: Object.fromEntries(
      Object.entries(table.columns).map(([name, type]) => [name, { type, nulls: 0, rejects: 0 }]),
    ),
    rejects: 0,
    rows_dropped: 0,
    duplicates: 0,
    rejects_path: null,
    source: 'live',
    server: null,
    tool: null,
    server_version: null,
    hashes: null,
    notes: [],
    ledger: [],
    ledger_path: null,
    attempt: null,
    error,
    retry: 1,
    history: [],
  }
}
