import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RunError, type TableSpec } from '@huntfleet/contract'
import { type Checkpoint, runTable, storageCheckpoint } from '@huntfleet/engine'
import { type ObjectStore, openStore } from '@huntfleet/storage'
import { startRedis } from '@huntfleet/testing'
import { connectConsumer, type FleetRedis } from '../../packages/queue/src/connection.ts'
import { redisCheckpoint } from '../../packages/queue/src/redis-checkpoint.ts'
import { type BenchPages, benchPages, benchPorts, benchSpec } from './checkpoint-table.ts'

/** Where a checkpoint is kept, and what it costs. */
export interface CheckpointCost {
  /** Medians. */
  wallMsPerPage: number
  cpuMsPerPage: number
  /** Against the wall time per page without checkpoints. */
  ratio: number
}

export interface CheckpointBench {
  pages: number
  rowsPerPage: number
  bytesPerPage: number
  modes: Record<string, CheckpointCost>
  /** By pages that the table holds: milliseconds from taking over to the next call. */
  resume: Record<string, Record<number, number>>
  skipped: string[]
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** One table, fetched from memory into local files, with its checkpoint in Redis, in storage and nowhere. */
export async function checkpointBench({ small }: { small: boolean }): Promise<CheckpointBench> {
  const rowsPerPage = 500
  const count = small ? 6 : 100
  const pages = benchPages(small ? 10 : 100, rowsPerPage)
  await using world = await openWorld(pages)
  return {
    pages: count,
    rowsPerPage,
    bytesPerPage: pages.bytes,
    modes: await costs(world, count, small ? 1 : 5),
    resume: await resumes(world, small ? [5, 20] : [10, 50, 200, 800]),
    skipped: world.skipped,
  }
}

type Mode = (spec: TableSpec, generation: number) => Promise<Checkpoint | null>

interface World extends AsyncDisposable {
  modes: Record<string, Mode>
  skipped: string[]
  nextSpec(): TableSpec
  /** A worker has the table in hand until it has called its source `end` times; times in milliseconds. */
  fetch(
    mode: string,
    spec: TableSpec,
    generation: number,
    end: number,
  ): Promise<{ ms: number; firstCallMs: number }>
}

async function openWorld(pages: BenchPages): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-bench-'))
  const url = pathToFileURL(folder).href
  const store = await openStore({ url, endpoint: null, region: null, pathStyle: false })
  const redis = await startRedis()
  const fleet =
    redis.skipped === undefined ? connectConsumer({ url: redis.url, prefix: '{bench}' }, () => {}) : null
  const modes: Record<string, Mode> = {
    off: async () => null,
    ...(fleet !== null && { redis: inRedis(fleet) }),
    storage: async (spec, generation) => inStorage(store, spec, generation),
  }
  let job = 0
  return {
    modes,
    skipped: redis.skipped === undefined ? [] : [redis.skipped],
    nextSpec: () => benchSpec(`bench.${job++}`),
    async fetch(mode, spec, generation, end) {
      const checkpoint = (await modes[mode]?.(spec, generation)) ?? null
      const ports = benchPorts(store, checkpoint, pages, end)
      const startedAt = performance.now()
      await runTable(spec, ports).catch((error: unknown) => {
        if (!(error instanceof RunError) || error.code !== 'LOCK_LOST') throw error
      })
      return { ms: performance.now() - startedAt, firstCallMs: ports.firstCallAt() - startedAt }
    },
    async [Symbol.asyncDispose]() {
      fleet?.redis.disconnect()
      if (redis.skipped === undefined) await redis.stop()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const inRedis =
  (fleet: FleetRedis): Mode =>
  async (spec, generation) => {
    const fence = { queue: 'bench', jobId: spec.runId, token: String(generation) }
    await fleet.redis.set(fleet.keys.lock(fence.queue, fence.jobId), fence.token)
    const environment = { fleet, signingKey: 'key', log: quiet }
    return { ...redisCheckpoint(environment, { id: spec.runId, fence }), afterStored: () => {} }
  }

const inStorage = (store: ObjectStore, spec: TableSpec, generation: number): Checkpoint =>
  storageCheckpoint({
    store,
    spec,
    jobId: spec.runId,
    generation,
    signingKey: 'key',
    isOurs: async () => true,
    logger: quiet,
    afterStored: () => {},
  })

/** What a page costs in each mode, measured in turns. */
async function costs(world: World, count: number, rounds: number): Promise<CheckpointBench['modes']> {
  const times = Object.keys(world.modes).map((mode) => ({ mode, wall: [0].slice(1), cpu: [0].slice(1) }))
  for (let round = 0; round <= rounds; round++) {
    for (const { mode, wall, cpu } of times) {
      const before = process.cpuUsage()
      const { ms } = await world.fetch(mode, world.nextSpec(), 1, count)
      const { user, system } = process.cpuUsage(before)
      if (round === 0) continue
      wall.push(ms / count)
      cpu.push((user + system) / 1_000 / count)
    }
  }
  const base = median(times[0]?.wall ?? [])
  return Object.fromEntries(
    times.map(({ mode, wall, cpu }) => [
      mode,
      { wallMsPerPage: median(wall), cpuMsPerPage: median(cpu), ratio: median(wall) / base },
    ]),
  )
}

/** How long going on takes in each mode, by pages that the table has. */
async function resumes(world: World, sizes: readonly number[]): Promise<CheckpointBench['resume']> {
  const resume: CheckpointBench['resume'] = {}
  for (const mode of Object.keys(world.modes).filter((name) => name !== 'off')) {
    const times: Record<number, number> = {}
    for (const size of sizes) {
      const spec = world.nextSpec()
      await world.fetch(mode, spec, 1, size)
      const taken: number[] = []
      for (let n = 0; n < 3; n++) taken.push((await world.fetch(mode, spec, n + 2, 0)).firstCallMs)
      times[size] = median(taken)
    }
    resume[mode] = times
  }
  return resume
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The result as a person reads it. */
export function checkpointReport({
  pages,
  rowsPerPage,
  bytesPerPage,
  modes,
  resume,
  skipped,
}: CheckpointBench): string {
  const size = `${pages} pages of ${rowsPerPage} rows, ${Math.round(bytesPerPage / 1_000)} kB each`
  const cost = Object.entries(modes).map(
    ([mode, { wallMsPerPage, cpuMsPerPage, ratio }]) =>
      `${mode.padEnd(10)} ${wallMsPerPage.toFixed(2).padStart(8)} ms  ${cpuMsPerPage.toFixed(2).padStart(8)} ms CPU  ${ratio.toFixed(2)} × off`,
  )
  const goOn = Object.entries(resume).map(([mode, times]) => {
    const all = Object.entries(times).map(([n, ms]) => `${n} pages ${ms.toFixed(0)} ms`)
    return `${mode.padEnd(10)} ${all.join(', ')}`
  })
  return [
    `checkpoints: ${size}; per page`,
    ...cost,
    'from taking over to the next call',
    ...goOn,
    ...skipped,
  ].join('\n')
}
