import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { jobCatalog } from '../src/job-catalog.ts'
import { openQueue } from '../src/open-queue.ts'
import type { TableProcessor } from '../src/processors.ts'
import { runQueue, sourceQueue } from '../src/queue-names.ts'
import { writeRunRecord } from '../src/run-store.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { fetched, gate, planOf, runJob, specOf } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

given('carries a run through plan, tables and finish', async () => {
  const producer = await fixture.producer()
  const finished: unknown[] = []
  const run = planOf(['events', 'flows'])
  await fixture.worker({
    redis: producer.settings,
    run: {
      plan: async (job, context) => ({
        ...(await run.plan(job, context)),
        entries: {
          notes: fetched(specOf(job.runId, 'notes'), { outcome: 'skipped', path: null, optional: true }),
        },
      }),
      finish: async (job, entries, context) => {
        await context.executing()
        finished.push((await producer.getRun(job.runId))?.status, entries)
        return run.finish(job, entries, context)
      },
    },
    table: async (job, context) => {
      await context.progress({ page: 1, rows: 3 })
      await context.log('page 1')
      return fetched(job.spec)
    },
  })
  await producer.enqueueRun(runJob('dns.whole'))
  const record = await producer.waitForRun('dns.whole', soon(), { pollMs: 20 })
  expect(record).toMatchObject({
    status: 'complete',
    manifestKey: '_runs/dns.whole/manifest.json',
    error: null,
  })
  expect(record.startedAt).not.toBe(null)
  expect(record.finishedAt).not.toBe(null)
  expect(record.tables['events']).toMatchObject({
    attempt: 1,
    progress: { page: 1, rows: 3 },
    entry: { outcome: 'complete' },
  })
  expect(finished[0]).toBe('executing')
  expect(finished[1]).toMatchObject({
    events: { rows: 3 },
    flows: { rows: 3 },
    notes: { outcome: 'skipped' },
  })
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  expect((await queue.getJobLogs('dns.whole.events')).logs).toEqual(['page 1'])
  expect(await queue.getGlobalConcurrency()).toBe(4)
  await queue.close()
})

given('finishes a run that has no table to fetch', async () => {
  const producer = await fixture.producer()
  await fixture.worker({ redis: producer.settings, run: planOf([]) })
  await producer.enqueueRun(runJob('dns.empty'))
  expect(await producer.waitForRun('dns.empty', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
})

given(
  'tries a table again for a transient error, and ends it as failed after the third attempt',
  async () => {
    const producer = await fixture.producer()
    const attempts: [number, boolean][] = []
    await fixture.worker({
      redis: producer.settings,
      table: async (_job, { attempt, lastAttempt }) => {
        attempts.push([attempt, lastAttempt])
        throw new RunError('SOURCE_TIMEOUT', 'no answer', { page: 1 })
      },
    })
    await producer.enqueueRun(runJob('dns.transient'))
    const record = await producer.waitForRun('dns.transient', soon(), { pollMs: 20 })
    expect(attempts).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ])
    expect(record.status).toBe('failed')
    expect(record.tables['events']?.entry).toMatchObject({
      outcome: 'failed',
      reason: 'no answer',
      error: { code: 'SOURCE_TIMEOUT', page: 1, table: 'events', server: 'files' },
    })
    const queue = openQueue(producer.fleet, sourceQueue('files'))
    expect(await (await queue.getJob('dns.transient.events'))?.getState()).toBe('completed')
    await queue.close()
  },
)

given.each(['TOOL_FAILED', 'SOURCE_DENIED', 'PARSE_FAILED', 'SINK_DENIED', 'SERVER_UNKNOWN'] as const)(
  'tries a table once for %s; the other tables are kept and the job completes',
  async (code) => {
    const producer = await fixture.producer()
    let calls = 0
    await fixture.worker({
      redis: producer.settings,
      run: planOf(['events', 'flows']),
      table: async ({ spec }) => {
        if (spec.table === 'flows') return fetched(spec)
        calls++
        throw new RunError(code, 'final')
      },
    })
    await producer.enqueueRun(runJob('dns.final'))
    const record = await producer.waitForRun('dns.final', soon(), { pollMs: 20 })
    expect(calls).toBe(1)
    expect(record.status).toBe('partial')
    expect(record.tables['events']?.entry?.error?.code).toBe(code)
    expect(record.tables['flows']?.entry?.outcome).toBe('complete')
    const queue = openQueue(producer.fleet, sourceQueue('files'))
    expect(await queue.getJobCounts('completed', 'failed')).toEqual({ completed: 2, failed: 0 })
    await queue.close()
  },
)

