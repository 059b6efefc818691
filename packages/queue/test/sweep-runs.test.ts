import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import type { FleetWorkerOptions } from '../src/fleet-worker.ts'
import { openQueue } from '../src/open-queue.ts'
import { runQueue, sourceQueue } from '../src/queue-names.ts'
import { type FleetFixture, fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, planOf, runJob } from './worker-fakes.ts'

/** Whatever happens to the jobs of a run, it ends, and with the truth. */

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const timing = { backOffMs: 20, sweepMs: 50, vanishedMs: 100, graceMs: 300 }

type Redis = FleetWorkerOptions['redis']

/** A worker that fetches `events` and hangs in `flows`; `alerts` waits for a server that nobody serves. */
async function stuckRun(runId: string, more: Partial<FleetWorkerOptions> = {}, job = runJob(runId)) {
  const producer = await fixture.producer()
  const hangs = gate()
  const stopped: unknown[] = []
  await fixture.worker({
    redis: producer.settings,
    timing,
    run: planOf(['events', 'flows', ['alerts', 'elastic']]),
    table: async ({ spec }, { signal }) => {
      if (spec.table === 'events') return fetched(spec)
      hangs.open()
      await aborted(signal).catch((reason) => stopped.push(reason.code))
      return fetched(spec, { outcome: 'time_budget', whole: false, rows: 1 })
    },
    ...more,
  })
  await producer.enqueueRun(job)
  await hangs.promise
  await expect.poll(async () => (await producer.getRun(runId))?.tables['events']?.entry).toBeTruthy()
  return { producer, stopped, ended: () => producer.waitForRun(runId, soon(), { pollMs: 20 }) }
}

async function withQueue<T>(
  { fleet }: Awaited<ReturnType<FleetFixture['producer']>>,
  name: string,
  work: (queue: ReturnType<typeof openQueue>) => Promise<T>,
): Promise<T> {
  const queue = openQueue(fleet, name)
  try {
    return await work(queue)
  } finally {
    await queue.close()
  }
}

const gone = (table: string) => ({
  entry: {
    outcome: 'failed',
    reason: `the job of table ${table} is gone from its queue`,
    error: { code: 'RUN_LOST' },
  },
})

given('ends a run whose tables were removed by hand, and says which', async () => {
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    timing,
    run: planOf(['events', ['alerts', 'elastic']]),
  })
  await producer.enqueueRun(runJob('dns.removed'))
  await withQueue(producer, sourceQueue('elastic'), async (queue) => {
    await expect.poll(() => queue.getJob('dns.removed.alerts')).toBeDefined()
    await queue.remove('dns.removed.alerts')
  })
  expect(await producer.waitForRun('dns.removed', soon(), { pollMs: 20 })).toMatchObject({
    status: 'partial',
    manifestKey: '_runs/dns.removed/manifest.json',
    tables: { events: { entry: { outcome: 'complete' } }, alerts: gone('alerts') },
  })
})

given('ends a run whose source queue was obliterated, and sets the limit of the queue again', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  await fixture.worker({
    redis: producer.settings,
    timing,
    servers: [{ name: 'files', concurrency: 1 }],
    run: planOf(['events', 'flows']),
    table: async (_job, { signal }) => {
      begun.open()
      return aborted(signal)
    },
  })
  await producer.enqueueRun(runJob('dns.obliterated'))
  await begun.promise
  await withQueue(producer, sourceQueue('files'), async (queue) => {
    await queue.obliterate({ force: true })
    const record = await producer.waitForRun('dns.obliterated', soon(), { pollMs: 20 })
    expect(record).toMatchObject({ tables: { events: gone('events'), flows: gone('flows') } })
    expect(['failed', 'lost']).toContain(record.status)
    await expect.poll(() => queue.getGlobalConcurrency()).toBe(1)
  })
})

given('ends a run whose tables’ keys were deleted under it', async () => {
  const producer = await fixture.producer()
  await fixture.worker({ redis: producer.settings, timing, run: planOf(['events', ['alerts', 'elastic']]) })
  await producer.enqueueRun(runJob('dns.deleted'))
  const done = async () => (await producer.getRun('dns.deleted'))?.tables['events']?.entry
  await expect.poll(done).toBeTruthy()
  const { redis, keys } = producer.fleet
  await redis.del(...(await redis.keys(`${keys.prefix}:src-elastic:*`)))
  expect(await producer.waitForRun('dns.deleted', soon(), { pollMs: 20 })).toMatchObject({
    status: 'partial',
    error: { code: 'RUN_LOST', message: 'the jobs of the run’s tables are gone from their queues' },
    tables: { events: { entry: { outcome: 'complete' } }, alerts: gone('alerts') },
  })
  await withQueue(producer, runQueue, async (queue) => {
    await expect.poll(() => queue.getJob('dns.deleted')).toBe(undefined)
  })
})

