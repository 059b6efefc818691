import { RunError } from '@huntfleet/contract'
import { expect, test } from 'vitest'
import { openQueue } from '../src/open-queue.ts'
import type { TableProcessor } from '../src/processors.ts'
import { runQueue, sourceQueue } from '../src/queue-names.ts'
import { retryRun } from '../src/retry-run.ts'
import { fleetFixture, soon } from './fleet-fixture.ts'
import { aborted, fetched, gate, planOf, runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

/** Tables of a run by what their first attempts bring; a retry brings 9 rows of each. */
function flaky(bad: Readonly<Record<string, 'failed' | 'page_error'>>): {
  table: TableProcessor
  fetched: string[]
} {
  const calls: string[] = []
  return {
    fetched: calls,
    table: async ({ spec, retry }) => {
      calls.push(`${spec.table} ${retry}`)
      const outcome = bad[spec.table]
      if (retry > 1) return fetched(spec, { rows: 9, path: `${spec.table}/new` })
      if (outcome === 'failed') throw new RunError('TOOL_FAILED', 'no such index')
      return fetched(spec, outcome ? { outcome, whole: false, rows: 2 } : {})
    },
  }
}

/** The tables of the plan that the job asks for, as a compiler picks them. */
function planPicked(tables: readonly string[]) {
  const run = planOf(tables)
  return {
    ...run,
    plan: async (...[job, context]: Parameters<typeof run.plan>) => {
      const all = await run.plan(job, context)
      return { ...all, specs: all.specs.filter((spec) => job.tables?.includes(spec.table) ?? true) }
    },
  }
}

given('fetches only the tables again that failed or are incomplete, and keeps both attempts', async () => {
  const producer = await fixture.producer()
  const { table, fetched: calls } = flaky({ flows: 'failed', alerts: 'page_error' })
  const finished: unknown[] = []
  const run = planPicked(['events', 'flows', 'alerts'])
  await fixture.worker({
    redis: producer.settings,
    table,
    run: {
      ...run,
      finish: async (job, entries, context) => {
        finished.push([job.retry, Object.keys(entries).sort()])
        return run.finish(job, entries, context)
      },
    },
  })
  await producer.enqueueRun(runJob('dns.retried'))
  expect(await producer.waitForRun('dns.retried', soon(), { pollMs: 20 })).toMatchObject({
    status: 'partial',
    retry: 1,
  })
  expect(await producer.retryRun('dns.retried')).toEqual({ retry: 2, tables: ['alerts', 'flows'] })
  const record = await producer.waitForRun('dns.retried', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'complete', retry: 2, error: null })
  expect(calls.sort()).toEqual(['alerts 1', 'alerts 2', 'events 1', 'flows 1', 'flows 2'])
  expect(finished).toEqual([
    [1, ['alerts', 'events', 'flows']],
    [2, ['alerts', 'events', 'flows']],
  ])
  expect(record.tables['events']?.entry).toMatchObject({ rows: 3, retry: 1, history: [] })
  expect(record.tables['flows']?.entry).toMatchObject({
    rows: 9,
    retry: 2,
    history: [{ retry: 1, outcome: 'failed', reason: 'no such index', error: { code: 'TOOL_FAILED' } }],
  })
  expect(record.tables['alerts']?.entry).toMatchObject({
    history: [{ retry: 1, outcome: 'page_error', rows: 2, path: 'x' }],
  })
  await expect(producer.retryRun('dns.retried')).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: expect.stringContaining('no table that failed or is incomplete'),
  })
})

given('keeps the rows of the attempt before when the retry brings fewer', async () => {
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    run: planPicked(['events']),
    table: async ({ spec, retry }) => {
      if (retry === 2) throw new RunError('SOURCE_DENIED', 'the token has expired')
      return fetched(spec, { outcome: 'page_error', whole: false, rows: retry === 1 ? 5 : 7 })
    },
  })
  await producer.enqueueRun(runJob('dns.worse'))
  await producer.waitForRun('dns.worse', soon(), { pollMs: 20 })
  await producer.retryRun('dns.worse')
  const worse = await producer.waitForRun('dns.worse', soon(), { pollMs: 20 })
  expect(worse.tables['events']?.entry).toMatchObject({
    outcome: 'page_error',
    rows: 5,
    retry: 1,
    history: [{ retry: 2, outcome: 'failed', error: { code: 'SOURCE_DENIED' } }],
  })
  await producer.retryRun('dns.worse')
  const better = await producer.waitForRun('dns.worse', soon(), { pollMs: 20 })
  expect(better.tables['events']?.entry).toMatchObject({
    rows: 7,
    retry: 3,
    history: [
      { retry: 1, rows: 5 },
      { retry: 2, rows: 0 },
    ],
  })
})

