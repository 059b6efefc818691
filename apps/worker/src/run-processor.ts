import {
  buildManifest,
  type CompiledRun,
  compileRun,
  defaultBudget,
  fromBundle,
  type JsonObject,
  type Masker,
  maskedError,
  newAttemptId,
  type Project,
  RunError,
  type RunJob,
  readStrategyDocuments,
  type Strategy,
  type TableEntry,
  throwOnErrors,
  toRunError,
  unfetchedEntry,
  type Vocabulary,
} from '@huntfleet/contract'
import type { RunProcessor } from '@huntfleet/queue'
import { publishDeadline, publishManifest, readManifest, tablePrefixes } from '@huntfleet/storage'
import { lostEntries } from './lost-entries.ts'
import type { WorkerStore } from './worker-store.ts'

export interface RunProcessorOptions {
  project: Project
  vocabulary: Vocabulary
  env: NodeJS.ProcessEnv
  masker: Masker
  store: WorkerStore
}

/** Carries out the two halves of a run job: compile the bundle into table specs, and publish the manifest at the end. */
export function runProcessor(options: RunProcessorOptions): RunProcessor {
  return {
    async plan(job) {
      const strategy = openBundle(job, options)
      try {
        const { specs, settled } = compileBundle(job, strategy, options)
        return { specs, entries: settled }
      } catch (thrown) {
        const error = toRunError(thrown)
        if (error.kind !== 'config') throw error
        // Nothing could begin; the manifest says so for every table.
        return { specs: [], entries: failedEntries(job, strategy, error, options.masker) }
      }
    },
    async finish(job, entries, context) {
      const strategy = openBundle(job, options)
      const store = await options.store.of(job.storage)
      const known = context.lost ? await lostEntries(job, strategy.contract.name, store, entries) : entries
      const built = buildManifest(
        {
          runId: job.runId,
          hunt: job.hunt,
          strategy: strategy.contract.name,
          version: strategy.contract.version,
          params: maskedParams(job, strategy, options),
          scheduledAt: job.scheduledAt,
          window: job.window,
          startedAt: context.startedAt,
          finishedAt: new Date().toISOString(),
          storage: store.url,
          require: job.require,
          retry: job.retry,
        },
        inContractOrder(strategy, known),
        true,
      )
      const isLost = context.lost && Object.values(known).every(({ path }) => path === null)
      const manifest = isLost ? { ...built, status: 'lost' as const } : built
      // A run that waits for agents is not at its end, and only the end has a manifest.
      if (manifest.status === 'pending') return { status: manifest.status, manifestKey: null }
      const publishing = {
        retry: job.retry,
        attempt: newAttemptId(),
        deadline: publishDeadline(context.startedAt),
      }
      const { created, key } = await publishManifest(store, manifest, publishing)
      if (created) return { status: manifest.status, manifestKey: key }
      // Another execution of this job was quicker; what it published stands.
      const published = await readManifest(store, manifest.strategy, job.runId)
      return { status: published?.status ?? manifest.status, manifestKey: key }
    },
  }
}

function openBundle(job: RunJob, { project, vocabulary }: RunProcessorOptions): Strategy {
  const context = { project: project.text, vocabulary, now: new Date(job.scheduledAt) }
  const { strategy, findings } = readStrategyDocuments(fromBundle(job.bundle), context)
  throwOnErrors(findings)
  if (strategy === undefined) throw new RunError('INTERNAL', 'a strategy without errors must be there')
  return strategy
}

function compileBundle(job: RunJob, strategy: Strategy, { env }: RunProcessorOptions): CompiledRun {
  return compileRun(strategy, {
    runId: job.runId,
    scheduledAt: new Date(job.scheduledAt),
    window: job.window,
    params: job.params,
    literal: new Set(),
    prefixes: (table) =>
      tablePrefixes(job.storage.layout, {
        strategy: strategy.contract.name,
        table,
        runId: job.runId,
        scheduledAt: job.scheduledAt,
      }),
    budgetMs: defaultBudget(env),
    tables: job.tables,
    maxRows: job.maxRows,
  })
}

/** The parameters as compiled, defaults included; as given when they could not be. */
function maskedParams(job: RunJob, strategy: Strategy, options: RunProcessorOptions): JsonObject {
  let params = job.params
  try {
    params = compileBundle(job, strategy, options).params
  } catch {
    // The entries say why.
  }
  const masked = options.masker.maskJson(params)
  return masked !== null && typeof masked === 'object' && !Array.isArray(masked) ? masked : {}
}

function failedEntries(
  job: RunJob,
  strategy: Strategy,
  error: RunError,
  masker: Masker,
): Record<string, TableEntry> {
  const document = maskedError(error, (text) => masker.mask(text))
  const tables = Object.entries(strategy.contract.requires.tables).filter(
    ([name]) => job.tables?.includes(name) ?? true,
  )
  return Object.fromEntries(
    tables.map(([name, table]) => {
      const columns = Object.fromEntries(
        Object.entries(table.columns).map(([column, { type }]) => [column, type]),
      )
      return [
        name,
        unfetchedEntry('failed', document.message, { optional: table.optional, columns }, document),
      ]
    }),
  )
}

function inContractOrder(
  strategy: Strategy,
  entries: Readonly<Record<string, TableEntry>>,
): Record<string, TableEntry> {
  const order = Object.keys(strategy.contract.requires.tables)
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)))
}
