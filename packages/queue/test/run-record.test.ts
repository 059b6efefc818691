import { expect, test } from 'vitest'
import { parseRunRecord } from '../src/run-record.ts'
import { changeRunRecord, createRunRecord, getRun, writeRunRecord } from '../src/run-store.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { fetched, specOf } from './worker-fakes.ts'

const fixture = await fleetFixture()
const head = {
  runId: 'dns.1',
  strategy: 'dns',
  version: '1',
  hunt: null,
  params: {},
  scheduledAt: '2026-11-30T12:00:00.000Z',
  window: { start: null, end: null },
  storage: 'file:///staging',
  queuedAt: new Date().toISOString(),
}

test('reads a record field by field and leaves out what it cannot read', () => {
  const entry = fetched(specOf('dns.1', 'events'))
  const record = parseRunRecord({
    head: JSON.stringify(head),
    status: 'staging',
    planned: '1',
    'entry:events': JSON.stringify(entry),
    'progress:events': '{"page":3}',
    'attempt:events': '2',
    'entry:flows': '{"from":"the future"}',
    'progress:flows': 'no json',
    'unknown:flows': '1',
  })
  expect(record).toMatchObject({ status: 'staging', planned: true })
  expect(record?.tables['events']).toEqual({
    facts: null,
    attempt: 2,
    progress: { page: 3 },
    entry,
    before: null,
  })
  expect(record?.tables['flows']).toEqual({
    facts: null,
    attempt: null,
    progress: null,
    entry: null,
    before: null,
  })
})

test('takes a hash without a readable head or status for no record', () => {
  expect(parseRunRecord({})).toBe(null)
  expect(parseRunRecord({ head: '{', status: 'staging' })).toBe(null)
  expect(parseRunRecord({ head: JSON.stringify(head), status: 'unheard of' })).toBe(null)
})

test('keeps a table named like a built-in apart from the prototype', () => {
  const record = parseRunRecord({ head: JSON.stringify(head), status: 'staging', 'attempt:__proto__': '1' })
  expect(Object.keys(record?.tables ?? {})).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(record?.tables)).toBe(Object.prototype)
})

test.skipIf(fixture.skip)('is written only by the holder of the lock', async () => {
  const { fleet } = await fixture.producer()
  await createRunRecord(fleet, { head, retry: 1, deadlineAt: head.queuedAt, sealed: {} })
  const fence = { queue: 'hunt-run', jobId: 'dns.1', token: 'mine' }
  await fleet.redis.set(fleet.keys.lock('hunt-run', 'dns.1'), 'mine')
  await writeRunRecord(fleet, fence, 'dns.1', { status: 'staging' })
  const zombie = writeRunRecord(fleet, { ...fence, token: 'old' }, 'dns.1', { status: 'failed' })
  await expect(zombie).rejects.toMatchObject({ code: 'LOCK_LOST' })
  await fleet.redis.del(fleet.keys.lock('hunt-run', 'dns.1'))
  const unlocked = writeRunRecord(fleet, fence, 'dns.1', { status: 'failed' })
  await expect(unlocked).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect((await getRun(fleet, 'dns.1'))?.status).toBe('staging')
})

test.skipIf(fixture.skip)(
  'is not begun by who only looks after it, nor kept out by fields without one',
  async () => {
    const { fleet } = await fixture.producer()
    const run = { head, retry: 1, deadlineAt: head.queuedAt, sealed: {} }
    expect(await changeRunRecord(fleet, 'dns.1', 'HSETNX', 'suspect', 1)).toBe(null)
    expect(await fleet.redis.exists(fleet.keys.run('dns.1'))).toBe(0)
    await fleet.redis.hset(fleet.keys.run('dns.1'), { suspect: '1' })
    expect(await createRunRecord(fleet, run)).toBe(true)
    expect(await fleet.redis.hget(fleet.keys.run('dns.1'), 'suspect')).toBe(null)
    expect(await changeRunRecord(fleet, 'dns.1', 'HSETNX', 'suspect', 1)).toBe(1)
    expect(await createRunRecord(fleet, run)).toBe(false)
  },
)
