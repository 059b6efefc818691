import { setTimeout as wait } from 'node:timers/promises'
import {
  createMasker,
  loadProject,
  newRunId,
  payloadVersion,
  RunError,
  type RunJob,
  readStrategy,
  storageTarget,
  throwOnErrors,
  toBundle,
} from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { openProducer, type Producer, type RunRecord } from '@huntfleet/queue'
import { strategyName } from './chaos-project.ts'

/** A run that was enqueued. Times are milliseconds since the epoch. */
export interface EnqueuedRun {
  runId: string
  enqueuedAt: number
  endedAt: number
  /** null: it has not ended. */
  record: RunRecord | null
}

/** The producer's side of the fleet: it keeps so many runs under way, and sees how they end. */
export interface RunQueue {
  readonly runs: readonly EnqueuedRun[]
  readonly producer: Producer
  enqueue(): Promise<void>
  /** Enqueues runs until `signal` aborts. */
  keepFull(runsAtOnce: number, signal: AbortSignal): Promise<void>
  /** Waits until all runs have ended, at most until the deadline; those that have not keep their null. */
  drain(deadlineMs: number): Promise<void>
  close(): Promise<void>
}

const lookMs = 300

export async function openRunQueue(
  folder: string,
  redisUrl: string,
  env: NodeJS.ProcessEnv,
): Promise<RunQueue> {
  const { project, errors } = await loadProject({ vocabulary, workingDirectory: folder })
  throwOnErrors(errors)
  const storage = storageTarget(project, env, createMasker([]))
  const bundle = toBundle(await readStrategy(`${folder}/${strategyName}`, folder))
  const producer = await openProducer({ redis: { url: redisUrl } })
  const runs: EnqueuedRun[] = []
  const followed: Promise<void>[] = []
  const ended = new AbortController()

  const enqueue = async (): Promise<void> => {
    const now = new Date()
    const job: RunJob = {
      v: payloadVersion,
      runId: newRunId(strategyName, now),
      hunt: null,
      bundle,
      params: {},
      scheduledAt: now.toISOString(),
      window: { start: null, end: null },
      storage,
      tables: null,
      maxRows: null,
      require: 'any',
      retry: 1,
      deadlineMs: 86_400_000,
      budget: { maxBytes: null, maxPages: null, maxCalls: null },
    }
    // Twice at once, and again while Redis is away: whether an attempt got through cannot be told, and must not matter.
    const twice = () => Promise.all([producer.enqueueRun(job), producer.enqueueRun(job)])
    while ((await reached(twice)) === null) await wait(lookMs)
    const run: EnqueuedRun = {
      runId: job.runId,
      enqueuedAt: now.getTime(),
      endedAt: Number.POSITIVE_INFINITY,
      record: null,
    }
    runs.push(run)
    followed.push(follow(run))
  }

  const follow = async (run: EnqueuedRun): Promise<void> => {
    while (run.record === null && !ended.signal.aborted) {
      const record = await reached(() => producer.waitForRun(run.runId, ended.signal, { pollMs: lookMs }))
      if (record === null) await wait(lookMs)
      else Object.assign(run, { record, endedAt: Date.now() })
    }
  }
  const open = (): EnqueuedRun[] => runs.filter(({ record }) => record === null)

  return {
    runs,
    producer,
    enqueue,
    async keepFull(runsAtOnce, signal) {
      while (!signal.aborted) {
        if (open().length < runsAtOnce) await enqueue()
        else await wait(lookMs)
      }
    },
    async drain(deadlineMs) {
      const until = Date.now() + deadlineMs
      while (open().length > 0 && Date.now() < until) await wait(lookMs)
    },
    async close() {
      ended.abort()
      await Promise.all(followed)
      await producer.close()
    },
  }
}

/** null when Redis was away, or the signal aborted. */
async function reached<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof RunError && thrown.code === 'QUEUE_UNREACHABLE') return null
    if (thrown instanceof Error && thrown.name === 'AbortError') return null
    throw thrown
  }
}
