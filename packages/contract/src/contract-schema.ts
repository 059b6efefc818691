import { z } from 'zod'
import { columnTypeNames, parseColumnType } from './column-type.ts'
import { jsonSchema } from './json-value.ts'
import { strategyNamePattern, tableNamePattern } from './names.ts'

/** The schema of contract.yaml (SPEC section 3). Descriptions become the editors' JSON Schema and the reference. */

const nameRule = 'letters, digits and _, at most 64'
const scalarText = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const paramTypes = {
  str: 'str',
  string: 'str',
  int: 'int',
  integer: 'int',
  float: 'float',
  number: 'float',
  bool: 'bool',
  boolean: 'bool',
  list: 'list',
  timestamp: 'timestamp',
  duration: 'duration',
} as const
type ParamTypeWord = keyof typeof paramTypes
const paramTypeWords = Object.keys(paramTypes) as [ParamTypeWord, ...ParamTypeWord[]]

const paramObject = z.strictObject({
  type: z.enum(paramTypeWords).default('str').describe('str, int, float, bool, list, timestamp or duration'),
  required: z
    .boolean()
    .default(false)
    .describe('A run without this parameter is refused; a default rescues it'),
  default: jsonSchema.optional().describe('Value when none is given; checked and coerced like a given one'),
  description: z.string().default('').describe('What the parameter means'),
  enum: z.array(jsonSchema).min(1).optional().describe('The only valid values'),
  min: z.union([z.number(), z.string()]).optional().describe('Smallest valid value'),
  max: z.union([z.number(), z.string()]).optional().describe('Largest valid value'),
})
/** A parameter that is only named is a text. */
const paramSchema = z
  .union([paramObject, z.null().transform(() => paramObject.parse({}))])
  .transform(({ type, ...rest }) => ({ type: paramTypes[type], ...rest }))

const columnType = z
  .string()
  .refine((text) => parseColumnType(text) !== undefined, {
    error: `no such column type; the types are ${columnTypeNames}`,
  })
  .describe(`Column type: ${columnTypeNames}`)

const columnObject = z.strictObject({
  type: columnType.default('VARCHAR'),
  semantic: z
    .string()
    .optional()
    .describe('What the column means, for field_overrides and automatic resolution'),
  description: z.string().default('').describe('What the column holds'),
  required: z.boolean().default(false).describe('A null is a reject'),
  format: z.string().optional().describe('Timestamp pattern, or the epoch unit s, ms, us or ns'),
  timezone: z
    .string()
    .optional()
    .describe('Zone of times that carry none (IANA name or offset); UTC by default'),
  round: z
    .enum(['half_even'])
    .optional()
    .describe('Round digits a DECIMAL has no room for instead of rejecting them'),
  sensitive: z
    .enum(['mask', 'hash', 'drop'])
    .optional()
    .describe('Hide the values, in rejects and previews too'),
  unit: z.string().optional().describe('Unit of the values, for readers'),
})
/** A column may be written as its type alone, `id: BIGINT`, or only be named. */
const columnSchema = z.union([
  columnObject,
  columnType.transform((type) => columnObject.parse({ type })),
  z.null().transform(() => columnObject.parse({})),
])

const tableSchema = z.strictObject({
  description: z.string().default('').describe('What the table holds'),
  optional: z.boolean().default(false).describe('The hunt can do without this table'),
  volume_hint: scalarText.optional().describe('How much data to expect, for readers'),
  columns: z
    .record(
      z.string().regex(tableNamePattern, { error: `a column name is made of ${nameRule}` }),
      columnSchema,
    )
    .refine((columns) => Object.keys(columns).length > 0, { error: 'a table needs at least one column' })
    .describe('Columns in the order of the Parquet file; a column may be written as its type alone'),
})

export const contractSchema = z.strictObject({
  name: z
    .string()
    .regex(strategyNamePattern, {
      error:
        'a strategy name is made of lower-case letters, digits, ".", "_" and "-", and starts with a letter or digit',
    })
    .describe('Name of the strategy'),
  version: scalarText.default('1').describe('Version of the strategy'),
  description: z
    .string()
    .min(1, { error: 'say in a sentence what the strategy hunts' })
    .describe('What the strategy hunts, in a sentence'),
  tags: z.array(z.string()).min(1, { error: 'at least one tag is needed' }).describe('Tags, at least one'),
  params: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a parameter name is made of letters, digits and _' }),
      paramSchema,
    )
    .default({})
    .describe('Parameters of the hunt'),
  requires: z
    .strictObject({
      graph: z.boolean().optional().describe('Read and kept for other programs; the fleet has no graph'),
      mcp: z.boolean().optional().describe('Read and kept for other programs'),
      tables: z
        .record(
          z.string().regex(tableNamePattern, { error: `a table name is made of ${nameRule}` }),
          tableSchema,
        )
        .default({})
        .describe('The tables that the hunt needs'),
    })
    .default({ tables: {} })
    .describe('What the hunt needs'),
  pinned_backend: z.string().optional().describe('Backend that automatic resolution must take'),
  discovery: jsonSchema.optional().describe('Hints for agents that look for sources'),
})
export type Contract = z.infer<typeof contractSchema>
export type ContractTable = Contract['requires']['tables'][string]
export type ContractColumn = ContractTable['columns'][string]
