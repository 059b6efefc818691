import {
  errorDocumentSchema,
  jsonObjectSchema,
  type RunStatus,
  runStatuses,
  tableEntrySchema,
  windowSchema,
} from '@huntfleet/contract'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'

/**
 * What the fleet knows of a run, in a Redis hash of its own: BullMQ's jobs come and go, and anybody may overwrite their
 * data, while a record is kept 30 days and is written only by who holds the job's lock.
 * Times are ISO 8601 UTC.
 */

/** The part that never changes. */
const runHeadSchema = z.object({
  runId: z.string(),
  strategy: z.string(),
  version: z.string(),
  hunt: z.string().nullable(),
  /** Secrets are masked by the producer. */
  params: jsonObjectSchema,
  scheduledAt: z.string(),
  window: windowSchema,
  /** URL of the storage. */
  storage: z.string(),
  queuedAt: z.string(),
})
export type RunHead = z.infer<typeof runHeadSchema>

/** A table as it was planned: enough to write its entry when its worker cannot. */
const tableFactsSchema = z.object({
  server: z.string(),
  tool: z.string(),
  optional: z.boolean(),
  /** Type by column. */
  columns: z.record(z.string(), z.string()),
  hashes: z.strictObject({ contract: z.string(), binding: z.string(), args: z.string() }),
})
export type TableFacts = z.infer<typeof tableFactsSchema>

const tableStateSchema = z.object({
  /** null: not a table that the fleet fetches. */
  facts: tableFactsSchema.nullable(),
  /** Attempt of the job that is under way or was the last; null: none has begun. */
  attempt: z.int().nullable(),
  /** As the processor reported it last. */
  progress: jsonObjectSchema.nullable(),
  /** null: not done yet. */
  entry: tableEntrySchema.nullable(),
  /** What earlier executions of the run brought, while it is fetched again. */
  before: tableEntrySchema.nullable(),
})
export type TableState = z.infer<typeof tableStateSchema>

const runSummarySchema = runHeadSchema.extend({
  status: z.enum(runStatuses),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** Key below the storage URL; null: none was written. While a run is retried, that of the execution before. */
  manifestKey: z.string().nullable(),
  /** Which execution of the run this is: 1, or more for a retry. */
  retry: z.int().positive(),
  /** When the run ends whatever its tables are doing; null: unknown. */
  deadlineAt: z.string().nullable(),
  /** Why the run as a whole failed. */
  error: errorDocumentSchema.nullable(),
})
/** A run without its tables, as lists show it. */
export type RunSummary = z.infer<typeof runSummarySchema>

export interface RunRecord extends RunSummary {
  /** Whether the table jobs exist. */
  planned: boolean
  tables: Record<string, TableState>
}

/** Fields of the hash that make up a summary; those of a table are named by `tableField`. */
export const summaryFields = [
  'head',
  'status',
  'startedAt',
  'finishedAt',
  'manifestKey',
  'error',
  'retry',
  'deadlineAt',
] as const
export const plannedField = 'planned'
const tablePrefixes = ['facts', 'attempt', 'progress', 'entry', 'before'] as const
export function tableField(part: (typeof tablePrefixes)[number], table: string): string {
  return `${part}:${table}`
}

/** Whether nothing more happens to a run of this status by itself. */
export function hasEnded(status: RunStatus): boolean {
  return !(status === 'queued' || status === 'staging' || status === 'executing')
}

/** The statuses of runs that have not ended. */
export const openStatuses: readonly RunStatus[] = runStatuses.filter((status) => !hasEnded(status))

/** A summary from its fields; null: there is no such record, or not one that this version can read. */
export function parseRunSummary(fields: Readonly<Record<string, string | null>>): RunSummary | null {
  const head = runHeadSchema.safeParse(parseJson(fields['head']))
  if (!head.success) return null
  const parsed = runSummarySchema.safeParse({
    ...head.data,
    status: fields['status'],
    startedAt: fields['startedAt'] ?? null,
    finishedAt: fields['finishedAt'] ?? null,
    manifestKey: fields['manifestKey'] ?? null,
    error: parseJson(fields['error']),
    retry: Number(fields['retry'] ?? 1),
    deadlineAt: fields['deadlineAt'] ?? null,
  })
  return parsed.success ? parsed.data : null
}

const noState: TableState = { facts: null, attempt: null, progress: null, entry: null, before: null }

/** The whole record from its hash; null as for the summary. */
export function parseRunRecord(hash: Readonly<Record<string, string>>): RunRecord | null {
  const summary = parseRunSummary(hash)
  if (summary === null) return null
  const tables = new Map<string, TableState>()
  for (const [field, text] of Object.entries(hash)) {
    const colon = field.indexOf(':')
    const part = tablePrefixes.find((prefix) => prefix === field.slice(0, colon))
    if (part === undefined) continue
    const table = field.slice(colon + 1)
    const state = tables.get(table) ?? noState
    // A field that another version wrote differently is left out, not taken for a failure of the whole record.
    const parsed = tableStateSchema.safeParse({ ...state, [part]: parseJson(text) })
    tables.set(table, parsed.success ? parsed.data : state)
  }
  return { ...summary, planned: hash[plannedField] === '1', tables: Object.fromEntries(tables) }
}
