import { z } from 'zod'
import { answerFields } from './binding-answer-schema.ts'
import { paginationSchema } from './binding-pagination-schema.ts'
import { durationText } from './duration-text.ts'
import { jsonObjectSchema, jsonSchema } from './json-value.ts'

/** The grammar of binding.yaml (SPEC section 4); the words for formats and adapters come from the engine's registry. */

/** The words an installation understands: names of the engine's formats and adapters and of the user's own adapters. */
export interface Vocabulary {
  formats: readonly [string, ...string[]]
  adapters: readonly [string, ...string[]]
}

/** What a `fetch_mode` may be called, and what it means. */
export const fetchModes = {
  mcp_client: 'fleet',
  fracta_mcp_gateway: 'fleet',
  fleet: 'fleet',
  mcp: 'agent',
  agent: 'agent',
  native: 'native',
  strategy_native: 'native',
} as const
type FetchModeWord = keyof typeof fetchModes

const fieldSource = z.union([
  z.string().min(1),
  z.strictObject({ value: jsonSchema.describe('The same value in every row') }),
])

const retrySchema = z.strictObject({
  attempts: z.int().positive().max(20).optional().describe('Calls of a page in all, 4 by default'),
  base: durationText.optional().describe('First back-off, 1s by default'),
  max: durationText.optional().describe('Longest back-off, 30s by default'),
})

const forEachSchema = z.strictObject({
  param: z.string().describe('A list parameter'),
  chunk: z.int().positive().default(100).describe('Values per part'),
  as: z
    .string()
    .optional()
    .describe('Name of the chunk in the templates; the name of the parameter by default'),
})

/** All fields of a source binding, every one optional: this is also the shape of `defaults` and `tools` profiles. */
export function bindingFields(words: Vocabulary) {
  return {
    backend: z.string().optional().describe('Name of the data backend, for readers and automatic resolution'),
    config_key: z.string().optional().describe('Entry of `credentials` in huntfleet.yaml'),
    fetch_mode: z
      .enum(Object.keys(fetchModes) as [FetchModeWord, ...FetchModeWord[]], {
        error: (issue) =>
          issue.input === 'api' || issue.input === 'direct'
            ? `"${issue.input}" is no longer supported; use mcp_client with an MCP server (mcp_server and mcp_tool)`
            : undefined,
      })
      .optional()
      .describe(
        'mcp_client: the fleet fetches it; mcp (default): an agent stages it; native: the strategy fetches it',
      ),
    mcp_tool: z.string().min(1).optional().describe('The tool to call'),
    mcp_server: z.string().min(1).optional().describe('A server of huntfleet.yaml'),
    mcp_args: jsonObjectSchema
      .optional()
      .describe('Arguments of the tool; {{param}} is filled in at any depth'),
    query_template: z.string().optional().describe('Query text, sent as the argument `query`'),
    query_param: z.string().optional().describe('Name of the argument that carries query_template'),
    index: z.string().optional().describe('Index or table selector, sent as the argument `index`'),
    index_param: z.string().optional().describe('Name of the argument that carries index'),
    field_map: z
      .record(z.string(), z.union([fieldSource, z.array(fieldSource).min(1)]))
      .optional()
      .describe(
        'Contract column → source field; a list takes the first that is not null; {value: …} is a constant; $ is the whole row',
      ),
    max_rows: z.int().positive().optional().describe('Most rows to stage, 10000 by default'),
    timeout: durationText.optional().describe('Longest wait for one call, 30s by default'),
    budget: durationText.optional().describe('Time for the whole table, 5m by default'),
    max_bytes: z.int().positive().optional().describe('Most bytes to receive'),
    max_pages: z.int().positive().optional().describe('Most pages to fetch'),
    max_calls: z.int().positive().optional().describe('Most calls, retries included'),
    response_format: z
      .enum(words.formats)
      .optional()
      .describe(`Format of the answer: ${words.formats.join(', ')}; json by default`),
    response_adapter: z
      .enum(words.adapters)
      .optional()
      .describe(`Tool-specific parser: ${words.adapters.join(', ')}`),
    ...answerFields,
    pagination: paginationSchema.optional(),
    retry: retrySchema.optional().describe('Retries of a page'),
    on_incomplete: z
      .enum(['keep', 'fail'])
      .optional()
      .describe('What an incomplete table is: kept (default) or failed'),
    on_reject: z
      .enum(['null', 'drop_row', 'fail'])
      .optional()
      .describe('What a value that does not fit does: null (default), drop_row or fail'),
    dedupe_key: z
      .union([z.string(), z.array(z.string()).min(1)])
      .optional()
      .describe('Source fields that tell a row from its double'),
    for_each: forEachSchema.optional().describe('Fetch in parts, one per chunk of a list parameter'),
  }
}

function sourceBindingSchema(words: Vocabulary) {
  return z.strictObject(bindingFields(words))
}
export type SourceBinding = z.infer<ReturnType<typeof sourceBindingSchema>>

/** binding.yaml as a whole. An entry may be a list of sources that are fetched into the one table. */
export function bindingSchema(words: Vocabulary) {
  const source = sourceBindingSchema(words)
  return z.strictObject({
    source_bindings: z
      .record(z.string(), z.union([source, z.array(source).min(1)]))
      .default({})
      .describe('Table of the contract → its source, or a list of sources'),
    field_overrides: z
      .record(z.string(), z.record(z.string(), z.string()))
      .default({})
      .describe('Semantic → table → source field, for all tables at once'),
  })
}
