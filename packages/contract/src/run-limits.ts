import { z } from 'zod'
import { durationText } from './duration-text.ts'

/** `run_limits` of the project file: what a whole run may take, over all of its tables. */

export const defaultDeadlineMs = 86_400_000
/** A day less than a run may take to publish its manifest, and less than finished jobs are kept. */
export const longestDeadlineMs = 2 * 86_400_000

const limit = z.int().positive().optional()

export const runLimitsSchema = z.strictObject({
  deadline: durationText
    .refine((ms) => ms <= longestDeadlineMs, { error: 'is longer than a run may take; write 2d or less' })
    .default(defaultDeadlineMs)
    .describe('How long after it was queued a run ends at the latest; 24h by default, at most 2d'),
  max_bytes: limit.describe('Bytes that all tables of a run may receive together'),
  max_pages: limit.describe('Pages that all tables of a run may receive together'),
  max_calls: limit.describe('Calls that all tables of a run may make together, retries included'),
})
type RunLimitsText = z.infer<typeof runLimitsSchema>

/** What the tables of a run may spend together; nulls: no limit. */
export const runBudgetSchema = z.strictObject({
  maxBytes: z.int().positive().nullable(),
  maxPages: z.int().positive().nullable(),
  maxCalls: z.int().positive().nullable(),
})
export type RunBudgetLimits = z.infer<typeof runBudgetSchema>
export const noBudget: RunBudgetLimits = { maxBytes: null, maxPages: null, maxCalls: null }

/** What the project file says of every run, in the words of a run's payload. */
export function runLimitsOf({ deadline, max_bytes, max_pages, max_calls }: RunLimitsText): {
  deadlineMs: number
  budget: RunBudgetLimits
} {
  const budget = { maxBytes: max_bytes ?? null, maxPages: max_pages ?? null, maxCalls: max_calls ?? null }
  return { deadlineMs: deadline, budget }
}
