import { z } from 'zod'
import { parseDuration } from './duration.ts'

/** A duration in a YAML file; its parsed value is milliseconds. */
export const durationText = z
  .string({ error: 'is not a duration; write a number with a unit, such as 500ms, 30s, 5m or 1h30m' })
  .transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== undefined && ms > 0) return ms
    context.addIssue({
      code: 'custom',
      message: 'is not a duration; write a number with a unit, such as 500ms, 30s, 5m or 1h30m',
    })
    return z.NEVER
  })
