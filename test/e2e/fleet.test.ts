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
import { openProducer, type Producer } from '@huntfleet/queue'
import { type ScriptedMcp, type Step, startRedis, startS3, startScriptedMcp } from '@huntfleet/testing'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  eventBinding,
  eventContract,
  eventProject,
  eventRows,
  eventTable,
  eventTool,
} from './fixture/event-strategy.ts'
import { parquetRows } from './fixture/parquet-rows.ts'
import { type S3Storage, s3Storage } from './fixture/s3-storage.ts'
import { testWorkspace, type Workspace } from './fixture/workspace.ts'

/** What happens to a run when its producer stutters and its workers come and go. */

const redis = await startRedis()
const s3 = await startS3()
vi.setConfig({ testTimeout: 90_000 })
const given = test.skipIf(redis.skipped !== undefined || 'skipped' in s3)
afterAll(async () => {
  if (redis.skipped === undefined) await redis.stop()
  if (!('skipped' in s3)) await s3.stop()
})

interface Fleet {
  workspace: Workspace
  storage: S3Storage
  source: ScriptedMcp
  producer: Producer
}

const rows = 450

/** A project with a source that pages through 450 events; `first` are steps that answer before the table does. */
async function openFleet(first: readonly Step[] = [], checkpoint = 'redis'): Promise<Fleet> {
  if (redis.skipped !== undefined || 'skipped' in s3) throw new Error('skipped')
  const workspace = await testWorkspace()
  const storage = await s3Storage(s3)
  workspace.atEnd(storage.close)
  const source = await startScriptedMcp({
    tools: [eventTool],
    script: { list_events: [...first, { table: eventTable(rows) }] },
  })
  workspace.atEnd(() => source.close())
  Object.assign(workspace.env, storage.env, { REDIS_URL: redis.url })
  // Every test has queues of its own.
  const prefix = `{${storage.env['S3_BUCKET']}}`
  await workspace.write({
    'huntfleet.yaml': eventProject(source.url, storage.url).replace(
      /^redis: .*$/m,
      `redis: { url: "\${REDIS_URL}", prefix: "${prefix}" }\nqueue: { checkpoint: ${checkpoint} }`,
    ),
    'hunt/contract.yaml': eventContract,
    'hunt/binding.yaml': eventBinding,
  })
  const producer = await openProducer({ redis: { url: redis.url, prefix } })
  workspace.atEnd(() => producer.close())
  return { workspace, storage, source, producer }
}

async function enqueue({ workspace }: Fleet): Promise<string> {
  const queued = await workspace.huntfleet('enqueue', 'hunt', '--json')
  const { run_id: runId } = z.object({ run_id: z.string() }).parse(queued.json())
  return runId
}

/** Waits until the run has ended, and checks that storage holds this run's table and manifest exactly once. */
async function published({ producer, storage }: Fleet, runId: string): Promise<Manifest> {
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
  const fleet = await openFleet()
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

/** A source that never answers the third page, once: its worker hangs in the middle of the table. */
const hangsOnce: Step = { when: { offset: 200 }, times: 1, hang: true }

async function untilHanging({ source }: Fleet): Promise<void> {
  await vi.waitFor(() => expect(source.calls).toHaveLength(3), { timeout: 30_000, interval: 20 })
}

given(
  'finishes on another worker what a killed worker was in the middle of, with every row once and one manifest',
  async () => {
    const fleet = await openFleet([hangsOnce])
    const doomed = await fleet.workspace.worker()
    const runId = await enqueue(fleet)
    await untilHanging(fleet)
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
  const fleet = await openFleet([hangsOnce])
  const leaving = await fleet.workspace.worker()
  const runId = await enqueue(fleet)
  await untilHanging(fleet)
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
    const fleet = await openFleet([hangs(100), hangs(300), hangs(400)], mode)
    const { workspace, source } = fleet
    const calls = (count: number) =>
      vi.waitFor(() => expect(source.calls).toHaveLength(count), { timeout: 60_000, interval: 20 })
    const killed = await workspace.worker()
    const runId = await enqueue(fleet)
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
  const fleet = await openFleet([hangsOnce], 'off')
  const leaving = await fleet.workspace.worker()
  const runId = await enqueue(fleet)
  await untilHanging(fleet)
  await fleet.workspace.worker()
  leaving.kill('SIGTERM')
  expect(await leaving.ended).toBe(0)
  await published(fleet, runId)
  expect(offsetsOf(fleet)).toEqual([0, 100, 200, 0, 100, 200, 300, 400])
})

const offsetsOf = ({ source }: Fleet) => source.calls.map(({ args }) => Number(args['offset'] ?? 0))

given('cancels a run in the middle of a table, keeps the rows it has, and says so', async () => {
  const fleet = await openFleet([hangsOnce])
  await fleet.workspace.worker()
  const runId = await enqueue(fleet)
  await untilHanging(fleet)
  expect((await fleet.workspace.huntfleet('runs', 'cancel', runId)).code).toBe(0)
  const record = await fleet.producer.waitForRun(runId, AbortSignal.timeout(30_000), { pollMs: 50 })
  expect(record).toMatchObject({
    status: 'cancelled',
    tables: { events: { entry: { outcome: 'cancelled' } } },
  })
  const path = record.tables['events']?.entry?.path ?? 'none'
  expect(await parquetRows((await fleet.storage.store.get(path)) ?? new Uint8Array())).toEqual(eventRows(200))
})
