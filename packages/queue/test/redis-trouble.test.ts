import type { TableJob } from '@huntfleet/contract'
import { startRedis } from '@huntfleet/testing'
import { expect, test } from 'vitest'
import { openQueue } from '../src/open-queue.ts'
import type { TableContext } from '../src/processors.ts'
import { openProducer } from '../src/producer.ts'
import { silentLog } from '../src/queue-log.ts'
import { sourceQueue } from '../src/queue-names.ts'
import { openRunBudget } from '../src/run-budget.ts'
import type { RunNote, RunNotes } from '../src/run-notes.ts'
import { createSharedLimiter } from '../src/shared-limiter.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { movingAddress } from './moving-address.ts'
import { fetched, gate, planOf, runJob } from './worker-fakes.ts'

/** The troubles of docs/redis.md, with locks of 1 s instead of 20 s. */

const fixture = await fleetFixture({ own: true, appendonly: true })
const given = test.skipIf(fixture.skip)
const timing = { lockMs: 1_000, stalledMs: 200, backOffMs: 20, sweepMs: 50, vanishedMs: 200, graceMs: 200 }

/** A table whose first attempt ends when the test lets it. */
function waitingTable() {
  const begun = gate()
  const go = gate()
  const stopped = gate()
  const attempts: number[] = []
  return {
    begun: begun.promise,
    /** Its first attempt was told to stop. */
    stopped: stopped.promise,
    go: () => go.open(),
    attempts,
    table: async ({ spec }: TableJob, { attempt, signal }: TableContext) => {
      attempts.push(attempt)
      if (attempts.length > 1) return fetched(spec)
      begun.open()
      signal.addEventListener('abort', () => stopped.open(), { once: true })
      await go.promise
      return fetched(spec)
    },
  }
}

function notesInMemory(): RunNotes & { open: Map<string, RunNote> } {
  const open = new Map<string, RunNote>()
  return {
    open,
    begin: async (note) => void open.set(note.job.runId, note),
    end: async (job) => void open.delete(job.runId),
    list: async () => [...open.values()],
  }
}

given('fetches again, with no attempt counted, what outlived its lock while Redis was down', async () => {
  const producer = await fixture.producer()
  const source = waitingTable()
  await fixture.worker({ redis: producer.settings, timing, table: source.table })
  await producer.fleet.redis.call('CONFIG', 'SET', 'appendfsync', 'always')
  await producer.enqueueRun(runJob('dns.down'))
  await source.begun
  await fixture.server().kill()
  await expect(producer.enqueueRun(runJob('dns.refused'))).rejects.toMatchObject({
    code: 'QUEUE_UNREACHABLE',
  })
  // The lock has run out, as one of 20 s does in 45 s.
  await source.stopped
  source.go()
  await fixture.server().restart()
  const ended = async () => (await producer.getRun('dns.down').catch(() => null))?.status
  await expect.poll(ended).toBe('complete')
  expect(source.attempts).toEqual([1, 1])
})

given('reports runs that a Redis without persistence forgot, and goes on with its limits set', async () => {
  const producer = await fixture.producer()
  const notes = notesInMemory()
  const source = waitingTable()
  const lost: string[] = []
  const run = planOf(['events'])
  await fixture.worker({
    redis: producer.settings,
    timing,
    notes,
    table: source.table,
    run: {
      ...run,
      finish: async (job, entries, context) => {
        if (context.lost) lost.push(job.runId)
        const { status, manifestKey } = await run.finish(job, entries, context)
        return { status: context.lost ? 'lost' : status, manifestKey }
      },
    },
  })
  await producer.enqueueRun(runJob('dns.forgotten'))
  await source.begun
  expect([...notes.open.keys()]).toEqual(['dns.forgotten'])
  // With `everysec` a kill may forget the last second, and with it that the data is gone.
  await producer.fleet.redis.call('CONFIG', 'SET', 'appendfsync', 'always')
  await producer.fleet.redis.flushall()
  await fixture.server().kill()
  await fixture.server().restart()
  source.go()
  const status = async () => (await producer.getRun('dns.forgotten').catch(() => null))?.status
  await expect.poll(status).toBe('lost')
  expect(await producer.getRun('dns.forgotten')).toMatchObject({
    error: { code: 'RUN_LOST' },
    manifestKey: '_runs/dns.forgotten/manifest.json',
    tables: { events: { entry: { outcome: 'failed', error: { code: 'RUN_LOST' } } } },
  })
  expect(lost).toEqual(['dns.forgotten'])
  await expect.poll(() => notes.open.size).toBe(0)
  const queue = openQueue(producer.fleet, sourceQueue('files'))
  expect(await queue.getGlobalConcurrency()).toBe(4)
  await queue.close()
  // It can be had after all, and the fleet works as before.
  await producer.retryRun('dns.forgotten')
  expect(await producer.waitForRun('dns.forgotten', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    retry: 2,
  })
})