given('shows a bug as a failed job, and the run still ends', async () => {
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    table: async () => {
      throw new TypeError('x is not a function')
    },
  })
  await producer.enqueueRun(runJob('dns.bug'))
  const record = await producer.waitForRun('dns.bug', soon(), { pollMs: 20 })
  expect(record.tables['events']?.entry?.error).toMatchObject({ code: 'INTERNAL' })
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  expect(await (await queue.getJob('dns.bug.events'))?.getState()).toBe('failed')
  await queue.close()
})

given('ends a run whose planning fails, with the reason in its record', async () => {
  const producer = await fixture.producer()
  const { finish } = planOf([])
  await fixture.worker({
    redis: producer.settings,
    run: {
      plan: async () => {
        throw new RunError('BINDING_INVALID', 'no such tool', { file: 'binding.yaml' })
      },
      finish,
    },
  })
  await producer.enqueueRun(runJob('dns.unplanned'))
  expect(await producer.waitForRun('dns.unplanned', soon(), { pollMs: 20 })).toMatchObject({
    status: 'failed',
    manifestKey: null,
    error: { code: 'BINDING_INVALID', file: 'binding.yaml' },
  })
})

given('refuses a plan that names a table twice', async () => {
  const producer = await fixture.producer()
  await fixture.worker({ redis: producer.settings, run: planOf(['events', 'events']) })
  await producer.enqueueRun(runJob('dns.twice'))
  const record = await producer.waitForRun('dns.twice', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'failed', error: { message: 'table events was planned twice' } })
})

