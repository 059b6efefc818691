import {
  type Masker,
  type Project,
  readSecret,
  redisTarget,
  storageTarget,
  type TableJob,
  throwOnErrors,
  type Vocabulary,
} from '@huntfleet/contract'
import { callLimits, openSources, type Sources, systemClock } from '@huntfleet/engine'
import { openSharedFetches, openSharedLimiter, type SourceServer } from '@huntfleet/queue'
import { fetchFingerprint } from './fetch-fingerprint.ts'
import type { HealthAddress } from './health.ts'
import { huntSource } from './hunt-source.ts'
import { runNotes } from './run-notes.ts'
import { runProcessor } from './run-processor.ts'
import { shareTables } from './share-tables.ts'
import { type RunningWorker, startWorker } from './start-worker.ts'
import { tableProcessor } from './table-processor.ts'
import { workerLogger } from './worker-logger.ts'
import { workerStore } from './worker-store.ts'
import { workerTiming } from './worker-timing.ts'

export interface RunWorkerOptions {
  project: Project
  vocabulary: Vocabulary
  env: NodeJS.ProcessEnv
  masker: Masker
  /** Tables at the same time in this process. */
  concurrency: number
  /** Threads at most that read and encode answers; 0: the main thread does it. */
  threads: number
  graceMs: number
  health: HealthAddress | null
  logLevel: string
  /** `--env NAME`: overlays the bindings of the hunts' strategies. */
  overlay?: string | undefined
  /** Overrides storage.url; absolute or relative to `base`. */
  out?: { url: string; base: string }
}

/** Starts a worker with the engine and the storage of a project file. */
export async function runWorker(options: RunWorkerOptions): Promise<RunningWorker> {
  const { project, env, masker, vocabulary } = options
  const timing = workerTiming(env)
  const logger = workerLogger(masker, options.logLevel)
  const opened = openSources({ project, env, masker, clock: systemClock, logger, threads: options.threads })
  await refuseBrokenAdapters(opened)
  const redis = redisTarget(project, env, masker)
  // Limits of a server hold over all workers, so they are counted where all workers can see them.
  const limiter = openSharedLimiter(redis, callLimits(project), (error) =>
    logger.warn('Redis', { error: error.message }),
  )
  const sources = { ...opened, limiter }
  const storage = storageTarget(project, env, masker, options.out)
  const store = workerStore(storage)
  const { signing_key: key, checkpoint: mode } = project.text.queue
  const signingKey =
    key === undefined ? null : await readSecret('queue.signing_key', key, { env, folder: project.folder })
  masker.add('queue.signing_key', signingKey ?? '')
  const fetchTable = tableProcessor({
    sources,
    store,
    compression: project.text.storage.compression,
    parquetEngine: project.text.storage.parquet_engine,
    logger,
    checkpoint: { mode, signingKey },
  })
  const freshnessMs = freshnessOf(project)
  const shared =
    freshnessMs.size === 0
      ? null
      : openSharedFetches(redis, signingKey, (error) => logger.warn('Redis', { error: error.message }))
  const fingerprint = (job: TableJob) => fetchFingerprint(job, project, env)
  const worker = await startWorker({
    redis,
    servers: sourceServers(project),
    concurrency: options.concurrency,
    table:
      shared === null ? fetchTable : shareTables(fetchTable, { freshnessMs, fingerprint, shared, store }),
    run: runProcessor({ project, vocabulary, env, masker, store }),
    hunts: huntSource({ project, vocabulary, env, masker, storage, overlay: options.overlay, logger }),
    notes: runNotes(store, masker, signingKey),
    logger,
    graceMs: options.graceMs,
    signingKey,
    health: options.health,
    timing,
  }).catch((error: unknown) => {
    limiter.close()
    shared?.close()
    throw error
  })
  for (const secret of masker.tooShort()) {
    logger.warn('a secret is short', { secret: secret.name, masked: secret.masked })
  }
  return {
    ...worker,
    async close(reason) {
      await worker.close(reason)
      await sources.close()
      limiter.close()
      shared?.close()
      await store.close()
    },
  }
}

function freshnessOf({ text }: Project): ReadonlyMap<string, number> {
  const hunts = Object.entries(text.hunts)
  return new Map(
    hunts.flatMap(([name, { freshness }]) => (freshness === undefined ? [] : [[name, freshness]])),
  )
}

/** A worker that cannot read the answers of its servers must not take their tables. */
async function refuseBrokenAdapters(sources: Sources): Promise<void> {
  const findings = await sources.checkAdapters()
  if (findings.length === 0) return
  await sources.close()
  throwOnErrors(findings)
}

/** The servers of a project file with how many of their tables may be fetched at once over the whole fleet. */
export function sourceServers(project: Project): SourceServer[] {
  return Object.entries(project.text.mcp_servers).map(([name, server]) => ({
    name,
    concurrency: server.limits.concurrency ?? (server.local === undefined ? 4 : 2),
  }))
}
