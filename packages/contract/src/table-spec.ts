import { z } from 'zod'
import { parseColumnType } from './column-type.ts'
import { jsonObjectSchema, jsonSchema } from './json-value.ts'
import { lateArgumentSchema } from './late-argument.ts'
import { runId, serverName, strategyName, tableName } from './names.ts'
import { paginationSpecSchema } from './pagination-spec.ts'

/**
 * A table ready to fetch: contract and binding joined, placeholders filled, defaults applied, nothing optional.
 * It is plain JSON, holds no secret and no row, and is all that a worker needs beside its own project file.
 * Durations are milliseconds, sizes are bytes, times are ISO 8601 UTC.
 */

export * from './late-argument.ts'

/** One place a column's value may come from; of several, the first that is not null wins. */
export const fieldSourceSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('path'), path: z.string() }),
  z.strictObject({ from: z.literal('value'), value: jsonSchema }),
  /** The whole source row as JSON. */
  z.strictObject({ from: z.literal('row') }),
])
export type FieldSource = z.infer<typeof fieldSourceSchema>

export const columnSpecSchema = z.strictObject({
  name: tableName,
  /** Canonical type name, see `columnTypeName`. */
  type: z.string().refine((text) => parseColumnType(text) !== undefined, 'no such column type'),
  /** A null is a reject. */
  required: z.boolean(),
  /** Timestamp pattern or epoch unit (`s|ms|us|ns`); null: recognised by its looks. */
  format: z.string().nullable(),
  /** IANA zone or offset of times that carry none; null: UTC. */
  timezone: z.string().nullable(),
  /** What happens to digits that a DECIMAL has no room for. */
  round: z.enum(['reject', 'half_even']),
  sensitive: z.enum(['none', 'mask', 'hash', 'drop']),
})
export type ColumnSpec = z.infer<typeof columnSpecSchema>

/** A test on an answer: on its text, or on the value at a path of its JSON. */
const errorClass = z.enum(['auto', 'tool', 'transient', 'rate_limited', 'denied', 'data'])
export const answerRuleSchema = z.discriminatedUnion('on', [
  z.strictObject({ on: z.literal('text'), pattern: z.string(), class: errorClass }),
  z.strictObject({
    on: z.literal('path'),
    path: z.string(),
    test: z.enum(['exists', 'equals', 'not_in', 'matches']),
    /** exists: boolean; equals: any; not_in: a list; matches: a regular expression. */
    value: jsonSchema,
    class: errorClass,
    /** Where the answer says in words what went wrong; null: the value itself. */
    messagePath: z.string().nullable(),
  }),
])
export type AnswerRule = z.infer<typeof answerRuleSchema>

/** How to take rows out of an answer, SPEC sections 6 and 10. */
export const answerSpecSchema = z.strictObject({
  format: z.string(),
  /** Named adapter; takes the place of the format. */
  adapter: z.string().nullable(),
  contentFrom: z.enum(['auto', 'text', 'structured', 'resource']),
  blocks: z.union([z.enum(['auto', 'first', 'last', 'all', 'each']), z.int()]),
  /** Leave out the first so many text blocks, or all that do not match. */
  skipBlocks: z.int().nonnegative(),
  matchBlocks: z.string().nullable(),
  followLinks: z.boolean(),
  extract: z.enum(['auto', 'none', 'fenced', 'json']),
  /** Regular expression: only the text behind its first match counts. */
  extractAfter: z.string().nullable(),
  extractBetween: z.tuple([z.string(), z.string()]).nullable(),
  textPath: z.string().nullable(),
  csv: z.strictObject({ delimiter: z.string(), comment: z.string().nullable(), header: z.boolean() }),
  /** null: the built-in rules. */
  errorWhen: z.array(answerRuleSchema).nullable(),
  emptyWhen: z.array(answerRuleSchema),
  /** null: the built-in rules. */
  truncatedWhen: z.array(answerRuleSchema).nullable(),
  onTruncated: z.enum(['warn', 'fail', 'split']),
  itemsPath: z.string().nullable(),
  itemPath: z.string().nullable(),
  columnsPath: z.string().nullable(),
  cellPath: z.string().nullable(),
  headerRow: z.enum(['none', 'first_page', 'every_page']),
  singleItem: z.boolean(),
  rows: z.enum(['auto', 'objects', 'matrix', 'columns', 'pairs']),
  nullValues: z.array(z.string()),
})
export type AnswerSpec = z.infer<typeof answerSpecSchema>

/** One source, or one part of a source, of a table. */
export const fetchSpecSchema = z.strictObject({
  server: serverName,
  configKey: serverName.nullable(),
  tool: z.string().min(1),
  /** Which part this is, for notes and the page ledger; empty for the only one. */
  label: z.string(),
  args: jsonObjectSchema,
  late: z.array(lateArgumentSchema),
  timeoutMs: z.int().positive(),
  answer: answerSpecSchema,
  pagination: paginationSpecSchema,
  retry: z.strictObject({
    attempts: z.int().positive(),
    baseMs: z.int().positive(),
    maxMs: z.int().positive(),
  }),
  /** Per column of the table, in its order. */
  mapping: z.array(z.array(fieldSourceSchema)),
})
export type FetchSpec = z.infer<typeof fetchSpecSchema>

export const tableSpecSchema = z.strictObject({
  runId,
  strategy: strategyName,
  version: z.string(),
  table: tableName,
  /** Of the first source: the queue and the limits that the table belongs to, and what messages call it. */
  server: serverName,
  tool: z.string().min(1),
  optional: z.boolean(),
  columns: z.array(columnSpecSchema).min(1),
  /** In order; their rows go into the one table. None: a `for_each` over an empty list. */
  fetches: z.array(fetchSpecSchema),
  /** Over all fetches and all attempts. */
  budget: z.strictObject({
    timeMs: z.int().positive(),
    maxRows: z.int().positive(),
    maxBytes: z.int().positive().nullable(),
    maxPages: z.int().positive().nullable(),
    maxCalls: z.int().positive().nullable(),
  }),
  onReject: z.enum(['null', 'drop_row', 'fail']),
  onIncomplete: z.enum(['keep', 'fail']),
  /** Source-row paths that tell a row from its double; empty: no deduplication. */
  dedupeKey: z.array(z.string()),
  /** Key prefixes below the storage URL, without a trailing slash; an attempt adds its own name. */
  dataPrefix: z.string(),
  rejectsPrefix: z.string(),
  scheduledAt: z.string(),
  hashes: z.strictObject({ contract: z.string(), binding: z.string(), args: z.string() }),
})
export type TableSpec = z.infer<typeof tableSpecSchema>
