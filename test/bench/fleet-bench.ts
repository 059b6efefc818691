import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  compileRun,
  createMasker,
  loadProject,
  newRunId,
  payloadVersion,
  readStrategy,
  readStrategyDocuments,
  redisTarget,
  storageTarget,
  throwOnErrors,
  toBundle,
} from '@huntfleet/contract'
import { defaultThreads, openSources, runTable, systemClock, vocabulary } from '@huntfleet/engine'
import { openProducer } from '@huntfleet/queue'
import { openStore, tablePrefixes } from '@huntfleet/storage'
import { startRedis } from '@huntfleet/testing'
import { runWorker } from '@huntfleet/worker'
import { median } from './measure.ts'

export interface FleetBench {
  tables: number
  pagesPerTable: number
  callMs: number
  /** Median of the wall time of a whole run. */
  wallMs: { bare_loop: number; queue_path: number }
  ratios: { queue_path_vs_bare_loop: number }
}

const scriptedMcp = fileURLToPath(import.meta.resolve('../../packages/testing/src/scripted-mcp/main.ts'))
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const rowsPerPage = 100
const callMs = 20

/**
 * What the fleet adds to a run: its tables one after the other, from a source that takes 20 ms for a page, through Redis and a
 * worker that takes one table at a time, against a loop over the same tables.
 */
