import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { RedisSettings } from '../src/connection.ts'
import { openQueue } from '../src/open-queue.ts'
import { sourceQueue } from '../src/queue-names.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { runJob } from './worker-fakes.ts'

/** Real worker processes; locks of 1 s and a look for dead workers every 200 ms. */
const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const children: ChildProcess[] = []
afterEach(async () => {
  const running = children.splice(0).filter((child) => child.exitCode === null && child.signalCode === null)
  await Promise.all(running.map((child) => [once(child, 'exit'), child.kill('SIGKILL')][0]))
})

interface WorkerProcess {
  child: ChildProcess
  lines: string[]
  /** Resolves once the worker has said this. */
  said(line: string): Promise<void>
}

async function start({ url, prefix }: RedisSettings, mode: string, pace = 'quick'): Promise<WorkerProcess> {
  const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
  const args = ['--conditions=source', program, url, prefix ?? '', mode, pace]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const said = async (line: string): Promise<void> => {
    await expect.poll(() => lines, { interval: 10 }).toContain(line)
  }
  if (mode !== 'die' && mode !== 'die-in-plan') await said('ready')
  return { child, lines, said }
}

/** Starts workers that the next job kills, one after the other. */
async function die(redis: RedisSettings, mode: 'die' | 'die-in-plan', times: number): Promise<void> {
  for (let death = 1; death <= times; death++) {
    const { child } = await start(redis, mode)
    if (child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
  }
}

given(
  'goes on with a killed worker’s table elsewhere, within the time of lock and look, and counts no attempt',
  async () => {
    const producer = await fixture.producer()
    const doomed = await start(producer.settings, 'hang')
    await producer.enqueueRun(runJob('dns.killed'))
    await doomed.said('table events attempt 1')
    const heir = await start(producer.settings, 'finish')
    doomed.child.kill('SIGKILL')
    const killedAt = performance.now()
    await heir.said('table events attempt 1')
    expect(performance.now() - killedAt).toBeLessThan(4_000)
    expect(await producer.waitForRun('dns.killed', soon(), { pollMs: 20 })).toMatchObject({
      status: 'complete',
    })
  },
)

given('goes on within 30 s of a kill at the times that a worker has by default', async () => {
  const producer = await fixture.producer()
  const doomed = await start(producer.settings, 'hang', 'slow')
  await producer.enqueueRun(runJob('dns.slow'))
  await doomed.said('table events attempt 1')
  const heir = await start(producer.settings, 'finish', 'slow')
  doomed.child.kill('SIGKILL')
  const killedAt = performance.now()
  await heir.said('table events attempt 1')
  expect(performance.now() - killedAt).toBeLessThan(30_000)
})

given('gives the slot of a killed worker back to its source within the time of lock and look', async () => {
  const producer = await fixture.producer()
  // The doomed worker holds all four slots of the source.
  const doomed = await start(producer.settings, 'hang')
  for (const name of ['a', 'b', 'c', 'd']) await producer.enqueueRun(runJob(`dns.slot-${name}`))
  const held = () => doomed.lines.filter((line) => line.startsWith('table')).length
  await expect.poll(held).toBe(4)
  await producer.enqueueRun(runJob('dns.waiting'))
  const heir = await start(producer.settings, 'finish')
  doomed.child.kill('SIGKILL')
  const killedAt = performance.now()
  await producer.waitForRun('dns.waiting', soon(), { pollMs: 20 })
  expect(performance.now() - killedAt).toBeLessThan(4_000)
  for (const name of ['a', 'b', 'c', 'd'])
    await producer.waitForRun(`dns.slot-${name}`, soon(), { pollMs: 20 })
  expect(heir.lines.filter((line) => line.startsWith('table'))).toHaveLength(5)
})

given('stops a table whose worker’s event loop was blocked, and stores nothing of it', async () => {
  const producer = await fixture.producer()
  const blocked = await start(producer.settings, 'block')
  await producer.enqueueRun(runJob('dns.blocked'))
  await blocked.said('table events attempt 1')
  const heir = await start(producer.settings, 'finish')
  await heir.said('table events attempt 1')
  await blocked.said('aborted true LOCK_LOST')
  await blocked.said('progress LOCK_LOST')
  expect(await producer.waitForRun('dns.blocked', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    tables: { events: { progress: null, entry: { rows: 3 } } },
  })
})

given('goes on with a run whose worker was killed while it planned', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.planner'))
  await die(producer.settings, 'die-in-plan', 1)
  await start(producer.settings, 'finish')
  expect(await producer.waitForRun('dns.planner', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
  })
})

given('hands a table back at SIGTERM and ends by itself; the next worker takes it at once', async () => {
  const producer = await fixture.producer()
  const leaving = await start(producer.settings, 'hang')
  await producer.enqueueRun(runJob('dns.term'))
  await leaving.said('table events attempt 1')
  const heir = await start(producer.settings, 'finish')
  leaving.child.kill('SIGTERM')
  const toldAt = performance.now()
  const ended = once(leaving.child, 'exit')
  await heir.said('table events attempt 1')
  expect(performance.now() - toldAt).toBeLessThan(1_000)
  expect((await ended)[0]).toBe(0)
  expect(leaving.lines).toContain('closed')
  expect(await producer.waitForRun('dns.term', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  expect(await queue.getJob('dns.term.events')).toMatchObject({ attemptsMade: 1, stalledCounter: 0 })
  await queue.close()
})

given('ends a table that kills every worker as failed, and the run with it', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.poison'))
  const { redis, keys } = producer.fleet
  const checkpoint = keys.checkpoint('dns.poison.events')
  await redis.hset(checkpoint, 'state', 'of a worker that died')
  await die(producer.settings, 'die', 4)
  await start(producer.settings, 'finish')
  const record = await producer.waitForRun('dns.poison', soon(), { pollMs: 20 })
  expect(record.status).toBe('failed')
  expect(record.tables['events']?.entry).toMatchObject({
    outcome: 'failed',
    reason: 'the worker died 4 times while it fetched table events',
    error: { code: 'INTERNAL', hint: expect.stringContaining('out-of-memory') },
  })
  expect(await redis.exists(checkpoint)).toBe(0)
})

given('calls a run lost when it killed every worker that planned it', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.lost'))
  await die(producer.settings, 'die-in-plan', 4)
  await start(producer.settings, 'finish')
  expect(await producer.waitForRun('dns.lost', soon(), { pollMs: 20 })).toMatchObject({
    status: 'lost',
    error: { code: 'RUN_LOST', hint: expect.stringContaining('died 4 times') },
  })
})