given('retries the tables that it is told, and refuses others by name', async () => {
  const producer = await fixture.producer()
  const { table, fetched: calls } = flaky({ flows: 'failed', alerts: 'failed' })
  await fixture.worker({
    redis: producer.settings,
    table,
    run: planPicked(['events', 'flows', 'alerts']),
  })
  await producer.enqueueRun(runJob('dns.picked'))
  await producer.waitForRun('dns.picked', soon(), { pollMs: 20 })
  for (const [name, words] of [
    ['events', 'its outcome is complete'],
    ['evnets', 'it has no such table; its tables are'],
  ] as const)
    await expect(producer.retryRun('dns.picked', { tables: [name] })).rejects.toThrow(words)
  await producer.retryRun('dns.picked', { tables: ['flows'] })
  const record = await producer.waitForRun('dns.picked', soon(), { pollMs: 20 })
  expect(record.status).toBe('partial')
  expect(calls.filter((call) => call.endsWith('2'))).toEqual(['flows 2'])
})

given('works when the jobs of BullMQ are gone, and only once at a time', async () => {
  const producer = await fixture.producer()
  const { table } = flaky({ events: 'failed' })
  const worker = await fixture.worker({ redis: producer.settings, table, run: planPicked(['events']) })
  await producer.enqueueRun(runJob('dns.bare'))
  await producer.waitForRun('dns.bare', soon(), { pollMs: 20 })
  await worker.close(0)
  for (const name of [runQueue, sourceQueue('files')]) {
    const queue = openQueue(producer.fleet, name)
    await queue.obliterate({ force: true })
    await queue.close()
  }
  const answers = await Promise.allSettled([1, 2, 3].map(() => producer.retryRun('dns.bare')))
  const begun = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.retry] : []))
  expect(new Set(begun)).toEqual(new Set([2]))
  await expect(producer.retryRun('dns.bare')).rejects.toThrow('run dns.bare is under way: queued')
  await fixture.worker({ redis: producer.settings, table, run: planPicked(['events']) })
  const record = await producer.waitForRun('dns.bare', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'complete', retry: 2, tables: { events: { entry: { rows: 9 } } } })
})

given('makes good a caller that died between the record and the job', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  const { table } = flaky({ events: 'failed' })
  await fixture.worker({ redis: producer.settings, table, run: planPicked(['events']) })
  await producer.enqueueRun(runJob('dns.half'))
  await producer.waitForRun('dns.half', soon(), { pollMs: 20 })
  const queue = openQueue(fleet, runQueue)
  // The caller dies as soon as it touches the queue.
  const keys = {
    ...fleet.keys,
    get prefix(): string {
      throw new Error('killed')
    },
  }
  await expect(retryRun({ ...fleet, keys }, 'dns.half', null)).rejects.toThrow('killed')
  expect(await producer.getRun('dns.half')).toMatchObject({ status: 'queued', retry: 2 })
  expect(await queue.getJob('dns.half~2')).toBe(undefined)
  expect(await producer.retryRun('dns.half')).toEqual({ retry: 2, tables: ['events'] })
  expect(await producer.waitForRun('dns.half', soon(), { pollMs: 20 })).toMatchObject({ status: 'complete' })
  await queue.close()
})

given('refuses a run that is under way or unknown', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  await fixture.worker({
    redis: producer.settings,
    table: async (_job, { signal }) => {
      begun.open()
      return aborted(signal)
    },
  })
  await producer.enqueueRun(runJob('dns.busy'))
  await begun.promise
  await expect(producer.retryRun('dns.busy')).rejects.toThrow('run dns.busy is under way: staging')
  await expect(producer.retryRun('dns.none')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
})