given('tells who waits for a run that its Redis lost its data', async () => {
  const producer = await fixture.producer()
  await producer.enqueueRun(runJob('dns.waited'))
  const waiting = producer.waitForRun('dns.waited', soon(), { pollMs: 20 })
  const refused = expect(waiting).rejects.toMatchObject({ code: 'RUN_LOST' })
  await producer.fleet.redis.flushall()
  await refused
})

given('leaves notes of another fleet alone until the run they tell of must have ended', async () => {
  const producer = await fixture.producer()
  const notes = notesInMemory()
  const note = (runId: string, deadlineAt: string): RunNote => {
    const job = runJob(runId)
    return { data: 'of another Redis', startedAt: job.scheduledAt, deadlineAt, job, sealed: job }
  }
  await notes.begin(note('dns.theirs', new Date(Date.now() + 60_000).toISOString()))
  await notes.begin(note('dns.long-ago', '2026-11-01T00:00:00.000Z'))
  await fixture.worker({ redis: producer.settings, timing, notes })
  const record = async () => (await producer.getRun('dns.long-ago'))?.status
  await expect.poll(record).toBe('failed')
  expect(await producer.getRun('dns.theirs')).toBe(null)
  expect([...notes.open.keys()]).toEqual(['dns.theirs'])
})

given('goes on with a replica that took the address of a Redis that died', async () => {
  const second = await startRedis({ own: true })
  if (second.skipped !== undefined) throw new Error(second.skipped)
  fixture.onEnd(() => second.stop())
  const { url, prefix } = fixture.settings()
  const address = await movingAddress(url)
  fixture.onEnd(() => address.close())
  const replica = await openProducer({ redis: { url: second.url } })
  fixture.onEnd(() => replica.close())
  const { port, hostname } = new URL(url)
  const producer = await fixture.producer({ url: address.url, prefix })
  await producer.fleet.redis.call('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
  await replica.fleet.redis.call('REPLICAOF', hostname, port)
  await expect.poll(() => replica.fleet.redis.info('replication')).toContain('master_link_status:up')
  const source = waitingTable()
  await fixture.worker({ redis: producer.settings, timing, table: source.table })
  await producer.enqueueRun(runJob('dns.failover'))
  await source.begun
  const copied = async () =>
    (await replica.fleet.redis.exists(`${prefix}:src-files:dns.failover.events`)) === 1
  await expect.poll(copied).toBe(true)
  await fixture.server().kill()
  // Before the workers close, which the tests after this one need as well.
  fixture.onEnd(() => fixture.server().restart())
  await replica.fleet.redis.call('REPLICAOF', 'NO', 'ONE')
  address.moveTo(second.url)
  source.go()
  const ended = async () => (await producer.getRun('dns.failover').catch(() => null))?.status
  await expect.poll(ended).toBe('complete')
})

given('loses nothing to a Redis that is full, and goes on when it has room again', async () => {
  const producer = await fixture.producer()
  const { redis } = producer.fleet
  const source = waitingTable()
  await fixture.worker({ redis: producer.settings, timing, table: source.table })
  await producer.enqueueRun(runJob('dns.full'))
  await source.begun
  await redis.call('CONFIG', 'SET', 'maxmemory', '1')
  await expect(producer.enqueueRun(runJob('dns.refused'))).rejects.toMatchObject({
    code: 'QUEUE_UNREACHABLE',
    message: expect.stringContaining('OOM'),
  })
  // What is asked before each call refuses the call, which is no error of the source.
  const { signal } = new AbortController()
  const limits = { maxBytes: null, maxPages: null, maxCalls: 9 }
  const budget = openRunBudget(producer.fleet, 'dns.full', 1, limits, signal)
  await expect(budget?.take()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  const limiter = createSharedLimiter(producer.fleet, () => ({ callsPerMinute: null, callsPerDay: 9 }))
  await expect(limiter.acquire('files', signal)).rejects.toMatchObject({ code: 'LOCK_LOST' })
  // The lock cannot be renewed either.
  await source.stopped
  source.go()
  expect((await producer.getRun('dns.full'))?.tables['events']?.entry).toBe(null)
  await redis.call('CONFIG', 'SET', 'maxmemory', '0')
  expect(await producer.waitForRun('dns.full', soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    tables: { events: { entry: { rows: 3 } } },
  })
  expect(new Set(source.attempts)).toEqual(new Set([1]))
})

given('warns of an eviction policy that drops jobs, at the start and when Redis is back', async () => {
  const producer = await fixture.producer()
  const { redis } = producer.fleet
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  await fixture.worker({ redis: producer.settings, timing, log })
  const count = () => warnings.filter((warning) => warning.includes('maxmemory-policy allkeys-lru')).length
  expect(count()).toBe(1)
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await expect.poll(count).toBeGreaterThan(1)
  await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
})
