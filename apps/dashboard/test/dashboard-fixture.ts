import { randomBytes } from 'node:crypto'
import type { RunJob } from '@huntfleet/contract'
import {
  type FleetWorker,
  openProducer,
  openQueue,
  type Producer,
  type QueueLog,
  type RedisSettings,
  runQueue,
  sourceQueue,
  startFleetWorker,
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

/** A worker that takes no job, because nothing is queued while it lives. */
export function idleWorker(redis: RedisSettings, servers: readonly string[]): Promise<FleetWorker> {
  const never = async (): Promise<never> => {
    throw new Error('no job was expected')
  }
  return startFleetWorker({
    redis,
    servers: servers.map((name) => ({ name, concurrency: 1 })),
    table: never,
    run: { plan: never, finish: never },
    log: quiet,
  })
}

/** Makes servers known to the fleet, as their first worker does. */
export async function announce(redis: RedisSettings, servers: readonly string[]): Promise<void> {
  await (await idleWorker(redis, servers)).close(0)
}

/** Adds a run with its tables as children, as a worker would have planned it. */
export async function addFlow(
  { fleet, ...producer }: Producer,
  runId: string,
  tables: readonly string[],
): Promise<void> {
  await producer.enqueueRun(runJob(runId))
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
    retry: 1,
    deadlineMs: 86_400_000,
    budget: { maxBytes: null, maxPages: null, maxCalls: null },
  }
}
