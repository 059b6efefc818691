import { expect, test } from 'vitest'
import { openQueue } from '../src/open-queue.ts'
import type { TableProcessor } from '../src/processors.ts'
import { sourceQueue } from '../src/queue-names.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { fetched, gate, planOf, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

/** Plans as many tables as the parameter `tables` says. */
const manyTables = {
  ...planOf([]),
  plan: (...[job, context]: Parameters<ReturnType<typeof planOf>['plan']>) => {
    const names = Array.from({ length: Number(job.params['tables']) }, (_, index) => `t${index}`)
    return planOf(names).plan(job, context)
  },
}

/** One table at a time; the first one waits until the test lets it go on. */
async function oneByOne() {
  const producer = await fixture.producer()
  const begun = gate()
  const go = gate()
  const order: string[] = []
  const table: TableProcessor = async ({ spec, runId }) => {
    order.push(runId)
    begun.open()
    await go.promise
    return fetched(spec)
  }
  const servers = [{ name: 'files', concurrency: 1 }]
  await fixture.worker({ redis: producer.settings, servers, table, run: manyTables })
  return { producer, begun, go, order }
}

given('does not hold back a small run that comes after a large one', async () => {
  const { producer, begun, go, order } = await oneByOne()
  await producer.enqueueRun(runJob('dns.large', { params: { tables: 100 } }))
  await begun.promise
  await producer.enqueueRun(runJob('dns.small', { params: { tables: 2 } }))
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  await expect.poll(() => queue.getPrioritizedCount()).toBe(101)
  await queue.close()
  go.open()
  await producer.waitForRun('dns.small', soon(), { pollMs: 20 })
  await producer.waitForRun('dns.large', soon(), { pollMs: 20 })
  expect(order).toHaveLength(102)
  // Turn by turn: one of the large run is being fetched, then at most one of it before each of the small one.
  expect(order.lastIndexOf('dns.small')).toBeLessThanOrEqual(4)
})

given('does not hold back the end of a large run while small runs keep coming', async () => {
  const { producer, begun, go, order } = await oneByOne()
  await producer.enqueueRun(runJob('dns.large', { params: { tables: 10 } }))
  await begun.promise
  go.open()
  // As soon as one small run has ended the next one comes, so the source is never idle.
  let small = 0
  const large = producer.waitForRun('dns.large', soon(), { pollMs: 5 })
  let isOver = false
  void large.then(() => {
    isOver = true
  })
  while (!isOver && small < 60) {
    small++
    await producer.enqueueRun(runJob(`dns.small-${small}`, { params: { tables: 2 } }))
    await producer.waitForRun(`dns.small-${small}`, soon(), { pollMs: 5 })
  }
  await large
  expect(small).toBeLessThan(60)
  expect(order.filter((run) => run === 'dns.large')).toHaveLength(10)
})
