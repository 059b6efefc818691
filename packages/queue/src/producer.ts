import type { Manifest, RunJob } from '@huntfleet/contract'
import { cancelRun } from './cancel-run.ts'
import { checkRedis, type RedisReport } from './check-redis.ts'
import { asQueueError, connectProducer, type FleetRedis, type RedisSettings } from './connection.ts'
import { jobCatalog } from './job-catalog.ts'
import { runJobId } from './job-ids.ts'
import { openQueue } from './open-queue.ts'
import { sealPayload } from './payload.ts'
import { runQueue } from './queue-names.ts'
import { restoreRun } from './restore-run.ts'
import { type RetryOptions, retryRun } from './retry-run.ts'
import { deadlineOf } from './run-deadline.ts'
import { headOf, nameOf } from './run-head.ts'
import { readRunPayload } from './run-payload.ts'
import type { RunRecord, RunSummary } from './run-record.ts'
import { createRunRecord, getRun, type ListRunsOptions, listRuns } from './run-store.ts'
import { listQueues } from './source-queues.ts'
import { type WaitOptions, waitForRun } from './wait-for-run.ts'
import { type LiveWorker, liveWorkers, unservedServers } from './worker-registry.ts'

export interface ProducerOptions {
  redis: RedisSettings
  /** `queue.signing_key` of the project file; null or absent: payloads are not signed. */
  signingKey?: string | null
}

/**
 * The fleet as command lines, schedulers and dashboards see it. Every method throws `RunError` QUEUE_UNREACHABLE within
 * seconds when Redis does not answer.
 */
export interface Producer {
  /** For callers that need a queue or a key that no method covers. */
  readonly fleet: FleetRedis
  /** Adds a run. Its id makes it unique: a run that is there already is left alone, and `created` is false. */
  enqueueRun(job: RunJob, options?: EnqueueOptions): Promise<{ runId: string; created: boolean }>
  /** See `cancelRun`. */
  cancelRun(runId: string): Promise<RunRecord>
  /** See `retryRun`. */
  retryRun(runId: string, options?: RetryOptions): Promise<{ retry: number; tables: string[] }>
  /** See `readRunPayload`. */
  runPayload(runId: string): Promise<RunJob | null>
  /** See `restoreRun`. */
  restoreRun(manifest: Manifest): Promise<void>
  /** null: there is none (any more). */
  getRun(runId: string): Promise<RunRecord | null>
  listRuns(options?: ListRunsOptions): Promise<RunSummary[]>
  /** See `waitForRun`. */
  waitForRun(runId: string, signal: AbortSignal, options?: WaitOptions): Promise<RunRecord>
  liveWorkers(): Promise<LiveWorker[]>
  /** Those of the servers that no live worker serves. */
  unservedServers(servers: readonly string[]): Promise<string[]>
  /** Names of all queues, see `listQueues`. */
  listQueues(): Promise<string[]>
  checkRedis(): Promise<RedisReport>
  close(): Promise<void>
}

/** Connects to the fleet's Redis; throws `RunError` QUEUE_UNREACHABLE or PROJECT_INVALID. */
export async function openProducer({
  redis: settings,
  signingKey = null,
}: ProducerOptions): Promise<Producer> {
  const fleet = await connectProducer(settings)
  const reach = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (thrown) {
      throw asQueueError(settings, thrown)
    }
  }
  return {
    fleet,
    enqueueRun: (job, options) => reach(enqueueRun(fleet, job, signingKey, options)),
    cancelRun: (runId) => reach(cancelRun(fleet, runId)),
    retryRun: (runId, options) => reach(retryRun(fleet, runId, signingKey, options)),
    runPayload: (runId) => reach(readRunPayload(fleet, runId, signingKey)),
    restoreRun: (manifest) => reach(restoreRun(fleet, manifest, signingKey)),
    getRun: (runId) => reach(getRun(fleet, runId)),
    listRuns: (options) => reach(listRuns(fleet, options)),
    waitForRun: (runId, signal, options) => reach(waitForRun(fleet, runId, signal, options)),
    liveWorkers: () => reach(liveWorkers(fleet)),
    unservedServers: (servers) => reach(unservedServers(fleet, servers)),
    listQueues: () => reach(listQueues(fleet)),
    checkRedis: () => reach(checkRedis(fleet.redis)),
    close: async () => {
      // `quit` would wait for a Redis that is away.
      fleet.redis.disconnect()
    },
  }
}

export interface EnqueueOptions {
  /** Milliseconds until the run may begin; default 0. */
  delayMs?: number
  /** From 1; runs with a higher number wait for all with a lower one, and their tables do. Default 0: the first. */
  priority?: number
}

/**
 * The record first, the job second: a producer that dies in between is made good by the next call with the same id,
 * while the other order would leave a run that nobody can find.
 */
export async function enqueueRun(
  fleet: FleetRedis,
  job: RunJob,
  signingKey: string | null,
  { delayMs = 0, priority = 0 }: EnqueueOptions = {},
): Promise<{ runId: string; created: boolean }> {
  const { runId } = job
  const head = headOf(job)
  const deadlineAt = deadlineOf(new Date(head.queuedAt), job.deadlineMs)
  const sealed = sealPayload('run', job, signingKey)
  const created = await createRunRecord(fleet, { head, retry: job.retry, deadlineAt, sealed })
  if (!created) {
    // A job that has ended may be gone from its queue, and adding it again would run it again.
    const known = await getRun(fleet, runId)
    if (known?.status !== 'queued' || known.retry !== job.retry) return { runId, created }
  }
  const queue = openQueue(fleet, runQueue)
  try {
    await queue.add(nameOf(job), sealed, {
      ...jobCatalog.run.options,
      jobId: runJobId(runId, job.retry),
      ...(delayMs > 0 && { delay: delayMs }),
      ...(priority > 0 && { priority }),
    })
  } finally {
    await queue.close()
  }
  return { runId, created }
}
