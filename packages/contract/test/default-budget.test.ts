import { describe, expect, it } from 'vitest'
import { defaultBudget } from '../src/default-budget.ts'

describe('the default time budget', () => {
  it.each<[NodeJS.ProcessEnv, number]>([
    [{}, 300_000],
    [{ HUNTFLEET_BUDGET: '' }, 300_000],
    [{ HUNTFLEET_BUDGET: '90s' }, 90_000],
    [{ HUNTFLEET_BUDGET: '1h30m' }, 5_400_000],
  ])('of %j is %i ms', (env, ms) => {
    expect(defaultBudget(env)).toBe(ms)
  })

  it.each(['90', '0s', 'soon', '-5m'])('is refused when HUNTFLEET_BUDGET is %j', (text) => {
    expect(() => defaultBudget({ HUNTFLEET_BUDGET: text })).toThrow(
      expect.objectContaining({
        code: 'USAGE_INVALID',
        message: `HUNTFLEET_BUDGET "${text}" is not a duration`,
      }),
    )
  })
})
