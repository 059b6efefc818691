import { expect, test } from 'vitest'
import { watchData } from '../src/data-name.ts'
import { openQueue } from '../src/open-queue.ts'
import { processRunJob } from '../src/process-run-job.ts'
import { silentLog } from '../src/queue-log.ts'
import { runQueue, sourceQueue } from '../src/queue-names.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, planOf, runJob } from './worker-fakes.ts'

/** A worker that lost a job stops it before anybody else can have it, and writes and publishes nothing more of it. */

const fixture = await fleetFixture({ own: true })
const given = test.skipIf(fixture.skip)
const lockMs = 1_500
const timing = { lockMs, stalledMs: 200, backOffMs: 20 }

/** A table that hangs at its first attempt until it is stopped; the second one ends. */
async function hangingTable(runId: string) {
  const producer = await fixture.producer()
  const begun = gate()
  const stopped = gate<{ code: string; at: number }>()
  let calls = 0
  await fixture.worker({
    redis: producer.settings,
    timing,
    table: async ({ spec }, { signal }) => {
      calls++
      if (calls > 1) return fetched(spec)
      begun.open()
      return aborted(signal).catch((reason) => {
        stopped.open({ code: reason.code, at: performance.now() })
        throw reason
      })
    },
  })
  await producer.enqueueRun(runJob(runId))
  await begun.promise
  return { producer, stopped: stopped.promise }
}

given('stops a table whose lock is another’s as soon as the renewal says so', async () => {
  const { producer, stopped } = await hangingTable('dns.renewal')
  const { redis, keys } = producer.fleet
  await redis.set(keys.lock('src-files', 'dns.renewal.events'), 'another', 'PX', 300)
  expect(await stopped).toMatchObject({ code: 'LOCK_LOST' })
  const record = await producer.waitForRun('dns.renewal', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'complete', tables: { events: { entry: { rows: 3 } } } })
})

given('stops a table within the life of its lock when Redis is frozen', async () => {
  const { producer, stopped } = await hangingTable('dns.frozen')
  fixture.server().freeze()
  const frozenAt = performance.now()
  const { code, at } = await stopped
  expect(code).toBe('LOCK_LOST')
  expect(at - frozenAt).toBeLessThan(lockMs)
  fixture.server().thaw()
  expect(await producer.waitForRun('dns.frozen', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
  })
})

given('stops a table within the life of its lock when Redis cannot be reached', async () => {
  const { stopped } = await hangingTable('dns.unreachable')
  await fixture.server().kill()
  const killedAt = performance.now()
  const { code, at } = await stopped
  expect(code).toBe('LOCK_LOST')
  expect(at - killedAt).toBeLessThan(lockMs)
  await fixture.server().restart()
})

given('publishes no manifest for a run that another worker has', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  const queue = openQueue(fleet, runQueue)
  await producer.enqueueRun(runJob('dns.zombie'))
  const job = await queue.getJob('dns.zombie')
  if (job === undefined) throw new Error('no job')
  await fleet.redis.set(fleet.keys.lock(runQueue, 'dns.zombie'), 'mine')
  let finished = 0
  const environment = {
    fleet,
    signingKey: null,
    shutdown: new AbortController().signal,
    log: silentLog,
    servers: [],
    notes: null,
    data: await watchData(fleet, silentLog),
    run: {
      ...planOf([]),
      finish: async () => {
        finished++
        return { status: 'complete' as const, manifestKey: null }
      },
    },
  }
  // It is frozen at the moment when all its tables have ended, and wakes up when its job is another's.
  const frozen = Object.assign(job, {
    moveToWaitingChildren: async () => {
      await fleet.redis.set(fleet.keys.lock(runQueue, 'dns.zombie'), 'another')
      return false
    },
  })
  const pass = processRunJob(environment, frozen, 'mine', new AbortController().signal)
  await expect(pass).rejects.toThrow()
  expect(finished).toBe(0)
  expect((await producer.getRun('dns.zombie'))?.status).toBe('staging')
  await queue.close()
})

given('needs no job of BullMQ once a run has ended', async () => {
  const producer = await fixture.producer()
  const worker = await fixture.worker({ redis: producer.settings, run: planOf(['events', 'flows']) })
  await producer.enqueueRun(runJob('dns.kept'))
  const ended = await producer.waitForRun('dns.kept', soon(), { pollMs: 20 })
  await worker.close(0)
  for (const name of [runQueue, sourceQueue('files')]) {
    const queue = openQueue(producer.fleet, name)
    await queue.obliterate({ force: true })
    await queue.close()
  }
  expect(await producer.getRun('dns.kept')).toEqual(ended)
  expect((await producer.listRuns()).map((run) => run.runId)).toEqual(['dns.kept'])
  expect(await producer.waitForRun('dns.kept', soon(), { pollMs: 20 })).toEqual(ended)
  expect(await producer.cancelRun('dns.kept')).toEqual(ended)
  expect(await producer.enqueueRun(runJob('dns.kept'))).toEqual({ runId: 'dns.kept', created: false })
})

given('needs no job of a table that has ended, while others of its run go on', async () => {
  const producer = await fixture.producer()
  const go = gate()
  await fixture.worker({
    redis: producer.settings,
    run: planOf(['events', 'flows']),
    table: async ({ spec }) => {
      if (spec.table === 'flows') await go.promise
      return fetched(spec)
    },
  })
  await producer.enqueueRun(runJob('dns.cleaned'))
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  await expect.poll(() => queue.getCompletedCount()).toBe(1)
  await queue.clean(0, 10, 'completed')
  expect(await queue.getJob('dns.cleaned.events')).toBe(undefined)
  go.open()
  expect(await producer.waitForRun('dns.cleaned', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    tables: { events: { entry: { rows: 3 } }, flows: { entry: { rows: 3 } } },
  })
  await queue.close()
})

given('stops a table that its own worker took over from itself', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  const stopped: unknown[] = []
  let calls = 0
  await fixture.worker({
    redis: producer.settings,
    // Looks for jobs without a lock far more often than locks are renewed.
    timing: { lockMs: 20_000, stalledMs: 50, backOffMs: 20 },
    table: async ({ spec }, { signal }) => {
      calls++
      if (calls > 1) return fetched(spec)
      begun.open()
      await aborted(signal).catch((reason) => stopped.push(reason.code))
      return fetched(spec, { rows: 99 })
    },
  })
  await producer.enqueueRun(runJob('dns.own'))
  await begun.promise
  await producer.fleet.redis.del(producer.fleet.keys.lock('src-files', 'dns.own.events'))
  const record = await producer.waitForRun('dns.own', soon(), { pollMs: 20 })
  expect(record.tables['events']?.entry?.rows).toBe(3)
  await expect.poll(() => stopped).toEqual(['LOCK_LOST'])
})
