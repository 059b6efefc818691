import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  compileRun,
  createMasker,
  loadProject,
  readStrategy,
  readStrategyDocuments,
  storageTarget,
  type TableEntry,
  type TableSpec,
  throwOnErrors,
} from '@huntfleet/contract'
import { openSources, runTable, systemClock, vocabulary } from '@huntfleet/engine'
import { openStore, tablePrefixes } from '@huntfleet/storage'
import { faultySources, rowsPerPage, rowsPerTable } from './faulty-servers.ts'
import { type HeldResources, heldResources } from './held-resources.ts'

const scriptedMcp = fileURLToPath(import.meta.resolve('../../packages/testing/src/scripted-mcp/main.ts'))
const serveHttp = fileURLToPath(new URL('serve-http.ts', import.meta.url))
const fetchesAtOnce = 8
const silent = { debug() {}, info() {}, warn() {}, error() {} }

export interface SoakOptions {
  /** Table fetches, spread over all servers; every other one meets the fault. */
  fetches: number
  /** Called after every fetch with their number. */
  onFetch?: (done: number) => void
}

export interface SoakReport {
  before: HeldResources
  /** Once everything was closed; what still goes away by itself within ten seconds is waited for. */
  after: HeldResources
  /** Listeners that were left on the signal that all fetches share. */
  signalListeners: number
  /** Fetches that did not end as their server's fault demands: what they were and how they ended. */
  surprises: string[]
  /** Warnings of Node, for example of too many listeners. */
  warnings: string[]
}

/** Fetches tables from ten faulty servers in this process, over one pool as a worker does, and says what was left behind. */
export async function soak({ fetches, onFetch }: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-soak-'))
  const warnings: string[] = []
  const warn = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', warn)
  const before = heldResources()
  const { signal } = new AbortController()
  const surprises: string[] = []
  const servers = await startServers()
  try {
    await writeProject(folder, servers.urls)
    await fetchAll(folder, fetches, signal, surprises, onFetch)
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const after = await settled(before)
  process.off('warning', warn)
  return { before, after, signalListeners: getEventListeners(signal, 'abort').length, surprises, warnings }
}

async function startServers(): Promise<{ urls: Record<string, string>; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--conditions=source', serveHttp], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [line]: unknown[] = await once(lines, 'line')
  lines.close()
  return {
    urls: JSON.parse(String(line)),
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/** One strategy with a table per server; JSON is YAML. */
async function writeProject(folder: string, urls: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(faultySources)
  const entries = names.map(async (name) => {
    const { script, entry } = faultySources[name] ?? {}
    const url = urls[name]
    if (url !== undefined) return [name, { remote: { url }, ...entry }]
    const path = join(folder, `${name}.json`)
    await writeFile(path, JSON.stringify(script))
    return [name, { local: { command: process.execPath, args: [scriptedMcp, path] }, ...entry }]
  })
  const binding = (name: string) => ({
    fetch_mode: 'mcp_client',
    mcp_server: name,
    mcp_tool: 'fetch',
    mcp_args: { kind: '{{kind}}' },
    timeout: name === 'silent' ? '1s' : '20s',
    retry: { attempts: 2, base: '1ms', max: '2ms' },
    pagination: {
      mode: 'offset',
      page_size: rowsPerPage,
      offset_param: 'offset',
      limit_param: 'limit',
      stop_on: 'empty',
    },
  })
  const tables = names.map((name) => [name, { columns: { id: { type: 'BIGINT' } } }])
  const files = {
    'huntfleet.yaml': {
      storage: { url: 'file://./staging' },
      mcp_servers: Object.fromEntries(await Promise.all(entries)),
    },
    'soak/contract.yaml': {
      name: 'soak',
      description: 'A table of every server.',
      tags: ['test'],
      params: { kind: { type: 'str', default: 'ok' } },
      requires: { tables: Object.fromEntries(tables) },
    },
    'soak/binding.yaml': { source_bindings: Object.fromEntries(names.map((name) => [name, binding(name)])) },
  }
  await mkdir(join(folder, 'soak'))
  for (const [name, document] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(document))
}

async function fetchAll(
  folder: string,
  fetches: number,
  signal: AbortSignal,
  surprises: string[],
  onFetch: SoakOptions['onFetch'],
): Promise<void> {
  const { project, errors } = await loadProject({ vocabulary, workingDirectory: folder })
  throwOnErrors(errors)
  const masker = createMasker([])
  const target = storageTarget(project, process.env, masker)
  const [fine, faulty] = await Promise.all(
    ['ok', 'fault'].map((kind) => specsOf(folder, project, target.layout, kind)),
  )
  const store = await openStore(target)
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: silent })
  const ports = {
    ...sources,
    store,
    clock: systemClock,
    logger: silent,
    random: Math.random,
    signal,
    compression: 'none' as const,
    parquetEngine: 'columnar' as const,
    onProgress: () => {},
    attempt: 1,
  }
  const names = Object.keys(faultySources)
  let next = 0
  let done = 0
  const work = async () => {
    for (let turn = next++; turn < fetches; turn = next++) {
      const withFault = Math.floor(turn / names.length) % 2 === 1
      const spec = (withFault ? faulty : fine)?.get(names[turn % names.length] ?? '')
      if (spec === undefined) throw new Error('a table is missing')
      const surprise = surpriseOf(await runTable(spec, ports), withFault)
      if (surprise !== null) surprises.push(`${spec.table}: ${surprise}`)
      done += 1
      onFetch?.(done)
    }
  }
  try {
    await Promise.all(Array.from({ length: fetchesAtOnce }, work))
  } finally {
    await sources.close()
    await store.close()
  }
}

/** How a table ended if not as its server makes it end; else null. */
function surpriseOf({ outcome, rows, reason }: TableEntry, withFault: boolean): string | null {
  const [due, dueRows] = withFault ? ['page_error', rowsPerPage] : ['complete', rowsPerTable]
  if (outcome === due && rows === dueRows) return null
  return `${withFault ? 'with' : 'without'} its fault: ${outcome}, ${rows} rows, ${reason}`
}

async function specsOf(
  folder: string,
  project: Awaited<ReturnType<typeof loadProject>>['project'],
  layout: string,
  kind: string,
): Promise<Map<string, TableSpec>> {
  const now = new Date()
  const source = await readStrategy(join(folder, 'soak'), folder, undefined)
  const { strategy, findings } = readStrategyDocuments(source, { project: project.text, vocabulary, now })
  throwOnErrors(findings)
  if (strategy === undefined) throw new Error('no strategy')
  const runId = `soak-${kind}`
  const { specs } = compileRun(strategy, {
    runId,
    scheduledAt: now,
    window: { start: null, end: null },
    params: { kind },
    literal: new Set(),
    prefixes: (table) =>
      tablePrefixes(layout, { strategy: 'soak', table, runId, scheduledAt: now.toISOString() }),
    budgetMs: 60_000,
    tables: null,
    maxRows: null,
  })
  return new Map(specs.map((spec) => [spec.table, spec]))
}

/** The resources once they are no more than before, or after ten seconds. */
async function settled(before: HeldResources): Promise<HeldResources> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const held = heldResources()
    const { listeners, ...rest } = held
    const over = Object.entries(rest).some(
      ([kind, count]) => count > (new Map(Object.entries(before)).get(kind) ?? 0),
    )
    if (!over || performance.now() > deadline) return { ...rest, listeners }
    await systemClock.sleep(100, new AbortController().signal)
  }
}