given('retries a cancelled run, and a cancelled retry keeps what was there', async () => {
  const producer = await fixture.producer()
  const begun = gate()
  let hangs = true
  await fixture.worker({
    redis: producer.settings,
    run: planPicked(['events', 'flows']),
    table: async ({ spec }, { signal }) => {
      if (spec.table === 'events' || !hangs) return fetched(spec)
      begun.open()
      await aborted(signal).catch(() => {})
      return fetched(spec, { outcome: 'cancelled', whole: false, rows: 1 })
    },
  })
  await producer.enqueueRun(runJob('dns.cancelled'))
  await begun.promise
  await producer.cancelRun('dns.cancelled')
  await producer.waitForRun('dns.cancelled', soon(), { pollMs: 20 })
  const queue = openQueue(producer.fleet, runQueue)
  await queue.pause()
  await producer.retryRun('dns.cancelled')
  const again = await producer.cancelRun('dns.cancelled')
  expect(again).toMatchObject({ status: 'cancelled', retry: 2 })
  expect(again.tables['flows']?.entry).toMatchObject({ rows: 1, retry: 1 })
  hangs = false
  await producer.retryRun('dns.cancelled')
  await queue.resume()
  const record = await producer.waitForRun('dns.cancelled', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'complete', retry: 3 })
  await queue.close()
})

given('drops what a job of an earlier execution brings after the run was begun again', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  const begun = gate()
  const late = gate()
  await fixture.worker({
    redis: producer.settings,
    run: planPicked(['events']),
    table: async ({ spec, retry }) => {
      if (retry > 1) return fetched(spec, { rows: 9 })
      begun.open()
      await late.promise
      return fetched(spec, { rows: 1 })
    },
  })
  await producer.enqueueRun(runJob('dns.late'))
  await begun.promise
  // As a sweep does that has given up on the run.
  await fleet.redis.hset(
    fleet.keys.run('dns.late'),
    'status',
    'lost',
    'finishedAt',
    '2026-11-30T12:00:00.000Z',
  )
  await producer.retryRun('dns.late')
  late.open()
  const record = await producer.waitForRun('dns.late', soon(), { pollMs: 20 })
  expect(record).toMatchObject({ status: 'complete', retry: 2, tables: { events: { entry: { rows: 9 } } } })
  const queue = openQueue(fleet, sourceQueue('files'))
  await expect.poll(async () => (await queue.getJob('dns.late.events'))?.getState()).toBe('completed')
  expect((await producer.getRun('dns.late'))?.tables['events']?.entry?.rows).toBe(9)
  await queue.close()
})

given('works from the manifest and the payload when the record is gone', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  const { table } = flaky({ flows: 'failed' })
  await fixture.worker({ redis: producer.settings, table, run: planPicked(['events', 'flows']) })
  await producer.enqueueRun(runJob('dns.restored'))
  const before = await producer.waitForRun('dns.restored', soon(), { pollMs: 20 })
  const tables = Object.entries(before.tables).flatMap(([name, { entry }]) => (entry ? [[name, entry]] : []))
  const { runId, strategy, version, hunt, params, window, storage } = before
  const manifest = {
    ...{ manifest_version: 1 as const, run_id: runId, strategy, version, hunt, params, window, storage },
    ...{ status: before.status, scheduled_at: before.scheduledAt, huntfleet_version: '0', retry: 1 },
    ...{ started_at: before.startedAt ?? '', finished_at: before.finishedAt ?? '' },
    tables: Object.fromEntries(tables),
  }
  await fleet.redis.del(fleet.keys.run(runId))
  await producer.restoreRun(manifest)
  expect(await producer.getRun(runId)).toMatchObject({ status: 'partial', finishedAt: before.finishedAt })
  expect(await producer.retryRun(runId)).toEqual({ retry: 2, tables: ['flows'] })
  expect(await producer.waitForRun(runId, soon(), { pollMs: 20 })).toMatchObject({
    status: 'complete',
    tables: { events: { entry: { retry: 1 } }, flows: { entry: { retry: 2, history: [{ retry: 1 }] } } },
  })
  await fleet.redis.del(fleet.keys.run(runId), fleet.keys.payload(runId))
  await expect(producer.restoreRun(manifest)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
})
