import { z } from 'zod'
import { jsonObjectSchema } from './json-value.ts'
import { lateArgumentSchema } from './late-argument.ts'

/** How to get from one page to the next, compiled: every option set (SPEC section 8). */

/** Dot-path of an argument, for example `query_body.from`; null: the text of the arguments carries it. */
const param = z.string().nullable()

/** Submit a search, poll until it is done, then page through its results. */
export const searchJobSpecSchema = z.strictObject({
  submitTool: z.string(),
  submitArgs: jsonObjectSchema,
  /** What waits in `submitArgs`; null: they are those of the fetch, and so is what waits in them. */
  submitLate: z.array(lateArgumentSchema).nullable(),
  idPath: z.string(),
  pollTool: z.string(),
  pollArgs: jsonObjectSchema,
  pollLate: z.array(lateArgumentSchema),
  /** Argument of the poll tool that carries the id. */
  pollParam: z.string(),
  doneWhen: z.array(
    z.strictObject({
      path: z.string(),
      test: z.enum(['exists', 'equals', 'in', 'matches']),
      value: z.json(),
    }),
  ),
  pollIntervalMs: z.int().positive(),
})
export type SearchJobSpec = z.infer<typeof searchJobSpecSchema>

const paged = {
  /** Rows asked for per page. */
  pageSize: z.int().positive(),
  limitParam: param,
  totalPath: z.string().nullable(),
  hasMorePath: z.string().nullable(),
  stopOn: z.enum(['partial', 'empty']),
  maxPageSize: z.int().positive().nullable(),
  /** One more call when a short page looks like a clamped one. */
  confirm: z.enum(['auto', 'always', 'never']),
  repeatGuard: z.enum(['stop', 'continue']),
  /** Tool of the pages after the first; null: the same. */
  nextTool: z.string().nullable(),
  /** Arguments of the pages after the first; null: the same. */
  nextArgs: jsonObjectSchema.nullable(),
  /** What waits in `nextArgs`. */
  nextLate: z.array(lateArgumentSchema),
  job: searchJobSpecSchema.nullable(),
}

export const paginationSpecSchema = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('none'),
    /** Where the one answer says how many rows there are, or that there are more. */
    totalPath: z.string().nullable(),
    hasMorePath: z.string().nullable(),
    job: searchJobSpecSchema.nullable(),
  }),
  z.strictObject({ mode: z.literal('offset'), ...paged, offsetParam: param }),
  z.strictObject({ mode: z.literal('page'), ...paged, pageParam: param, startPage: z.int().nonnegative() }),
  z.strictObject({
    mode: z.literal('cursor'),
    ...paged,
    cursorParam: param,
    nextCursorPath: z.string().nullable(),
    /** Regular expression on the answer's text, group 1 is the cursor. */
    nextCursorPattern: z.string().nullable(),
  }),
  z.strictObject({
    mode: z.literal('keyset'),
    ...paged,
    cursorParam: param,
    cursorFromLast: z.array(z.string()).min(1),
    /** One path sends its value, a list of paths sends a list. */
    single: z.boolean(),
  }),
  z.strictObject({
    mode: z.literal('time_window'),
    ...paged,
    startParam: param,
    endParam: param,
    /** The whole interval, half-open, ISO 8601 UTC. */
    start: z.string(),
    end: z.string(),
    /** How the source wants its times. */
    timeFormat: z.enum(['iso', 's', 'ms']),
    windowMs: z.int().positive(),
    minWindowMs: z.int().positive(),
    order: z.enum(['ascending', 'descending']),
  }),
])
export type PaginationSpec = z.infer<typeof paginationSpecSchema>
export type PaginationMode = PaginationSpec['mode']
/** All modes that ask for more than one page. */
export type PagedSpec = Exclude<PaginationSpec, { mode: 'none' }>
