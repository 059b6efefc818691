import { z } from 'zod'
import { jsonSchema } from './json-value.ts'
import { compileRegex } from './linear-regex.ts'

/** The fields of a source binding that say how rows are taken out of an answer (SPEC sections 4, 6 and 10). */

/** A regular expression, checked when the file is read; matching takes linear time. */
export const regexText = z.string().superRefine((pattern, context) => {
  try {
    compileRegex(pattern)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
  }
})

const errorClass = z
  .enum(['tool', 'transient', 'rate_limited', 'denied', 'data'])
  .optional()
  .describe('What kind of error it is; by default its words decide')

const pathTests = {
  path: z.string().min(1).describe('Path of the value that is tested'),
  exists: z.boolean().optional().describe('Whether there is a value'),
  equals: jsonSchema.optional().describe('The value it has'),
  not_in: z.array(jsonSchema).optional().describe('The values it has not'),
  matches: regexText.optional().describe('A regular expression that finds something in it'),
}

/** `{text: regex}`, or `{path, exists|equals|not_in|matches}` with exactly one test. */
const rule = z.union([
  z.strictObject({
    text: regexText.describe('A regular expression that finds something in the text'),
    class: errorClass,
  }),
  z
    .strictObject({
      ...pathTests,
      class: errorClass,
      message_path: z.string().optional().describe('Path of the words that say what went wrong'),
    })
    .refine(
      (r) => [r.exists, r.equals, r.not_in, r.matches].filter((test) => test !== undefined).length <= 1,
      {
        error: 'a rule has one test: exists, equals, not_in or matches',
      },
    ),
])
export type RuleText = z.infer<typeof rule>

export const answerFields = {
  items_path: z.string().optional().describe('Path of the array of rows in a JSON answer'),
  item_path: z
    .string()
    .optional()
    .describe('Path inside each element, for wrapped rows such as edges[].node'),
  single_item: z.boolean().optional().describe('The answer is one object, and that is the row'),
  columns_path: z.string().optional().describe('Path of the column names of matrix rows'),
  cell_path: z.string().optional().describe('Path inside each cell of matrix rows'),
  header_row: z
    .enum(['none', 'first_page', 'every_page'])
    .optional()
    .describe('Whether the first matrix row names the columns'),
  rows: z
    .enum(['auto', 'objects', 'matrix', 'columns', 'pairs'])
    .optional()
    .describe('How rows are laid out in JSON'),
  content: z
    .strictObject({
      from: z
        .enum(['auto', 'text', 'structured', 'resource'])
        .optional()
        .describe('Text blocks, structuredContent or embedded resources'),
      blocks: z
        .union([
          z.enum(['auto', 'first', 'last', 'all', 'each']),
          z.int(),
          z.strictObject({ skip: z.int().nonnegative().describe('Leave out the first so many') }),
          z.strictObject({ match: regexText.describe('Only blocks in which it finds something') }),
        ])
        .optional()
        .describe('Which text blocks hold the rows'),
      follow_links: z.boolean().optional().describe('Read resource links through the same session'),
    })
    .optional()
    .describe('Which part of the answer holds the rows'),
  extract: z
    .union([
      z.enum(['auto', 'none', 'fenced', 'json']),
      z.strictObject({ after: regexText.describe('Only the text behind its first match') }),
      z.strictObject({
        between: z.tuple([z.string().min(1), z.string().min(1)]).describe('Only the text between these two'),
      }),
    ])
    .optional()
    .describe('How the rows are cut out of prose'),
  text_path: z.string().optional().describe('Path, inside the JSON, of text that is decoded again'),
  csv: z
    .strictObject({
      delimiter: z
        .string()
        .regex(/^[^"\r\n]$/, { error: 'a delimiter is one character, no quote and no line end' })
        .optional()
        .describe('What stands between cells, a comma by default'),
      comment: z.string().min(1).optional().describe('Lines that start so are passed over'),
      header: z.boolean().optional().describe('false: no header, columns are column_1, column_2, …'),
    })
    .optional()
    .describe('How csv is written'),
  error_when: z
    .array(rule)
    .optional()
    .describe('What makes an answer an error; [] switches the built-in rules off'),
  empty_when: z.array(rule).optional().describe('What text means that there are no rows'),
  truncated_when: z.array(rule).optional().describe('What shows that the source sent less than it has'),
  on_truncated: z
    .enum(['warn', 'fail', 'split'])
    .optional()
    .describe('What a truncated answer is: kept with a warning (default), failed, or asked for in halves'),
  null_values: z.array(z.string()).optional().describe('Texts that mean null'),
}