given('never fetches again what an earlier pass has stored', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  let calls = 0
  const run = planOf(['events'])
  await fixture.worker({
    redis: producer.settings,
    run: {
      ...run,
      plan: async (job, context) => {
        // As left behind by a worker that died between the entry and the end of the job.
        const fence = { queue: 'q', jobId: 'j', token: 't' }
        await fleet.redis.set(fleet.keys.lock('q', 'j'), 't')
        const entry = fetched(specOf(job.runId, 'events'), { rows: 7 })
        await writeRunRecord(fleet, fence, job.runId, { 'entry:events': JSON.stringify(entry) })
        return run.plan(job, context)
      },
    },
    table: async ({ spec }) => {
      calls++
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.stored'))
  const record = await producer.waitForRun('dns.stored', soon(), { pollMs: 20 })
  expect(record.tables['events']?.entry?.rows).toBe(7)
  expect(calls).toBe(0)
})

given('leaves a job of another version for later, without counting it as tried', async () => {
  const producer = await fixture.producer()
  const queue = openQueue(producer.fleet, runQueue)
  await queue.add('dns', { v: 2, news: true }, { ...jobCatalog.run.options, jobId: 'dns.newer' })
  await fixture.worker({ redis: producer.settings })
  await expect.poll(async () => (await queue.getJob('dns.newer'))?.getState()).toBe('delayed')
  const job = await queue.getJob('dns.newer')
  expect(job?.attemptsMade).toBe(0)
  // BullMQ counts from a moment later.
  expect(Math.round((job?.delay ?? 0) / 1_000)).toBe(60)
  await queue.close()
})

given('fails a run with an unreadable payload once and for all', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.broken'))
  const queue = openQueue(producer.fleet, runQueue)
  await (await queue.getJob('dns.broken'))?.updateData({ v: 1, runId: 'dns.broken' })
  await fixture.worker({ redis: producer.settings })
  const record = await producer.waitForRun('dns.broken', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_INVALID' } })
  await expect.poll(async () => (await queue.getJob('dns.broken'))?.getState()).toBe('failed')
  expect((await queue.getJob('dns.broken'))?.attemptsMade).toBe(1)
  await queue.close()
})

given('ends a table whose payload was swapped or unsigned as failed, and fetches nothing', async () => {
  const settings = { ...fixture.settings() }
  const signed = await fixture.producer(settings)
  let calls = 0
  const begun = gate()
  const queue = openQueue(signed.fleet, sourceQueue('files'))
  const run = planOf(['events'])
  await fixture.worker({
    redis: settings,
    run: {
      ...run,
      plan: async (job, context) => {
        await queue.pause()
        begun.open()
        return run.plan(job, context)
      },
    },
    table: async ({ spec }) => {
      calls++
      return fetched(spec)
    },
  })
  await signed.enqueueRun(runJob('dns.swapped'))
  await begun.promise
  await expect.poll(() => queue.getJob('dns.swapped.events')).toBeDefined()
  const job = await queue.getJob('dns.swapped.events')
  await job?.updateData({ ...job.data, spec: specOf('dns.swapped', 'events', 'other-server') })
  await queue.resume()
  const record = await signed.waitForRun('dns.swapped', soon(), { pollMs: 20 })
  expect(calls).toBe(0)
  expect(record.tables['events']?.entry?.error).toMatchObject({ code: 'PAYLOAD_INVALID' })
  await queue.close()
})

given('refuses unsigned runs when the fleet has a key, and takes signed ones', async () => {
  const settings = fixture.settings()
  const unsigned = await fixture.producer(settings)
  await fixture.worker({ redis: settings, signingKey: 'secret' })
  await unsigned.enqueueRun(runJob('dns.unsigned'))
  const refused = await unsigned.waitForRun('dns.unsigned', soon(), { pollMs: 20 })
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_INVALID' } })
  const { openProducer } = await import('../src/producer.ts')
  const signed = await openProducer({ redis: settings, signingKey: 'secret' })
  fixture.onEnd(() => signed.close())
  await signed.enqueueRun(runJob('dns.signed'))
  expect(await signed.waitForRun('dns.signed', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
})

given('takes no table of a server that it does not know', async () => {
  const producer = await fixture.producer()
  await fixture.worker({ redis: producer.settings, run: planOf(['events', ['alerts', 'elastic']]) })
  await producer.enqueueRun(runJob('dns.foreign'))
  const done = async () => (await producer.getRun('dns.foreign'))?.tables['events']?.entry?.outcome
  await expect.poll(done).toBe('complete')
  const queue = openQueue(producer.fleet, sourceQueue('elastic'))
  expect(await (await queue.getJob('dns.foreign.alerts'))?.getState()).toBe('prioritized')
  expect(await producer.unservedServers(['files', 'elastic'])).toEqual(['elastic'])
  expect(await producer.listQueues()).toContain('src-elastic')
  await queue.close()
  await fixture.worker({ redis: producer.settings, servers: [{ name: 'elastic', concurrency: 1 }] })
  expect(await producer.waitForRun('dns.foreign', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
  })
})

/** Counts how many tables run at the same time; each one waits until `width` of them do, or a moment has passed. */
function counting(): { table: TableProcessor; most: () => number } {
  let running = 0
  let most = 0
  return {
    most: () => most,
    table: async ({ spec }, { progress }) => {
      running++
      most = Math.max(most, running)
      // Some round trips, so that tables overlap as far as they are let.
      for (let page = 1; page <= 20; page++) await progress({ page })
      running--
      return fetched(spec)
    },
  }
}

given('never fetches more tables of a server at once than its limit, over two workers', async () => {
  const producer = await fixture.producer()
  const { table, most } = counting()
  const run = planOf(Array.from({ length: 30 }, (_, index) => `t${index}`))
  const servers = [{ name: 'files', concurrency: 3 }]
  const redis = producer.settings
  await fixture.worker({ redis, run, table, servers })
  await fixture.worker({ redis, run, table, servers })
  await producer.enqueueRun(runJob('dns.wide'))
  expect(await producer.waitForRun('dns.wide', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
  expect(most()).toBe(3)
})

given('never fetches more tables at once than the process may, over two servers', async () => {
  const producer = await fixture.producer()
  const { table, most } = counting()
  const run = planOf(
    Array.from({ length: 20 }, (_, index) => [`t${index}`, index % 2 === 0 ? 'files' : 'elastic']),
  )
  const servers = ['files', 'elastic'].map((name) => ({ name, concurrency: 4 }))
  await fixture.worker({ redis: producer.settings, run, table, servers, concurrency: 2 })
  await producer.enqueueRun(runJob('dns.narrow'))
  expect(await producer.waitForRun('dns.narrow', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
  })
  expect(most()).toBe(2)
})

given('tries to finish a run again when the storage is away', async () => {
  const producer = await fixture.producer()
  const run = planOf(['events'])
  let calls = 0
  await fixture.worker({
    redis: producer.settings,
    run: {
      ...run,
      finish: async (job, entries, context) => {
        calls++
        if (calls === 1) throw new RunError('SINK_UNREACHABLE', 'no storage')
        return run.finish(job, entries, context)
      },
    },
  })
  await producer.enqueueRun(runJob('dns.storage'))
  expect(await producer.waitForRun('dns.storage', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
  })
  expect(calls).toBe(2)
})
