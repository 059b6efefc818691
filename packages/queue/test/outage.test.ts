import { expect, test } from 'vitest'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture({ own: true, appendonly: true })
const given = test.skipIf(fixture.skip)
const timing = { lockMs: 1_000, stalledMs: 200, backOffMs: 20 }

given(
  'stops a table while Redis is silent for longer than its lock, and fetches it again afterwards',
  async () => {
    const producer = await fixture.producer()
    const begun = gate()
    const reasons: unknown[] = []
    let calls = 0
    await fixture.worker({
      redis: producer.settings,
      timing,
      table: async ({ spec }, { signal, attempt }) => {
        calls++
        if (calls > 1) return fetched(spec, { rows: attempt })
        begun.open()
        return aborted(signal).catch((reason) => {
          reasons.push(reason.code)
          fixture.server().thaw()
          throw reason
        })
      },
    })
    await producer.enqueueRun(runJob('dns.frozen'))
    await begun.promise
    fixture.server().freeze()
    await expect.poll(() => reasons).toEqual(['LOCK_LOST'])
    const record = await producer.waitForRun('dns.frozen', soon(), { pollMs: 20 })
    expect(record).toMatchObject({ status: 'complete', tables: { events: { entry: { rows: 1 } } } })
  },
)

given('never stores the entry of a worker that woke up after its table was given to another', async () => {
  const producer = await fixture.producer()
  const { redis, keys } = producer.fleet
  const begun = gate()
  const wake = gate()
  let calls = 0
  await fixture.worker({
    redis: producer.settings,
    timing,
    table: async ({ spec }, { progress }) => {
      calls++
      if (calls > 1) return fetched(spec, { rows: 2 })
      begun.open()
      await wake.promise
      await expect(progress({ page: 9 })).rejects.toMatchObject({ code: 'LOCK_LOST' })
      return fetched(spec, { rows: 1 })
    },
  })
  await producer.enqueueRun(runJob('dns.zombie'))
  await begun.promise
  // As after a pause of this process: the lock has run out and another worker has the job.
  await redis.set(keys.lock('src-files', 'dns.zombie.events'), 'another', 'PX', 500)
  wake.open()
  const record = await producer.waitForRun('dns.zombie', soon(), { pollMs: 20 })
  expect(record.tables['events']).toMatchObject({ progress: null, entry: { rows: 2 } })
})

given('goes on after Redis crashed and came back', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const go = gate()
  await fixture.worker({
    redis: producer.settings,
    table: async ({ spec }) => {
      begun.open()
      await go.promise
      return fetched(spec)
    },
  })
  await producer.fleet.redis.call('CONFIG', 'SET', 'appendfsync', 'always')
  await producer.enqueueRun(runJob('dns.restart'))
  await begun.promise
  await fixture.server().kill()
  go.open()
  await fixture.server().restart()
  const ended = async () => {
    const record = await producer.getRun('dns.restart').catch(() => null)
    return record?.status
  }
  await expect.poll(ended).toBe('complete')
})

given('sets the limits again when Redis comes back without its data', async () => {
  const producer = await fixture.producer()
  await fixture.worker({ redis: producer.settings })
  await producer.fleet.redis.flushall()
  expect(await producer.listQueues()).toEqual(['hunt-tick', 'hunt-run'])
  await producer.fleet.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expect.poll(() => producer.listQueues().catch(() => [])).toContain('src-files')
})

given('closes a worker although Redis is away', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const worker = await fixture.worker({
    redis: producer.settings,
    table: async (_job, { signal }) => {
      begun.open()
      return aborted(signal)
    },
  })
  await producer.enqueueRun(runJob('dns.away'))
  await begun.promise
  await fixture.server().kill()
  await worker.close(0)
  await fixture.server().restart()
})