export async function fleetBench({ small }: { small: boolean }): Promise<FleetBench> {
  const [tables, pagesPerTable, rounds] = small ? [2, 2, 1] : [10, 10, 5]
  const redis = await startRedis({ own: true })
  if (redis.skipped !== undefined) throw new Error(redis.skipped)
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-bench-'))
  try {
    await writeProject(folder, redis.url, tables, pagesPerTable)
    await using bare = await bareLoop(folder)
    await using queue = await queuePath(folder)
    const times: { bare: number[]; queue: number[] } = { bare: [], queue: [] }
    // The first round starts the sessions, and does not count.
    for (let round = 0; round <= rounds; round++) {
      const pair = { bare: await wallMs(bare.run), queue: await wallMs(queue.run) }
      if (round === 0) continue
      times.bare.push(pair.bare)
      times.queue.push(pair.queue)
    }
    const bareMs = median(times.bare)
    const queueMs = median(times.queue)
    return {
      tables,
      pagesPerTable,
      callMs,
      wallMs: { bare_loop: bareMs, queue_path: queueMs },
      ratios: { queue_path_vs_bare_loop: queueMs / bareMs },
    }
  } finally {
    await redis.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function wallMs(run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** One strategy with its tables, all from one server; JSON is YAML. */
async function writeProject(folder: string, redis: string, tables: number, pages: number): Promise<void> {
  const table = {
    rows: pages * rowsPerPage,
    row: { id: '$i', host: 'host-$i%50', note: 'a note of row $i' },
    page: { by: 'offset', offset: 'offset', limit: 'limit' },
    envelope: { items: 'rows', total: 'total' },
  }
  const names = Array.from({ length: tables }, (_, index) => `events_${index}`)
  const binding = {
    fetch_mode: 'mcp_client',
    mcp_server: 'siem',
    mcp_tool: 'fetch',
    items_path: 'rows',
    pagination: {
      mode: 'offset',
      page_size: rowsPerPage,
      offset_param: 'offset',
      limit_param: 'limit',
      total_path: 'total',
    },
  }
  const local = {
    command: process.execPath,
    args: ['--conditions=source', scriptedMcp, join(folder, 'script.json')],
  }
  const files = {
    'script.json': { tools: [{ name: 'fetch' }], script: { fetch: [{ delayMs: callMs, table }] } },
    'huntfleet.yaml': {
      storage: { url: 'file://./staging' },
      redis,
      mcp_servers: { siem: { local, max_calls: 1_000_000 } },
    },
    'fleet/contract.yaml': {
      name: 'fleet',
      description: 'Tables of one server.',
      tags: ['bench'],
      requires: {
        tables: Object.fromEntries(
          names.map((name) => [name, { columns: { id: 'BIGINT', host: 'VARCHAR', note: 'VARCHAR' } }]),
        ),
      },
    },
    'fleet/binding.yaml': { source_bindings: Object.fromEntries(names.map((name) => [name, binding])) },
  }
  await mkdir(join(folder, 'fleet'))
  for (const [name, document] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(document))
}

async function openBench(folder: string) {
  const { project, errors } = await loadProject({ vocabulary, workingDirectory: folder })
  throwOnErrors(errors)
  const source = await readStrategy(join(folder, 'fleet'), folder, undefined)
  const now = new Date()
  const { strategy, findings } = readStrategyDocuments(source, { project: project.text, vocabulary, now })
  throwOnErrors(findings)
  if (strategy === undefined) throw new Error('no strategy')
  const masker = createMasker([])
  return { project, strategy, masker, target: storageTarget(project, process.env, masker) }
}

async function bareLoop(folder: string): Promise<AsyncDisposable & { run: () => Promise<void> }> {
  const { project, strategy, masker, target } = await openBench(folder)
  const store = await openStore(target)
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: silent })
  const ports = {
    ...sources,
    store,
    clock: systemClock,
    logger: silent,
    random: Math.random,
    signal: new AbortController().signal,
    compression: project.text.storage.compression,
    parquetEngine: project.text.storage.parquet_engine,
    onProgress: () => {},
    attempt: 1,
  }
  return {
    run: async () => {
      const now = new Date()
      const runId = newRunId('fleet', now)
      const { specs } = compileRun(strategy, {
        runId,
        scheduledAt: now,
        window: { start: null, end: null },
        params: {},
        literal: new Set(),
        prefixes: (table) =>
          tablePrefixes(target.layout, { strategy: 'fleet', table, runId, scheduledAt: now.toISOString() }),
        budgetMs: 60_000,
        tables: null,
        maxRows: null,
      })
      for (const spec of specs) mustBeComplete(spec.table, (await runTable(spec, ports)).outcome)
    },
    async [Symbol.asyncDispose]() {
      await sources.close()
      await store.close()
    },
  }
}

async function queuePath(folder: string): Promise<AsyncDisposable & { run: () => Promise<void> }> {
  const { project, strategy, masker, target } = await openBench(folder)
  const worker = await runWorker({
    project,
    vocabulary,
    env: process.env,
    masker,
    concurrency: 1,
    threads: defaultThreads(),
    graceMs: 0,
    health: null,
    logLevel: 'error',
  })
  const producer = await openProducer({ redis: redisTarget(project, process.env, masker) })
  return {
    run: async () => {
      const now = new Date()
      const runId = newRunId('fleet', now)
      await producer.enqueueRun({
        v: payloadVersion,
        runId,
        hunt: null,
        bundle: toBundle(strategy.source),
        params: {},
        scheduledAt: now.toISOString(),
        window: { start: null, end: null },
        storage: target,
        tables: null,
        maxRows: null,
        require: 'any',
        retry: 1,
        deadlineMs: 86_400_000,
        budget: { maxBytes: null, maxPages: null, maxCalls: null },
      })
      const { tables } = await producer.waitForRun(runId, new AbortController().signal, { pollMs: 5 })
      for (const [table, { entry }] of Object.entries(tables)) mustBeComplete(table, entry?.outcome)
    },
    async [Symbol.asyncDispose]() {
      await producer.close()
      await worker.close('the benchmark has ended')
    },
  }
}

function mustBeComplete(table: string, outcome: string | undefined): void {
  if (outcome !== 'complete') throw new Error(`${table} ended as ${outcome}`)
}

/** The result as a person reads it. */
export function fleetReport({
  tables,
  pagesPerTable,
  callMs: perCall,
  wallMs: times,
  ratios,
}: FleetBench): string {
  return [
    `fleet: ${tables} tables of ${pagesPerTable} pages, ${perCall} ms a call; wall time, median`,
    `bare loop   ${times.bare_loop.toFixed(0).padStart(6)} ms`,
    `queue path  ${times.queue_path.toFixed(0).padStart(6)} ms`,
    `queue_path_vs_bare_loop: ${ratios.queue_path_vs_bare_loop.toFixed(3)}`,
  ].join('\n')
}
