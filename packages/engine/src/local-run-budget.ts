import type { RunBudgetLimits } from '@huntfleet/contract'
import type { RunBudget } from './table-ports.ts'

/** What the tables of a run spend together that are all fetched by this process. */
export function localRunBudget({ maxBytes, maxPages, maxCalls }: RunBudgetLimits): RunBudget {
  const limits = [
    ['bytes', maxBytes],
    ['pages', maxPages],
    ['calls', maxCalls],
  ] as const
  const spent = { bytes: 0, pages: 0, calls: 0 }
  return {
    async take() {
      for (const [name, limit] of limits) {
        if (limit === null || spent[name] < limit) continue
        return `max_${name} of the run (${limit}) is reached: ${spent[name]} ${name} over all of its tables`
      }
      spent.calls += 1
      return undefined
    },
    async spend({ pages, bytes }) {
      spent.pages += pages
      spent.bytes += bytes
    },
  }
}
