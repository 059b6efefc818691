import { expect, test } from 'vitest'
import { openRunBudget } from '../src/run-budget.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { fetched, planOf, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const none = { maxBytes: null, maxPages: null, maxCalls: null }
const never = new AbortController().signal

given('lets no more calls through than the run may make, however many ask at once', async () => {
  const { fleet } = await fixture.producer()
  const limits = { ...none, maxCalls: 5 }
  const budgets = [1, 2, 3].map(() => openRunBudget(fleet, 'dns.calls', 1, limits, never))
  const answers = await Promise.all([...budgets, ...budgets, ...budgets].map((budget) => budget?.take()))
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(5)
  expect(new Set(answers.filter((answer) => answer !== undefined))).toEqual(
    new Set(['max_calls of the run (5) is reached: 5 calls over all of its tables']),
  )
})

given.each([
  [
    'maxBytes',
    { pages: 1, bytes: 500 },
    'max_bytes of the run (1000) is reached: 1000 bytes over all of its tables',
  ],
  [
    'maxPages',
    { pages: 500, bytes: 1 },
    'max_pages of the run (1000) is reached: 1000 pages over all of its tables',
  ],
] as const)('counts %s over all tables', async (limit, what, reason) => {
  const { fleet } = await fixture.producer()
  const limits = { ...none, [limit]: 1_000 }
  const one = openRunBudget(fleet, 'dns.sum', 1, limits, never)
  const other = openRunBudget(fleet, 'dns.sum', 1, limits, never)
  await one?.spend(what)
  expect(await other?.take()).toBe(undefined)
  await other?.spend(what)
  expect(await one?.take()).toBe(reason)
  // A retry has limits of its own.
  expect(await openRunBudget(fleet, 'dns.sum', 2, limits, never)?.take()).toBe(undefined)
  expect(await fleet.redis.ttl(fleet.keys.spent('dns.sum', 1))).toBeGreaterThan(29 * 86_400)
})

given('is given to every table of a run that has limits, and to none of a run without', async () => {
  const producer = await fixture.producer()
  const asked: (string | undefined)[] = []
  let without = 0
  await fixture.worker({
    redis: producer.settings,
    run: planOf(['events', 'flows', 'alerts']),
    table: async ({ spec }, { budget }) => {
      if (budget === null) without++
      else asked.push(await budget.take())
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.limited', { budget: { ...none, maxCalls: 2 } }))
  await producer.waitForRun('dns.limited', soon(), { pollMs: 20 })
  expect(asked.filter((answer) => answer === undefined)).toHaveLength(2)
  await producer.enqueueRun(runJob('dns.unlimited'))
  await producer.waitForRun('dns.unlimited', soon(), { pollMs: 20 })
  expect(without).toBe(3)
})
