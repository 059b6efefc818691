import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { checkRedis } from '../src/check-redis.ts'
import { openProducer } from '../src/producer.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { runJob } from './worker-fakes.ts'

const fixture = await fleetFixture({ own: true, maxmemoryPolicy: 'allkeys-lru' })

/** How it failed and after how many milliseconds. */
async function failure(work: () => Promise<unknown>): Promise<{ error: RunError; ms: number }> {
  const start = performance.now()
  const thrown = await work().then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  )
  if (!(thrown instanceof RunError)) throw thrown
  return { error: thrown, ms: performance.now() - start }
}

test('says at once that nothing listens, with the address and without the password', async () => {
  const { error, ms } = await failure(() =>
    openProducer({ redis: { url: 'redis://me:hunter2@127.0.0.1:1' } }),
  )
  expect(error.code).toBe('QUEUE_UNREACHABLE')
  expect(error.message).toContain('redis://me:***@127.0.0.1:1')
  expect(error.message).toContain('ECONNREFUSED')
  expect(JSON.stringify(error)).not.toContain('hunter2')
  expect(error.context.hint).toContain('start Redis')
  expect(ms).toBeLessThan(3_000)
})

test('says that a socket does not exist', async () => {
  const { error } = await failure(() => openProducer({ redis: { url: 'unix:///nonexistent/redis.sock' } }))
  expect(error).toMatchObject({ code: 'QUEUE_UNREACHABLE' })
  expect(error.message).toContain('unix:///nonexistent/redis.sock')
})

test.skipIf(fixture.skip)('warns of a Redis that may drop jobs', async () => {
  const producer = await fixture.producer()
  const report = await checkRedis(producer.fleet.redis)
  expect(report.maxmemoryPolicy).toBe('allkeys-lru')
  expect(report.warnings.join()).toContain('noeviction')
})

test.skipIf(fixture.skip)('fails within seconds when Redis is frozen', async () => {
  const producer = await fixture.producer()
  fixture.server().freeze()
  const enqueue = await failure(() => producer.enqueueRun(runJob('dns.frozen')))
  expect(enqueue.error).toMatchObject({ code: 'QUEUE_UNREACHABLE' })
  expect(enqueue.ms).toBeLessThan(8_000)
  const connect = await failure(() => openProducer({ redis: producer.settings }))
  expect(connect.error).toMatchObject({ code: 'QUEUE_UNREACHABLE' })
  expect(connect.ms).toBeLessThan(5_000)
})

test.skipIf(fixture.skip)('fails at once when Redis dies, and works again when it is back', async () => {
  const producer = await fixture.producer()
  await fixture.server().kill()
  const { error, ms } = await failure(() => producer.enqueueRun(runJob('dns.down')))
  expect(error.code).toBe('QUEUE_UNREACHABLE')
  expect(ms).toBeLessThan(3_000)
  await fixture.server().restart()
  await expect.poll(() => producer.enqueueRun(runJob('dns.up')).catch(() => null)).not.toBe(null)
  expect((await producer.getRun('dns.up'))?.status).toBe('queued')
})

test.skipIf(fixture.skip)('names wrong credentials as the reason', async () => {
  const { redis } = (await fixture.producer()).fleet
  await redis.call('CONFIG', 'SET', 'requirepass', 'right')
  const { error } = await failure(() => openProducer({ redis: fixture.settings() }))
  await redis.call('CONFIG', 'SET', 'requirepass', '')
  expect(error).toMatchObject({
    code: 'QUEUE_UNREACHABLE',
    context: { hint: expect.stringContaining('password') },
  })
})
