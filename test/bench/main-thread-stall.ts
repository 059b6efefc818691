import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createMasker, loadProject, type TableSpec } from '@huntfleet/contract'
import { openSources, runTable, systemClock, vocabulary } from '@huntfleet/engine'
import { openStore } from '@huntfleet/storage'
import {
  answerSpec,
  fetchSpec,
  pagedBy,
  tableSpec,
  unpaged,
} from '../../packages/engine/test/spec-fixture.ts'
import { freePort } from '../sources/fixture/free-port.ts'
import { eventColumns, eventPages } from './event-pages.ts'

const scriptedMcp = fileURLToPath(import.meta.resolve('../../packages/testing/src/scripted-mcp/main.ts'))
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const program = (script: string, ...args: string[]) => ['--conditions=source', scriptedMcp, script, ...args]

/** Bytes of an event in a message, where every quote is escaped; a little more than it takes. */
const bytesPerEvent = 430
/** Pages of each table of the memory runs. */
const memoryPages = { few: 2, many: 8 }
const tablesAtOnce = 8

type ServerName = 'stdio' | 'http' | 'sse'

interface StallCase {
  transport: ServerName
  /** Size of the page's message, roughly. */
  megabytes: number
  threads: Stall
  /** The same where the main thread reads the answers itself. */
  withoutThreads: Stall
}

/** The longest time between two turns of the main thread's event loop, in milliseconds, over all rounds. */
interface Stall {
  /** As the processor saw it: the main thread's own work. */
  cpuMs: number
  /** On the wall: what else the machine does is in it. */
  wallMs: number
}

export interface MainThreadStallBench {
  cases: StallCase[]
  /** Peak memory of this process while eight tables are fetched at once, in MB, by the number of their pages. */
  memory: { megabytesPerPage: number; peakMb: { few: number; many: number } }
}

/** How long big pages hold up the main thread, from the server to the Parquet file, and what eight tables at once take. */
export async function mainThreadStallBench({ small }: { small: boolean }): Promise<MainThreadStallBench> {
  const sizes = small ? [1] : [1, 8, 64]
  const megabytesPerPage = small ? 0.5 : 8
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-bench-'))
  await using servers = await startServers(folder, sizes, megabytesPerPage)
  const rounds = small ? 1 : 3
  const cases: StallCase[] = []
  {
    await using threads = await openBench(folder, servers.urls, 1)
    await using here = await openBench(folder, servers.urls, 0)
    for (const transport of ['stdio', 'http', 'sse'] as const) {
      for (const megabytes of sizes) {
        const spec = pageSpec(transport, `page${megabytes}`)
        const withThreads = await longestStall(rounds, () => threads.run(spec))
        const withoutThreads = await longestStall(1, () => here.run(spec))
        cases.push({ transport, megabytes, threads: withThreads, withoutThreads })
      }
    }
  }
  await using bench = await openBench(folder, servers.urls, 2)
  const peak = (pages: number) =>
    peakMemory(() =>
      Promise.all(
        Array.from({ length: tablesAtOnce }, (_, n) =>
          bench.run(pagedSpec(`table${n}`, pages, rowsOf(megabytesPerPage))),
        ),
      ),
    )
  const few = await peak(memoryPages.few)
  const many = await peak(memoryPages.many)
  return { cases, memory: { megabytesPerPage, peakMb: { few, many } } }
}

/** The result as lines for a person. */
export function mainThreadStallReport({ cases, memory }: MainThreadStallBench): string {
  const show = ({ cpuMs, wallMs }: Stall) =>
    `${cpuMs.toFixed(0).padStart(6)} ms CPU ${wallMs.toFixed(0).padStart(6)} ms wall`
  const lines = cases.map(
    ({ transport, megabytes, threads, withoutThreads }) =>
      `  ${transport.padEnd(5)} ${String(megabytes).padStart(3)} MB${show(threads)}; without threads${show(withoutThreads)}`,
  )
  const { few, many } = memory.peakMb
  return [
    'main-thread-stall: the longest stall of the main thread by one page',
    ...lines,
    `  memory, ${tablesAtOnce} tables at once, pages of ${memory.megabytesPerPage} MB: ${few.toFixed(0)} MB with ${memoryPages.few} pages each, ${many.toFixed(0)} MB with ${memoryPages.many}`,
  ].join('\n')
}

const rowsOf = (megabytes: number) => Math.floor((megabytes * 1e6) / bytesPerEvent)

