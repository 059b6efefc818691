import { parseDuration } from './duration.ts'
import { RunError } from './run-error.ts'

/** Five minutes, as the seeds say. */
const defaultBudgetMs = 300_000

/** The time budget, in milliseconds, of tables whose binding sets none: `HUNTFLEET_BUDGET`, else five minutes. */
export function defaultBudget(env: NodeJS.ProcessEnv): number {
  const text = env['HUNTFLEET_BUDGET']
  if (text === undefined || text === '') return defaultBudgetMs
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw new RunError('USAGE_INVALID', `HUNTFLEET_BUDGET ${JSON.stringify(text)} is not a duration`, {
    hint: 'write a number with a unit, such as 90s or 10m',
  })
}
