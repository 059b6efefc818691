import {
  buildManifest,
  type CompiledRun,
  hasFile,
  type Manifest,
  maskedError,
  newAttemptId,
  ownValue,
  RunError,
  runLimitsOf,
  type StorageTarget,
  type Strategy,
  type TableEntry,
  type TableSpec,
  throwOnErrors,
  toRunError,
  unfetchedEntry,
} from '@huntfleet/contract'
import { defaultThreads, localRunBudget, openSources, runTable, systemClock } from '@huntfleet/engine'
import { openStore, publishDeadline, publishManifest } from '@huntfleet/storage'
import type { ProjectContext } from './project-context.ts'
import { quietLogger } from './quiet-logger.ts'
import type { CallsOf } from './recorded-calls.ts'
import { runDeadline } from './run-deadline.ts'
import type { ProgressView } from './terminal/progress.ts'

export interface InProcessRun {
  context: ProjectContext
  strategy: Strategy
  compiled: CompiledRun
  runId: string
  scheduledAt: Date
  window: Manifest['window']
  storage: StorageTarget
  progress: ProgressView
  signal: AbortSignal
  /** How tables are called, when not really: see `recorded-calls.ts`. */
  calls?: CallsOf
}

/** Tables that are fetched at once in one process, over all servers. */
const tablesAtOnce = 8

/** Fetches all tables in this process and publishes the manifest last. Throws what keeps the manifest from being published. */
export async function runInProcess(run: InProcessRun): Promise<{ manifest: Manifest; key: string }> {
  const { context, compiled, storage } = run
  const startedAt = new Date()
  const store = await openStore(storage)
  const limits = runLimitsOf(context.project.text.run_limits)
  const runBudget = localRunBudget(limits.budget)
  const deadline = runDeadline(run.signal, limits.deadlineMs)
  const sources = openSources({
    project: context.project,
    env: process.env,
    masker: context.masker,
    clock: systemClock,
    logger: quietLogger,
    // One table gains nothing: here is no lock to be renewed meanwhile, and a thread takes its time to start.
    threads: compiled.specs.length > 1 ? defaultThreads() : 0,
  })
  try {
    throwOnErrors(await sources.checkAdapters(compiled.specs.flatMap(adaptersOf)))
    const fetched = await fetchTables(run, async (spec) => {
      const calls = run.calls?.(spec, sources) ?? {}
      const entry = await runTable(spec, {
        ...sources,
        store,
        clock: systemClock,
        logger: quietLogger,
        random: Math.random,
        signal: deadline.signal,
        runBudget,
        compression: context.project.text.storage.compression,
        parquetEngine: context.project.text.storage.parquet_engine,
        onProgress: (progress) => run.progress.update(progress),
        attempt: 1,
        ...calls,
      }).catch((error: unknown) => ({
        ...failedEntry(spec, toRunError(error, { table: spec.table }), context),
        source: calls.source ?? 'live',
      }))
      run.progress.end(spec.table, endLine(entry))
      return entry
    })
    const manifest = buildManifest(
      {
        runId: run.runId,
        hunt: null,
        strategy: run.strategy.contract.name,
        version: run.strategy.contract.version,
        params: maskedParams(context, compiled.params),
        scheduledAt: run.scheduledAt.toISOString(),
        window: run.window,
        startedAt: startedAt.toISOString(),
        finishedAt: new Date().toISOString(),
        storage: store.url,
        require: 'any',
        retry: 1,
      },
      inContractOrder(run.strategy, { ...compiled.settled, ...fetched }),
      false,
    )
    const { key, created } = await publishManifest(store, manifest, {
      retry: 1,
      attempt: newAttemptId(),
      deadline: publishDeadline(startedAt.toISOString()),
    })
    if (!created)
      throw new RunError('SINK_INVALID', `the manifest ${key} exists already; run ids are never reused`)
    return { manifest, key }
  } finally {
    deadline.release()
    run.progress.close()
    await sources.close()
    await store.close()
  }
}

function maskedParams(context: ProjectContext, params: CompiledRun['params']): CompiledRun['params'] {
  const masked = context.masker.maskJson(params)
  return masked !== null && typeof masked === 'object' && !Array.isArray(masked) ? masked : {}
}

function inContractOrder(
  strategy: Strategy,
  entries: Record<string, TableEntry>,
): Record<string, TableEntry> {
  const names = Object.keys(strategy.contract.requires.tables)
  return Object.fromEntries(
    names.flatMap((name) => {
      const entry = ownValue(entries, name)
      return entry === undefined ? [] : [[name, entry]]
    }),
  )
}

/** Runs the tables, at most `limits.concurrency` of a server at once, so that waiting does not eat their budgets. */
async function fetchTables(
  run: InProcessRun,
  fetch: (spec: TableSpec) => Promise<TableEntry>,
): Promise<Record<string, TableEntry>> {
  const servers = run.context.project.text.mcp_servers
  const waiting = [...run.compiled.specs]
  const busy = new Map<string, number>()
  const done: Record<string, TableEntry> = {}
  const running = new Set<Promise<void>>()
  const hasRoom = (spec: TableSpec) => {
    const name = spec.server
    const text = servers[name]
    return (busy.get(name) ?? 0) < (text?.limits.concurrency ?? (text?.local === undefined ? 4 : 2))
  }
  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < tablesAtOnce ? waiting.findIndex(hasRoom) : -1
    const [spec] = next < 0 ? [] : waiting.splice(next, 1)
    if (spec === undefined) {
      await Promise.race(running)
      continue
    }
    const name = spec.server
    busy.set(name, (busy.get(name) ?? 0) + 1)
    const task = fetch(spec).then((entry) => {
      done[spec.table] = entry
      busy.set(name, (busy.get(name) ?? 1) - 1)
      running.delete(task)
    })
    running.add(task)
  }
  return done
}

/** The adapters that a table's sources name. */
export const adaptersOf = (spec: TableSpec) =>
  spec.fetches.flatMap(({ answer }) => (answer.adapter === null ? [] : [answer.adapter]))

/** What was thrown instead of being an outcome: the storage failed, or we did. */
function failedEntry(spec: TableSpec, error: RunError, { masker }: ProjectContext): TableEntry {
  const columns = Object.fromEntries(spec.columns.map((column) => [column.name, column.type]))
  const document = maskedError(error, (text) => masker.mask(text))
  return unfetchedEntry('failed', document.message, { optional: spec.optional, columns }, document)
}

/** How a table ended, in one line. */
function endLine(entry: TableEntry): string {
  const rejects = entry.rejects > 0 ? `, ${entry.rejects} rejects` : ''
  return hasFile(entry.outcome)
    ? `${entry.outcome}: ${entry.rows} rows${rejects}; ${entry.reason}`
    : `${entry.outcome}: ${entry.reason}`
}