async function startServers(folder: string, sizes: readonly number[], megabytesPerPage: number) {
  const script: Record<string, unknown[]> = {}
  for (const megabytes of sizes) {
    const file = `${megabytes}.json`
    const [page = ''] = eventPages(1, rowsOf(megabytes))
    await writeFile(join(folder, file), page)
    script[`page${megabytes}`] = [{ file }]
  }
  const row = {
    ...Object.fromEntries(eventColumns.map(({ name }) => [name, '$i'])),
    message: `${'x'.repeat(250)} $i`,
  }
  const page = { by: 'offset', offset: 'from', limit: 'size', maxLimit: 1e9 }
  script['paged'] = [{ table: { rows: rowsOf(megabytesPerPage) * memoryPages.many, row, page } }]
  const tools = Object.keys(script).map((name) => ({ name, annotations: { readOnlyHint: true } }))
  await writeFile(join(folder, 'script.json'), JSON.stringify({ tools, script }))
  const children: ChildProcess[] = []
  const start = async (...args: string[]) => {
    const port = await freePort()
    const child = spawn(
      process.execPath,
      program(join(folder, 'script.json'), '--http', String(port), ...args),
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    children.push(child)
    // It says so once it listens.
    await once(child.stderr, 'data')
    return `http://127.0.0.1:${port}/mcp`
  }
  return {
    urls: { http: await start(), sse: await start('--sse') },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          await ended
        }),
      )
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs tables as a worker does. */
async function openBench(folder: string, urls: { http: string; sse: string }, threads: number) {
  const limits = { concurrency: tablesAtOnce }
  const servers = {
    stdio: { local: { command: process.execPath, args: program(join(folder, 'script.json')) }, limits },
    http: { remote: { url: urls.http }, limits },
    sse: { remote: { url: urls.sse }, limits },
  }
  await writeFile(join(folder, 'huntfleet.yaml'), JSON.stringify({ mcp_servers: servers }))
  const { project } = await loadProject({ vocabulary, workingDirectory: folder })
  const masker = createMasker([])
  const sources = openSources({
    project,
    env: process.env,
    masker,
    clock: systemClock,
    logger: silent,
    threads,
  })
  const store = await openStore({
    url: pathToFileURL(join(folder, 'out')).href,
    endpoint: null,
    region: null,
    pathStyle: false,
  })
  const { signal } = new AbortController()
  return {
    run: async (spec: TableSpec): Promise<void> => {
      const ports = { ...sources, store, signal, clock: systemClock, logger: silent, random: Math.random }
      const entry = await runTable(spec, {
        ...ports,
        attempt: 1,
        compression: 'zstd',
        parquetEngine: 'columnar',
        onProgress() {},
      })
      if (entry.rows === 0 || entry.error !== null) throw new Error(`${entry.outcome}: ${entry.reason}`)
    },
    [Symbol.asyncDispose]: async () => {
      await sources.close()
      await store.close()
    },
  }
}

function eventSpec(server: ServerName, tool: string, more: Partial<TableSpec['fetches'][number]>): TableSpec {
  const fetch = fetchSpec({
    server,
    tool,
    timeoutMs: 300_000,
    answer: answerSpec({ itemsPath: null }),
    mapping: eventColumns.map(({ name }) => [{ from: 'path', path: name }]),
    ...more,
  })
  const budget = { timeMs: 600_000, maxRows: 10_000_000, maxBytes: null, maxPages: null, maxCalls: null }
  return tableSpec([fetch], { server, tool, budget, columns: [...eventColumns] })
}

const pageSpec = (server: ServerName, tool: string) => eventSpec(server, tool, { pagination: unpaged })

function pagedSpec(table: string, pages: number, pageSize: number): TableSpec {
  const pagination = { ...pagedBy('offset'), pageSize }
  const spec = eventSpec('http', 'paged', { pagination })
  return { ...spec, table, budget: { ...spec.budget, maxPages: pages }, dataPrefix: `table=${table}` }
}

/** Once to warm up, then the longest stall of so many rounds. */
async function longestStall(rounds: number, run: () => Promise<void>): Promise<Stall> {
  await run()
  const longest: Stall = { cpuMs: 0, wallMs: 0 }
  const now = (): Stall => {
    const { user, system } = process.threadCpuUsage()
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() }
  }
  let before = now()
  const probe = setInterval(() => {
    const at = now()
    longest.cpuMs = Math.max(longest.cpuMs, at.cpuMs - before.cpuMs)
    longest.wallMs = Math.max(longest.wallMs, at.wallMs - before.wallMs)
    before = at
  }, 1)
  for (let round = 0; round < rounds; round++) await run()
  clearInterval(probe)
  return longest
}

async function peakMemory(run: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  await run()
  clearInterval(timer)
  return peak / 1e6
}
