import {
  createMasker,
  loadProject,
  type Manifest,
  manifestKey,
  manifestSchema,
  payloadVersion,
  type RunJob,
  readStrategy,
  storageTarget,
  toBundle,
} from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import type { Step } from '@huntfleet/testing'
import { expect, test, vi } from 'vitest'
import { type EventFleet, eventFleets, hangsOnce, eventCount as rows } from './fixture/event-fleet.ts'
import { eventRows } from './fixture/event-strategy.ts'
import { parquetRows } from './fixture/parquet-rows.ts'

/** What happens to a run when its producer stutters and its workers come and go. */

const fleets = await eventFleets()
vi.setConfig({ testTimeout: 90_000 })
const given = test.skipIf(fleets.skip)

/** Waits until the run has ended, and checks that storage holds this run's table and manifest exactly once. */
async function published({ producer, storage }: EventFleet, runId: string): Promise<Manifest> {
  const record = await producer.waitForRun(runId, AbortSignal.timeout(90_000), { pollMs: 50 })
  const key = record.manifestKey ?? `none: ${JSON.stringify(record)}`
  expect(key).toBe(manifestKey('event-hunt', runId))
  const manifest = manifestSchema.parse(JSON.parse(String(Buffer.from((await storage.store.get(key)) ?? []))))
  const path = manifest.tables['events']?.path ?? 'none'
  const keys = (await storage.keys()).filter((name) => !name.startsWith('.huntfleet/'))
  expect(keys.sort()).toEqual([key, path].sort())
  expect(await parquetRows((await storage.store.get(path)) ?? new Uint8Array())).toEqual(eventRows(rows))
  return manifest
}

given('stages a run that was enqueued twice at once exactly once', async () => {
  const fleet = await fleets.open()
  const { workspace, storage, source, producer } = fleet
  await Promise.all([workspace.worker(), workspace.worker()])
  const { project } = await loadProject({ vocabulary, workingDirectory: workspace.folder })
  const { url: _, ...target } = storageTarget(project, { ...process.env, ...workspace.env }, createMasker([]))
  const job: RunJob = {
    v: payloadVersion,
    runId: 'event-hunt.20261130T120000Z',
    hunt: null,
    bundle: toBundle(await readStrategy(workspace.path('hunt'), workspace.folder)),
    params: {},
    scheduledAt: '2026-11-30T12:00:00.000Z',
    window: { start: null, end: null },
    storage: { ...target, url: storage.url },
    tables: null,
    maxRows: null,
    require: 'any',
    retry: 1,
    deadlineMs: 86_400_000,
    budget: { maxBytes: null, maxPages: null, maxCalls: null },
  }
  const answers = await Promise.all([job, job, job].map((doubled) => producer.enqueueRun(doubled)))
  expect(answers.filter(({ created }) => created)).toHaveLength(1)
  const manifest = await published(fleet, job.runId)
  expect(manifest).toMatchObject({ status: 'complete', tables: { events: { outcome: 'complete', rows } } })
  expect(source.calls).toHaveLength(5)
  // Once more, after its end.
  expect((await producer.enqueueRun(job)).created).toBe(false)
  await published(fleet, job.runId)
  expect(source.calls).toHaveLength(5)
})

given(
  'finishes on another worker what a killed worker was in the middle of, with every row once and one manifest',
  async () => {
    const fleet = await fleets.open([hangsOnce])
    const doomed = await fleet.workspace.worker()
    const runId = await fleet.enqueue()
    await fleet.hanging()
    await fleet.workspace.worker()
    doomed.kill('SIGKILL')
    expect(await doomed.ended).toBe('SIGKILL')
    const manifest = await published(fleet, runId)
    expect(manifest).toMatchObject({ status: 'complete', tables: { events: { outcome: 'complete', rows } } })
    expect(fleet.workspace.output()).toContain('job of a dead worker taken over')
    expect(offsetsOf(fleet)).toEqual([0, 100, 200, 200, 300, 400])
  },
)

given('goes on at once elsewhere when a worker is told to end, and counts no attempt', async () => {
  const fleet = await fleets.open([hangsOnce])
  const leaving = await fleet.workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.hanging()
  await fleet.workspace.worker()
  leaving.kill('SIGTERM')
  expect(await leaving.ended).toBe(0)
  const manifest = await published(fleet, runId)
  expect(manifest.tables['events']).toMatchObject({ outcome: 'complete', rows, retries: 0 })
  expect(manifest.tables['events']?.ledger.map((page) => page.attempt)).toEqual([1, 1, 1, 1, 1])
  expect(fleet.workspace.output()).not.toContain('job of a dead worker taken over')
  expect(offsetsOf(fleet)).toEqual([0, 100, 200, 200, 300, 400])
})

given.each(['redis', 'storage'])(
  'asks for at most one page again per worker that dies or leaves in the middle (checkpoints in %s)',
  async (mode) => {
    const hangs = (offset: number): Step => ({ when: { offset }, times: 1, hang: true })
    const fleet = await fleets.open([hangs(100), hangs(300), hangs(400)], mode)
    const { workspace, source } = fleet
    const calls = (count: number) =>
      vi.waitFor(() => expect(source.calls).toHaveLength(count), { timeout: 60_000, interval: 20 })
    const killed = await workspace.worker()
    const runId = await fleet.enqueue()
    await calls(2)
    const leaving = await workspace.worker()
    killed.kill('SIGKILL')
    await killed.ended
    await calls(5)
    const third = await workspace.worker()
    leaving.kill('SIGTERM')
    expect(await leaving.ended).toBe(0)
    await calls(7)
    await workspace.worker()
    third.kill('SIGTERM')
    expect(await third.ended).toBe(0)
    const manifest = await published(fleet, runId)
    expect(manifest.tables['events']).toMatchObject({ outcome: 'complete', rows, pages: 5, retries: 0 })
    expect(offsetsOf(fleet)).toEqual([0, 100, 100, 200, 300, 300, 400, 400])
  },
)

given('begins a table again where no checkpoints are kept', async () => {
  const fleet = await fleets.open([hangsOnce], 'off')
  const leaving = await fleet.workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.hanging()
  await fleet.workspace.worker()
  leaving.kill('SIGTERM')
  expect(await leaving.ended).toBe(0)
  await published(fleet, runId)
  expect(offsetsOf(fleet)).toEqual([0, 100, 200, 0, 100, 200, 300, 400])
})

const offsetsOf = ({ source }: EventFleet) => source.calls.map(({ args }) => Number(args['offset'] ?? 0))

given('cancels a run in the middle of a table, keeps the rows it has, and says so', async () => {
  const fleet = await fleets.open([hangsOnce])
  await fleet.workspace.worker()
  const runId = await fleet.enqueue()
  await fleet.hanging()
  expect((await fleet.workspace.huntfleet('runs', 'cancel', runId)).code).toBe(0)
  const record = await fleet.producer.waitForRun(runId, AbortSignal.timeout(30_000), { pollMs: 50 })
  expect(record).toMatchObject({
    status: 'cancelled',
    tables: { events: { entry: { outcome: 'cancelled' } } },
  })
  const path = record.tables['events']?.entry?.path ?? 'none'
  expect(await parquetRows((await fleet.storage.store.get(path)) ?? new Uint8Array())).toEqual(eventRows(200))
})
