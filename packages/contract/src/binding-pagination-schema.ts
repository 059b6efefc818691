import { z } from 'zod'
import { regexText } from './binding-answer-schema.ts'
import { durationText } from './duration-text.ts'
import { jsonObjectSchema, jsonSchema } from './json-value.ts'

/** `pagination` of a source binding (SPEC section 8). Which fields a mode needs is checked when it is compiled. */

const doneRule = z
  .strictObject({
    path: z.string().min(1).describe('Path in the answer of poll_tool'),
    exists: z.boolean().optional().describe('Whether there is a value'),
    equals: jsonSchema.optional().describe('The value it has'),
    in: z.array(jsonSchema).optional().describe('One of the values it has'),
    matches: regexText.optional().describe('A regular expression that finds something in it'),
  })
  .refine((r) => [r.exists, r.equals, r.in, r.matches].filter((test) => test !== undefined).length === 1, {
    error: 'a rule has one test: exists, equals, in or matches',
  })
export type DoneRuleText = z.infer<typeof doneRule>

const jobSchema = z.strictObject({
  submit_tool: z.string().min(1).describe('Tool that starts the search'),
  submit_args: jsonObjectSchema
    .optional()
    .describe('Its arguments; by default mcp_args without what needs {{job.id}}'),
  id_path: z.string().min(1).describe('Path of the id in its answer'),
  poll_tool: z.string().min(1).describe('Tool that says how far the search is'),
  poll_args: jsonObjectSchema.optional().describe('Further arguments of the poll tool'),
  poll_param: z
    .string()
    .optional()
    .describe('Argument of the poll tool that carries the id; the last word of id_path by default'),
  done_when: z.union([doneRule, z.array(doneRule).min(1)]).describe('What shows that the search is done'),
  poll_interval: durationText.optional().describe('Wait between polls, 1s by default'),
})

export const paginationSchema = z
  .strictObject({
    mode: z
      .enum(['offset', 'cursor', 'page', 'keyset', 'time_window', 'none'])
      .optional()
      .describe('How the source pages'),
    page_size: z.int().positive().optional().describe('Rows asked for per page, 100 by default'),
    offset_param: z.string().optional().describe('Argument that carries the offset; may be a dot-path'),
    limit_param: z.string().optional().describe('Argument that carries the page size; may be a dot-path'),
    cursor_param: z.string().optional().describe('Argument that carries the cursor; may be a dot-path'),
    next_cursor_path: z.string().optional().describe('Path of the next cursor in the answer'),
    next_cursor_pattern: regexText
      .optional()
      .describe('Regular expression whose group 1 is the next cursor in the answer’s text'),
    total_path: z.string().optional().describe('Path of the total number of rows'),
    has_more_path: z.string().optional().describe('Path of a flag that says whether more pages follow'),
    stop_on: z.enum(['partial', 'empty']).optional().describe('Which page is the last one'),
    max_page_size: z.int().positive().optional().describe('The source never sends more rows than this'),
    page_param: z.string().optional().describe('Argument that carries the page number'),
    start_page: z.int().nonnegative().optional().describe('Number of the first page, 1 by default'),
    cursor_from_last: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('Fields of the last row that make the next cursor'),
    next_tool: z.string().optional().describe('Tool of the pages after the first'),
    next_args: jsonObjectSchema.optional().describe('Arguments of the pages after the first'),
    window_param_start: z.string().optional().describe('Argument with the start of the interval'),
    window_param_end: z.string().optional().describe('Argument with the end of the interval'),
    window: durationText.optional().describe('Length of a slice, 1h by default'),
    min_window: durationText.optional().describe('Shortest slice, 1s by default'),
    order: z
      .enum(['ascending', 'descending'])
      .optional()
      .describe('Which slice of a time window comes first; the oldest by default'),
    confirm: z
      .enum(['auto', 'always', 'never'])
      .optional()
      .describe('One more call after a short page that looks clamped'),
    repeat_guard: z
      .enum(['stop', 'continue'])
      .optional()
      .describe(
        'What a page that repeats the one before does; in cursor mode, a cursor that comes again: stop (default) or continue',
      ),
    job: jobSchema.optional().describe('Submit a search, poll it, then page through its results'),
  })
  .describe('How to get from one page to the next')
export type PaginationText = z.infer<typeof paginationSchema>
