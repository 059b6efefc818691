import { randomBytes } from 'node:crypto'
import type { RunJob } from '@huntfleet/contract'
import {
  announceSources,
  openProducer,
  openQueue,
  type Producer,
  type QueueLog,
  runQueue,
  sourceQueue,
} from '@huntfleet/queue'
import { startRedis } from '@huntfleet/testing'
import { afterAll, afterEach } from 'vitest'
import { type Dashboard, type DashboardOptions, startDashboard } from '../src/start-dashboard.ts'

export const quiet: QueueLog = { debug() {}, info() {}, warn() {}, error() {} }

/** A Redis for a test file; fleets and dashboards for its tests. */
export async function dashboardFixture() {
  const redis = await startRedis()
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))
  return {
    skip: redis.skipped !== undefined,
    async fleet(): Promise<{ producer: Producer; settings: { url: string; prefix: string } }> {
      if (redis.skipped !== undefined) throw new Error(redis.skipped)
      const settings = { url: redis.url, prefix: `{test-${randomBytes(4).toString('hex')}}` }
      const producer = await openProducer({ redis: settings })
      open.push(() => producer.close())
      return { producer, settings }
    },
    async dashboard(
      options: Partial<DashboardOptions> & Pick<DashboardOptions, 'redis'>,
    ): Promise<Dashboard> {
      const dashboard = await startDashboard({ port: 0, logger: quiet, ...options })
      open.push(() => dashboard.close())
      return dashboard
    },
  }
}

/** Adds a run with its tables as children, as a worker would have planned it. */
export async function addFlow(
  { fleet, ...producer }: Producer,
  runId: string,
  tables: readonly string[],
): Promise<void> {
  await producer.enqueueRun(runJob(runId))
  await announceSources(fleet, ['files'])
  const queue = openQueue(fleet, sourceQueue('files'))
  const parent = { id: runId, queue: `${fleet.keys.prefix}:${runQueue}` }
  await queue.addBulk(
    tables.map((table) => ({ name: table, data: { table }, opts: { jobId: `${runId}.${table}`, parent } })),
  )
  const first = await queue.getJob(`${runId}.${tables[0]}`)
  await first?.updateProgress({ page: 7, rows: 700 })
  await queue.close()
}

function runJob(runId: string): RunJob {
  return {
    v: 1,
    runId,
    hunt: 'dns-hourly',
    bundle: {
      folder: 'dns',
      contract: { name: 'dns' },
      binding: null,
      hashes: { contract: 'c', binding: 'b' },
    },
    params: {},
    scheduledAt: '2026-11-30T12:00:00.000Z',
    window: { start: null, end: null },
    storage: {
      url: 'file:///staging',
      endpoint: null,
      region: null,
      pathStyle: false,
      layout: '{run_id}/{table}',
    },
    tables: null,
    maxRows: null,
    require: 'any',
  }
}
