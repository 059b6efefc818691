import { expect, test } from 'vitest'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, planOf, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

given(
  'cancels a run: running tables keep what they have, waiting ones are dropped, the manifest is written',
  async () => {
    const producer = await fixture.producer()
    const begun = gate()
    await fixture.worker({
      redis: producer.settings,
      run: planOf(['events', 'flows', 'alerts']),
      servers: [{ name: 'files', concurrency: 1 }],
      table: async ({ spec }, { signal }) => {
        begun.open()
        await aborted(signal).catch(() => {})
        return fetched(spec, { outcome: 'cancelled', whole: false })
      },
    })
    await producer.enqueueRun(runJob('dns.cancel'))
    await begun.promise
    await producer.cancelRun('dns.cancel')
    const record = await producer.waitForRun('dns.cancel', soon(), { pollMs: 20 })
    expect(record).toMatchObject({ status: 'cancelled', manifestKey: '_runs/dns.cancel/manifest.json' })
    const entries = Object.values(record.tables).map((table) => table.entry)
    expect(entries.map((entry) => entry?.outcome)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(entries.map((entry) => entry?.rows).sort()).toEqual([0, 0, 3])
    const again = await producer.cancelRun('dns.cancel')
    expect(again.finishedAt).toBe(record.finishedAt)
  },
)

given('cancels a run whose planning is under way', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const go = gate()
  const run = planOf(['events', ['alerts', 'unserved']])
  await fixture.worker({
    redis: producer.settings,
    run: {
      ...run,
      plan: async (job, context) => {
        begun.open()
        await go.promise
        return run.plan(job, context)
      },
    },
  })
  await producer.enqueueRun(runJob('dns.planning'))
  await begun.promise
  await producer.cancelRun('dns.planning')
  go.open()
  expect(await producer.waitForRun('dns.planning', soon(), { pollMs: 20 })).toMatchObject({
    status: 'cancelled',
  })
})

given('ends a run of low priority at once when no worker has it', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.later'), { priority: 100 })
  expect(await producer.cancelRun('dns.later')).toMatchObject({ status: 'cancelled' })
})
