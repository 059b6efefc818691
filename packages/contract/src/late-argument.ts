import { z } from 'zod'
import { jsonSchema } from './json-value.ts'

/** A string argument that is only known when a page is asked for: `{{page.*}}`, `{{job.id}}`, `{{secret.*}}`. */
export const lateFilterSchema = z.strictObject({ name: z.string(), args: z.array(jsonSchema) })
export const latePartSchema = z.union([
  z.string(),
  z.strictObject({ name: z.string(), filters: z.array(lateFilterSchema) }),
])
export type LatePart = z.infer<typeof latePartSchema>
export const lateArgumentSchema = z.strictObject({
  /** Where in the arguments the value goes. */
  at: z.array(z.union([z.string(), z.int().nonnegative()])),
  /** Text and placeholders in turn; a sole placeholder keeps the type of its value. */
  parts: z.array(latePartSchema),
})
export type LateArgument = z.infer<typeof lateArgumentSchema>
