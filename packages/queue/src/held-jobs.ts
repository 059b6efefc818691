import type { Worker } from 'bullmq'
import type { AbortReason } from './abort-reason.ts'

/** The jobs that this process has in hand, so that a cancelled run finds its tables. */
export interface HeldJobs {
  /**
   * Runs `work` with the job on the list; its signal aborts like the given one. Where the same job is in hand already its
   * lock was lost and came back to us: BullMQ knows only the new hold then, so the old one is stopped here.
   */
  during<T>(
    job: HeldPlace,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>
  /** Ids of the runs that have a job here. */
  runs(): string[]
  /** Tells a job to stop; false: it is not in hand. */
  stopJob(worker: Worker, jobId: string, reason: AbortReason): boolean
  /** Tells the jobs of a run to stop. */
  stopRun(runId: string, reason: AbortReason): void
}

export interface HeldPlace {
  worker: Worker
  jobId: string
  runId: string
}

export function createHeldJobs(): HeldJobs {
  const held = new Map<symbol, HeldPlace & { controller: AbortController }>()
  const stop = (matches: (job: HeldPlace) => boolean, reason: AbortReason): boolean => {
    const found = [...held.values()].filter(matches)
    for (const job of found) job.controller.abort(reason)
    return found.length > 0
  }
  const stopJob: HeldJobs['stopJob'] = (worker, jobId, reason) =>
    stop((job) => job.worker === worker && job.jobId === jobId, reason)
  return {
    stopJob,
    async during(job, signal, work) {
      const key = Symbol(job.jobId)
      // BullMQ gives a signal only to processors that declare three parameters.
      if (signal === undefined) throw new Error('a job without a signal')
      stopJob(job.worker, job.jobId, 'LOCK_LOST')
      const controller = new AbortController()
      const forward = (): void => controller.abort(signal.reason)
      if (signal.aborted) forward()
      else signal.addEventListener('abort', forward, { once: true })
      held.set(key, { ...job, controller })
      try {
        return await work(controller.signal)
      } finally {
        held.delete(key)
        signal.removeEventListener('abort', forward)
      }
    },
    runs: () => [...new Set([...held.values()].map(({ runId }) => runId))],
    stopRun(runId, reason) {
      stop((job) => job.runId === runId, reason)
    },
  }
}