given('lets the tables of a run end whose own job is gone, and finishes it then', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const go = gate()
  await fixture.worker({
    redis: producer.settings,
    timing,
    run: planOf(['events', 'flows']),
    table: async ({ spec }) => {
      begun.open()
      await go.promise
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.parent'))
  await begun.promise
  await withQueue(producer, runQueue, async (queue) => {
    await expect.poll(() => queue.getJobState('dns.parent')).toBe('waiting-children')
    // `obliterate` leaves jobs that wait for their children.
    const { redis, keys } = producer.fleet
    await redis.del(...(await redis.keys(`${keys.prefix}:${runQueue}:*`)))
  })
  go.open()
  expect(await producer.waitForRun('dns.parent', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    manifestKey: '_runs/dns.parent/manifest.json',
    error: { code: 'RUN_LOST', message: 'the run’s job is gone from its queue' },
    tables: { events: { entry: { rows: 3 } }, flows: { entry: { rows: 3 } } },
  })
})

given('calls a run lost of which nothing is there, and retries it all when asked', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.nothing'))
  await withQueue(producer, runQueue, (queue) => queue.obliterate({ force: true }))
  const lost: boolean[] = []
  const run = planOf(['events'])
  await fixture.worker({
    redis: producer.settings,
    timing,
    run: {
      ...run,
      finish: async (job, entries, context) => {
        lost.push(context.lost)
        const { manifestKey } = await run.finish(job, entries, context)
        return { status: context.lost ? 'lost' : 'complete', manifestKey }
      },
    },
  })
  const record = await producer.waitForRun('dns.nothing', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'lost', tables: { events: gone('events') } })
  await producer.retryRun('dns.nothing')
  const again = await producer.waitForRun('dns.nothing', soon(), { pollMs: 20 })
  expect(again).toMatchObject({ status: 'complete', retry: 2, tables: { events: { entry: { rows: 3 } } } })
  expect(lost).toEqual([true, false])
})

given('calls a run lost without a manifest when its payload is gone too', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  await producer.enqueueRun(runJob('dns.bare'))
  await withQueue(producer, runQueue, (queue) => queue.obliterate({ force: true }))
  await fleet.redis.del(fleet.keys.payload('dns.bare'))
  await fixture.worker({ redis: producer.settings, timing })
  const record = await producer.waitForRun('dns.bare', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'lost', manifestKey: null, error: { code: 'RUN_LOST' } })
  await expect(producer.retryRun('dns.bare')).rejects.toThrow('the payload of run dns.bare is gone')
})

given('tries for a while to publish the manifest of a lost run, and ends it without one then', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.nostore'))
  await withQueue(producer, runQueue, (queue) => queue.obliterate({ force: true }))
  let tries = 0
  await fixture.worker({
    redis: producer.settings,
    timing: { ...timing, sweepMs: 20 },
    run: {
      ...planOf(['events']),
      finish: async () => {
        tries++
        throw new RunError('SINK_UNREACHABLE', 'no storage')
      },
    },
  })
  const record = await producer.waitForRun('dns.nostore', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'lost', manifestKey: null })
  expect(tries).toBeGreaterThan(10)
})

given('stops what is still running at the deadline, drops what waits, and ends the run', async () => {
  const job = runJob('dns.deadline', { deadlineMs: 1_500 })
  const { stopped, ended } = await stuckRun('dns.deadline', {}, job)
  const record = await ended()
  expect(stopped).toEqual(['BUDGET_SPENT'])
  expect(record).toMatchObject({
    status: 'partial',
    error: null,
    tables: {
      events: { entry: { outcome: 'complete' } },
      flows: { entry: { outcome: 'time_budget', rows: 1 } },
      alerts: {
        entry: {
          outcome: 'failed',
          reason: `the deadline of the run (${record.deadlineAt}) has passed`,
          error: { code: 'BUDGET_SPENT', hint: expect.stringContaining('runs retry') },
        },
      },
    },
  })
})

given('ends a run at its deadline although a table does not stop', async () => {
  const never = gate()
  const job = runJob('dns.stubborn', { deadlineMs: 1_000 })
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    timing,
    table: async ({ spec }) => {
      await never.promise
      return fetched(spec)
    },
  })
  await producer.enqueueRun(job)
  const record = await producer.waitForRun('dns.stubborn', soon(), { pollMs: 20 })
  expect(record).toMatchObject({
    status: 'failed',
    error: { code: 'BUDGET_SPENT' },
    tables: { events: { entry: { outcome: 'failed', error: { code: 'BUDGET_SPENT' } } } },
  })
  // What it brings after all is part of nothing.
  never.open()
  await withQueue(producer, sourceQueue('files'), async (queue) => {
    const state = async () => (await queue.getJob('dns.stubborn.events'))?.getState()
    await expect.poll(state).toBe('completed')
  })
  expect((await producer.getRun('dns.stubborn'))?.tables['events']?.entry?.outcome).toBe('failed')
})

given('begins nothing of a run that was queued past its deadline', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.late', { deadlineMs: 1 }))
  let calls = 0
  await fixture.worker({
    redis: producer.settings,
    timing: { ...timing, graceMs: 10_000 },
    table: async ({ spec }) => {
      calls++
      return fetched(spec)
    },
  })
  const record = await producer.waitForRun('dns.late', soon(), { pollMs: 20 })
  expect(calls).toBe(0)
  expect(record).toMatchObject({
    status: 'failed',
    manifestKey: '_runs/dns.late/manifest.json',
    tables: { events: { entry: { outcome: 'failed', error: { code: 'BUDGET_SPENT' } } } },
  })
})

given('is done by one worker at a time, and forgets runs that have ended', async () => {
  const producer = await fixture.producer()
  const { redis, keys } = producer.fleet
  const settings: Redis = producer.settings
  await fixture.worker({ redis: settings, timing })
  await producer.enqueueRun(runJob('dns.open'))
  expect(await redis.zcard(keys.openRuns)).toBeLessThan(2)
  await producer.waitForRun('dns.open', soon(), { pollMs: 20 })
  await expect.poll(() => redis.zcard(keys.openRuns)).toBe(0)
  await expect.poll(() => redis.exists(keys.sweep)).toBe(1)
  expect(await redis.pttl(keys.sweep)).toBeLessThanOrEqual(45)
})
