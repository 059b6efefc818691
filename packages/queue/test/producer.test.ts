import { expect, test } from 'vitest'
import { openQueue } from '../src/open-queue.ts'
import { runQueue } from '../src/queue-names.ts'
import { announceSources } from '../src/source-queues.ts'
import { registerWorker } from '../src/worker-registry.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

given('adds a run once, however often and however simultaneously it is enqueued', async () => {
  const producer = await fixture.producer()
  const answers = await Promise.all(Array.from({ length: 10 }, () => producer.enqueueRun(runJob('dns.once'))))
  expect(answers.filter(({ created }) => created)).toHaveLength(1)
  expect(new Set(answers.map(({ runId }) => runId))).toEqual(new Set(['dns.once']))
  const queue = openQueue(producer.fleet, runQueue)
  expect(await queue.getJobCounts('waiting', 'active', 'completed')).toMatchObject({
    waiting: 1,
    active: 0,
    completed: 0,
  })
  await queue.close()
})

given('makes good a producer that died between the record and the job', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.torn'))
  const queue = openQueue(producer.fleet, runQueue)
  await queue.remove('dns.torn')
  expect(await producer.enqueueRun(runJob('dns.torn'))).toEqual({ runId: 'dns.torn', created: false })
  expect(await queue.getJob('dns.torn')).toBeDefined()
  await queue.close()
})

given('does not run again what has ended, though its job is gone', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.ended'))
  await producer.cancelRun('dns.ended')
  expect(await producer.enqueueRun(runJob('dns.ended'))).toEqual({ runId: 'dns.ended', created: false })
  const queue = openQueue(producer.fleet, runQueue)
  expect(await queue.getJob('dns.ended')).toBeUndefined()
  await queue.close()
})

given('keeps what a list of runs shows, for 30 days', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns-hourly.20261130T120000Z', { hunt: 'dns-hourly' }))
  expect(await producer.getRun('dns-hourly.20261130T120000Z')).toMatchObject({
    strategy: 'dns',
    version: '1.2',
    hunt: 'dns-hourly',
    status: 'queued',
    params: { days: 7 },
    scheduledAt: '2026-11-30T12:00:00.000Z',
    storage: 'file:///staging',
    startedAt: null,
    finishedAt: null,
    manifestKey: null,
    error: null,
    planned: false,
    tables: {},
  })
  const { redis, keys } = producer.fleet
  const ttl = await redis.ttl(keys.run('dns-hourly.20261130T120000Z'))
  expect(ttl).toBeGreaterThan(29 * 86_400)
  expect(ttl).toBeLessThanOrEqual(30 * 86_400)
})

given('lists runs newest first and by what they are', async () => {
  const producer = await fixture.producer()
  for (const id of ['dns.1', 'dns.2', 'dns.3'])
    await producer.enqueueRun(runJob(id, { hunt: id === 'dns.2' ? 'h' : null }))
  // Runs queued in one millisecond are in the order of their ids.
  expect((await producer.listRuns()).map((run) => run.runId)).toEqual(['dns.3', 'dns.2', 'dns.1'])
  expect((await producer.listRuns({ limit: 1 })).map((run) => run.runId)).toEqual(['dns.3'])
  expect((await producer.listRuns({ hunt: 'h' })).map((run) => run.runId)).toEqual(['dns.2'])
  expect(await producer.listRuns({ status: 'complete' })).toEqual([])
  expect(await producer.listRuns({ strategy: 'other' })).toEqual([])
})

given('cancels a run that has not begun, although no worker lives', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.early'))
  expect(await producer.cancelRun('dns.early')).toMatchObject({ status: 'cancelled', error: null })
  expect((await producer.getRun('dns.early'))?.finishedAt).not.toBe(null)
})

given('names a run that it does not know', async () => {
  const producer = await fixture.producer()
  await expect(producer.cancelRun('dns.none')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await expect(producer.waitForRun('dns.none', soon())).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
  })
  expect(await producer.getRun('../runs')).toBe(null)
})

given('calls a run lost whose job is gone', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.vanished'))
  const queue = openQueue(producer.fleet, runQueue)
  await queue.remove('dns.vanished')
  await queue.close()
  const record = await producer.waitForRun('dns.vanished', soon(), { pollMs: 20 })
  expect(record).toMatchObject({
    status: 'lost',
    error: { code: 'RUN_LOST', message: 'the run’s job is gone from its queue' },
  })
})

given('stops waiting when it is told to', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.idle'))
  const controller = new AbortController()
  const waiting = producer.waitForRun('dns.idle', controller.signal, {
    onProgress: () => controller.abort(new Error('enough')),
  })
  await expect(waiting).rejects.toThrow('enough')
})

given('knows which servers a live worker serves, and forgets a worker that is gone', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  const worker = { id: 'w1', host: 'here', pid: 1, servers: ['files'], startedAt: '2026-11-30T12:00:00.000Z' }
  const unregister = await registerWorker(fleet, worker, () => {})
  expect(await producer.liveWorkers()).toEqual([worker])
  expect(await producer.unservedServers(['files', 'elastic', 'elastic'])).toEqual(['elastic'])
  await unregister()
  expect(await producer.liveWorkers()).toEqual([])
  // One that was killed leaves its name; Redis drops its heartbeat.
  await fleet.redis.sadd(fleet.keys.workers, 'killed', 'forged')
  await fleet.redis.set(fleet.keys.worker('forged'), 'no json')
  expect(await producer.liveWorkers()).toEqual([])
  expect(await fleet.redis.smembers(fleet.keys.workers)).toEqual(['forged'])
})

given('lists the queues of servers as they appear, and no forged names', async () => {
  const producer = await fixture.producer()
  expect(await producer.listQueues()).toEqual(['hunt-tick', 'hunt-run'])
  await announceSources(producer.fleet, ['files', 'elastic'])
  await producer.fleet.redis.sadd(producer.fleet.keys.sources, 'a:b', '../x')
  expect(await producer.listQueues()).toEqual(['hunt-tick', 'hunt-run', 'src-elastic', 'src-files'])
})
