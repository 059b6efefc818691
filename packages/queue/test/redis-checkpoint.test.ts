import { type CheckpointSave, type CheckpointState, RunError } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import type { FleetRedis } from '../src/connection.ts'
import type { HeldJob } from '../src/job-environment.ts'
import { redisCheckpoint, removeCheckpoints } from '../src/redis-checkpoint.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, planOf, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

const place = {
  searchJob: null,
  pageSize: 10,
  state: { received: 10 },
  restarted: false,
  header: null,
  truncation: null,
  pages: 1,
  notes: [],
}
const stateOf = (rows: number): CheckpointState => ({
  v: 1,
  spec: 'abc',
  source: 'live',
  savedAt: '2026-11-30T12:00:00.000Z',
  budget: { timeMs: 1.5, pages: 1, calls: 1, retries: 0, bytes: 10 },
  startedOver: false,
  notes: [],
  ends: [],
  place,
  ended: false,
  pages: 1,
  rows,
  sealed: [],
  sha256State: null,
})
const page = (...bytes: number[]) => new Uint8Array([0, 255, ...bytes])
const saveOf = (rows: number, pages: Uint8Array[], newPart = false): CheckpointSave => ({
  state: stateOf(rows),
  pages,
  newPart,
})

/** The checkpoint of job `r.events` in the hands of whoever has this token. */
function held({ fleet }: { fleet: FleetRedis }, token: string, signingKey: string | null = null) {
  const warnings: unknown[] = []
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (_: string, facts?: object) => void warnings.push(facts),
  }
  const fence = { queue: 'source-files', jobId: 'r.events', token }
  const job: Pick<HeldJob, 'id' | 'fence'> = { id: 'r.events', fence }
  return { ...redisCheckpoint({ fleet, signingKey, log }, job), warnings }
}

async function lockedBy({ fleet }: { fleet: FleetRedis }, token: string): Promise<void> {
  await fleet.redis.set(fleet.keys.lock('source-files', 'r.events'), token)
}

