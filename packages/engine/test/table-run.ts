import { zstdDecompressSync } from 'node:zlib'
import { createMasker, RunError, type TableEntry, type TableSpec } from '@huntfleet/contract'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import type { Logger } from '../src/ports.ts'
import { adapters, formats } from '../src/registry.ts'
import { runTable } from '../src/run-table.ts'
import { systemClock } from '../src/system-clock.ts'
import { openTablePipeline } from '../src/table-pipeline.ts'
import type { TablePorts, TableProgress, ToolPolicy } from '../src/table-ports.ts'
import { PipelineThreads, type PipelineThreadsOptions } from '../src/threads/pipeline-threads.ts'
import { MemoryStore } from './memory-store.ts'
import type { ScriptedSessions } from './scripted-sessions.ts'
import { SkippingClock } from './skipping-clock.ts'

/** The secret that the fixture's masker knows. */
export const secretValue = 'hunter2-secret'

/** Where the pipelines of tables are opened when not in the thread of the test. */
let threads: PipelineThreads | undefined

/** From now on tables of this test file are read in threads. */
export function readInThreads(): PipelineThreads {
  threads = pipelineThreads()
  return threads
}

export function pipelineThreads(more: Partial<PipelineThreadsOptions> = {}): PipelineThreads {
  return new PipelineThreads({
    size: 2,
    masker: createMasker([{ name: 's', value: secretValue }]),
    logger: silent,
    clock: systemClock,
    modules: () => [],
    ...more,
  })
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const anything: ToolPolicy = { allowWrites: [], allowOnly: null, deny: [] }

export interface TestPorts extends TablePorts {
  store: MemoryStore
  clock: SkippingClock
  /** What was reported while it ran. */
  progress: TableProgress[]
  /** Pauses that the limiter was asked for, in milliseconds. */
  pauses: number[]
}

/** Ports of a table that stays in memory; its clock moves when somebody sleeps. */
export function tablePorts(sessions: ScriptedSessions, more: Partial<TablePorts> = {}): TestPorts {
  const progress: TableProgress[] = []
  const pauses: number[] = []
  const ports: TablePorts = {
    sessions,
    store: new MemoryStore(),
    clock: new SkippingClock(),
    limiter: { acquire: async () => {}, rateLimited: (_server, ms) => void pauses.push(ms ?? 0) },
    logger: silent,
    vocabulary: { formats, adapters },
    policy: () => anything,
    secret: async (name) => `${secretValue}-${name}`,
    mask: (text) => text.replaceAll(secretValue, '***'),
    random: () => 1,
    signal: new AbortController().signal,
    attempt: 1,
    compression: 'zstd',
    parquetEngine: 'columnar',
    onProgress: (one) => void progress.push(one),
    openPipeline: (spec, options) =>
      threads?.open(spec, options) ??
      openTablePipeline(spec, { ...options, vocabulary: ports.vocabulary, mask: ports.mask }),
    ...more,
  }
  const { store, clock } = ports
  if (!(store instanceof MemoryStore) || !(clock instanceof SkippingClock))
    throw new Error('not of the fixture')
  return { ...ports, store, clock, progress, pauses }
}

export interface TableRun {
  entry: TableEntry
  /** The rows of the file; null without one. */
  rows: Record<string, unknown>[] | null
  ports: TestPorts
}

/** Runs a table and reads its file back. */
export async function run(
  spec: TableSpec,
  sessions: ScriptedSessions,
  more: Partial<TablePorts> = {},
): Promise<TableRun> {
  const ports = tablePorts(sessions, more)
  const entry = await runTable(spec, ports)
  const bytes = entry.path === null ? null : await ports.store.get(entry.path)
  return { entry, rows: bytes === null ? null : await readRows(bytes), ports }
}

/** The `id`s of a file's rows as plain numbers. */
export const idsOf = ({ rows }: Pick<TableRun, 'rows'>) => (rows ?? []).map((row) => Number(row['id']))

/** A file's rows, read by an independent reader. */
export async function readRows(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const file = Uint8Array.from(bytes).buffer
  return await parquetReadObjects({ file, compressors: { ZSTD: (page) => zstdDecompressSync(page) } })
}

/** What the file says about itself. */
export function footerOf(bytes: Uint8Array): Record<string, string> {
  const { key_value_metadata: pairs = [] } = parquetMetadata(Uint8Array.from(bytes).buffer)
  return Object.fromEntries(pairs.map(({ key, value = '' }) => [key, value]))
}

/** What a promise is rejected with; fails when it is not a `RunError`. */
export async function errorOf(promise: Promise<unknown>): Promise<RunError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof RunError) return thrown
  throw new Error(`expected a RunError, got ${String(thrown)}`)
}
