import { readFile } from 'node:fs/promises'
import { manifestSchema } from '@huntfleet/contract'
import { expect, test, vi } from 'vitest'
import { eventCount, eventFleets, hangsOnce } from './fixture/event-fleet.ts'
import { eventRows } from './fixture/event-strategy.ts'
import { startHuntfleet } from './fixture/huntfleet-process.ts'
import { parquetRows } from './fixture/parquet-rows.ts'

/** Runs as people look after them: followed, cancelled, retried. */

const fleets = await eventFleets()
vi.setConfig({ testTimeout: 90_000 })
const given = test.skipIf(fleets.skip)

given('stops a table in the middle of a slow call within a second of the cancel', async () => {
  const fleet = await fleets.open([hangsOnce])
  await fleet.workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.hanging()
  await fleet.producer.cancelRun(runId)
  const toldAt = performance.now()
  const record = await fleet.producer.waitForRun(runId, AbortSignal.timeout(30_000), { pollMs: 20 })
  // The upload of what came is part of it.
  expect(performance.now() - toldAt).toBeLessThan(1_000)
  expect(record.tables['events']?.entry).toMatchObject({ outcome: 'cancelled', rows: 200 })
})

given('retries what failed, with both attempts in the second manifest', async () => {
  const fleet = await fleets.open([{ when: { offset: 200 }, times: 1, isError: true, text: 'index closed' }])
  const { workspace, storage } = fleet
  await workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.producer.waitForRun(runId, AbortSignal.timeout(30_000), { pollMs: 50 })
  const retried = await workspace.huntfleet('runs', 'retry', runId, '--json')
  expect(retried.json()).toEqual({ run_id: runId, retry: 2, tables: ['events'], status: 'queued' })
  const followed = await workspace.huntfleet('runs', 'show', runId, '--follow', '--json')
  expect(followed.code).toBe(0)
  const lines = followed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const key = `_runs/strategy=event-hunt/run=${runId}/manifest.2.json`
  expect(lines.at(-1)).toMatchObject({ run_id: runId, status: 'complete', retry: 2, manifest: key })
  const stored = (await storage.store.get(key)) ?? new Uint8Array()
  const manifest = manifestSchema.parse(JSON.parse(Buffer.from(stored).toString('utf8')))
  expect(manifest).toMatchObject({
    retry: 2,
    status: 'complete',
    tables: {
      events: {
        outcome: 'complete',
        rows: eventCount,
        retry: 2,
        history: [{ retry: 1, outcome: 'page_error', rows: 200, error: { code: 'TOOL_FAILED' } }],
      },
    },
  })
  const path = manifest.tables['events']?.path ?? 'none'
  expect(await parquetRows((await storage.store.get(path)) ?? new Uint8Array())).toEqual(
    eventRows(eventCount),
  )
  // Redis evicted the record, and the jobs are gone.
  const { redis, keys } = fleet.producer.fleet
  await redis.del(keys.run(runId), ...(await redis.keys(`${keys.prefix}:hunt-run:*`)))
  const again = await workspace.huntfleet('runs', 'retry', runId)
  expect((await fleet.producer.getRun(runId))?.manifestKey).toBe(key)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('no table that failed')])
})

given('follows a run in plain lines, and leaves it alone at Ctrl-C', async () => {
  const fleet = await fleets.open([hangsOnce])
  const { workspace } = fleet
  await workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.hanging()
  const follower = startHuntfleet(['runs', 'show', runId, '--follow'], {
    cwd: workspace.folder,
    env: workspace.env,
  })
  await follower.said('events: 200 rows, 2 pages')
  follower.kill('SIGINT')
  expect(await follower.ended).toBe(130)
  expect(follower.stderr()).toContain(`stopped following run ${runId}, which goes on`)
  expect((await fleet.producer.getRun(runId))?.status).toBe('staging')
  const last = startHuntfleet(['runs', 'show', runId, '--follow'], {
    cwd: workspace.folder,
    env: workspace.env,
  })
  await last.said('events: 200 rows, 2 pages')
  await fleet.producer.cancelRun(runId)
  expect(await last.ended).toBe(130)
  expect(last.stderr()).toContain('events: cancelled: 200 rows; the run was cancelled')
  expect(last.stdout()).toContain(`run ${runId}: cancelled`)
})

given('ends a run at the deadline that it was enqueued with, and keeps its rows', async () => {
  const fleet = await fleets.open([hangsOnce])
  await fleet.workspace.worker()
  const runId = await fleet.enqueue('--deadline', '8s')
  await fleet.hanging()
  const record = await fleet.producer.waitForRun(runId, AbortSignal.timeout(60_000), { pollMs: 50 })
  expect(record).toMatchObject({
    status: 'partial',
    tables: { events: { entry: { outcome: 'time_budget', rows: 200 } } },
  })
  expect(record.tables['events']?.entry?.reason).toContain('the deadline of the run')
})

given('ends tables at the limits of the run', async () => {
  const fleet = await fleets.open()
  const { workspace } = fleet
  const project = workspace.path('huntfleet.yaml')
  await workspace.write({
    'huntfleet.yaml': `${await readFile(project, 'utf8')}run_limits: { max_calls: 2 }\n`,
  })
  await workspace.worker()
  const runId = await fleet.enqueue()
  const record = await fleet.producer.waitForRun(runId, AbortSignal.timeout(30_000), { pollMs: 50 })
  expect(record.tables['events']?.entry).toMatchObject({
    outcome: 'limit_reached',
    reason: 'max_calls of the run (2) is reached: 2 calls over all of its tables',
    rows: 200,
  })
  // The same limit holds without a fleet.
  const run = await workspace.huntfleet('run', 'hunt', '--json')
  expect(run.code).toBe(5)
  expect(run.json()).toMatchObject({ tables: { events: { outcome: 'limit_reached', rows: 200, calls: 2 } } })
})