describe('a checkpoint in Redis', () => {
  given('comes back as it was saved, pages in their order', async () => {
    const producer = await fixture.producer()
    await lockedBy(producer, 'a')
    const first = held(producer, 'a')
    expect(await first.load()).toBeNull()
    await first.save(saveOf(1, [page(1)], true))
    await first.save(saveOf(2, []))
    await first.save(saveOf(3, [page(2), page(3)]))
    expect(await held(producer, 'b').load()).toEqual({
      state: stateOf(3),
      pages: [page(1), page(2), page(3)].map((bytes) => Buffer.from(bytes)),
    })
  })

  given('forgets its pages when a new part begins', async () => {
    const producer = await fixture.producer()
    await lockedBy(producer, 'a')
    const first = held(producer, 'a')
    await first.save(saveOf(1, [page(1), page(2)], true))
    await first.save(saveOf(2, [page(3)], true))
    expect((await held(producer, 'b').load())?.pages).toEqual([Buffer.from(page(3))])
    const { redis, keys } = producer.fleet
    expect(await redis.hkeys(keys.checkpoint('r.events'))).toHaveLength(2)
    expect(await redis.ttl(keys.checkpoint('r.events'))).toBeGreaterThan(86_400)
  })

  given('is not written by who has lost the job, and goes on with its heir', async () => {
    const producer = await fixture.producer()
    await lockedBy(producer, 'a')
    const zombie = held(producer, 'a')
    await zombie.save(saveOf(1, [page(1)], true))
    await lockedBy(producer, 'b')
    const heir = held(producer, 'b')
    await heir.load()
    await expect(zombie.save(saveOf(9, [page(9)]))).rejects.toMatchObject({ code: 'LOCK_LOST' })
    await heir.save(saveOf(2, [page(2)]))
    await expect(zombie.save(saveOf(9, [], true))).rejects.toBeInstanceOf(RunError)
    expect(await held(producer, 'c').load()).toMatchObject({ state: { rows: 2 }, pages: [{}, {}] })
  })

  given('is trusted only with the fleet’s signature, for its own job', async () => {
    const producer = await fixture.producer()
    const { redis, keys } = producer.fleet
    await lockedBy(producer, 'a')
    await held(producer, 'a').save(saveOf(1, [page(1)], true))
    const careful = held(producer, 'b', 'key')
    expect(await careful.load()).toBeNull()
    expect(careful.warnings).toEqual([{ job: 'r.events', why: 'its signature is missing or wrong' }])
    await held(producer, 'a', 'key').save(saveOf(1, [page(1)], true))
    expect(await held(producer, 'b', 'key').load()).not.toBeNull()
    await redis.hset(keys.checkpoint('r.events'), 'page:0', Buffer.from(page(7)))
    expect(await held(producer, 'b', 'key').load()).toBeNull()
  })

  given('that is damaged is not trusted', async () => {
    const producer = await fixture.producer()
    const { redis, keys } = producer.fleet
    const key = keys.checkpoint('r.events')
    await lockedBy(producer, 'a')
    await held(producer, 'a').save(saveOf(1, [page(1), page(2)], true))
    await redis.hdel(key, 'page:0')
    expect(await held(producer, 'b').load()).toBeNull()
    for (const text of ['', '{}', '\n{"state":{}}', '\nnull', 'x'.repeat(1_000)]) {
      await redis.hset(key, 'state', text)
      expect(await held(producer, 'b').load()).toBeNull()
    }
    await removeCheckpoints(producer.fleet, ['r.events'])
    expect(await redis.exists(key)).toBe(0)
  })

  given('is gone once the entry is stored, and what waits for that is done', async () => {
    const producer = await fixture.producer()
    let afterwards = 0
    await fixture.worker({
      redis: producer.settings,
      table: async (job, { checkpoint, afterStored, isOurs, generation }) => {
        await checkpoint.save(saveOf(1, [page(1)], true))
        afterStored(async () => {
          afterwards += 1
        })
        expect([await isOurs(), generation]).toEqual([true, 1])
        return fetched(job.spec)
      },
    })
    await producer.enqueueRun(runJob('dns.stored'))
    await producer.waitForRun('dns.stored', soon(), { pollMs: 20 })
    expect(afterwards).toBe(1)
    const { redis, keys } = producer.fleet
    expect(await redis.exists(keys.checkpoint('dns.stored.events'))).toBe(0)
  })

  given('is there for the next attempt of its job', async () => {
    const producer = await fixture.producer()
    await fixture.worker({
      redis: producer.settings,
      table: async (job, { checkpoint, attempt }) => {
        if (attempt > 1) return fetched(job.spec, { rows: (await checkpoint.load())?.state.rows ?? 0 })
        await checkpoint.save(saveOf(17, [], true))
        throw new RunError('SOURCE_ERROR', 'unwell')
      },
    })
    await producer.enqueueRun(runJob('dns.again'))
    const record = await producer.waitForRun('dns.again', soon(), { pollMs: 20 })
    expect(record.tables['events']?.entry?.rows).toBe(17)
  })

  given('of a table that waits is removed when its run is cancelled', async () => {
    const producer = await fixture.producer()
    const begun = gate()
    const leaving = await fixture.worker({
      redis: producer.settings,
      run: planOf(['events']),
      table: async (_job, { checkpoint, signal }) => {
        await checkpoint.save(saveOf(1, [page(1)], true))
        begun.open()
        return aborted(signal)
      },
    })
    await producer.enqueueRun(runJob('dns.waits'))
    await begun.promise
    await leaving.close(0)
    const { redis, keys } = producer.fleet
    expect(await redis.exists(keys.checkpoint('dns.waits.events'))).toBe(1)
    await producer.cancelRun('dns.waits')
    expect(await redis.exists(keys.checkpoint('dns.waits.events'))).toBe(0)
  })
})
