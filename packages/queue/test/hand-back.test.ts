import { expect, test } from 'vitest'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

given(
  'hands a table back when the worker closes: no attempt is counted and the next worker takes it at once',
  async () => {
    const producer = await fixture.producer()
    const begun = gate()
    const first = await fixture.worker({
      redis: producer.settings,
      table: async (_job, { signal }) => {
        begun.open()
        return aborted(signal)
      },
    })
    await producer.enqueueRun(runJob('dns.handback'))
    await begun.promise
    await first.close(0)
    const attempts: number[] = []
    await fixture.worker({
      redis: producer.settings,
      table: async ({ spec }, { attempt }) => {
        attempts.push(attempt)
        return fetched(spec)
      },
    })
    expect(await producer.waitForRun('dns.handback', soon(), { pollMs: 20 })).toMatchObject({
      status: 'complete',
    })
    expect(attempts).toEqual([1])
  },
)

given.each(['cancelled', 'failed', 'page_error'] as const)(
  'hands a table back that a closing worker cut short, also when its processor calls it %s',
  async (outcome) => {
    const producer = await fixture.producer()
    const begun = gate()
    const first = await fixture.worker({
      redis: producer.settings,
      table: async ({ spec }, { signal }) => {
        begun.open()
        await aborted(signal).catch(() => {})
        return fetched(spec, { outcome, rows: 1 })
      },
    })
    await producer.enqueueRun(runJob('dns.cut'))
    await begun.promise
    await first.close(0)
    expect((await producer.getRun('dns.cut'))?.tables['events']?.entry).toBe(null)
    await fixture.worker({ redis: producer.settings })
    const record = await producer.waitForRun('dns.cut', soon(), { pollMs: 20 })
    expect(record.tables['events']?.entry).toMatchObject({ outcome: 'complete', rows: 3 })
  },
)

given('keeps a table that was complete when its worker was told to end', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const worker = await fixture.worker({
    redis: producer.settings,
    table: async ({ spec }, { signal }) => {
      begun.open()
      await aborted(signal).catch(() => {})
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.kept'))
  await begun.promise
  await worker.close(0)
  expect((await producer.getRun('dns.kept'))?.tables['events']?.entry?.outcome).toBe('complete')
})

given('lets a table end within the grace of a closing worker', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const go = gate()
  const worker = await fixture.worker({
    redis: producer.settings,
    table: async ({ spec }) => {
      begun.open()
      await go.promise
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.grace'))
  await begun.promise
  const closed = worker.close(10_000)
  go.open()
  await closed
  expect((await producer.getRun('dns.grace'))?.tables['events']?.entry?.outcome).toBe('complete')
  expect(await producer.liveWorkers()).toEqual([])
})
