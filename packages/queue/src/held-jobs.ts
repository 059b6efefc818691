import type { Worker } from 'bullmq'
import type { AbortReason } from './abort-reason.ts'

/** The jobs that this process has in hand, so that a cancelled run finds its tables. */
export interface HeldJobs {
  /** Runs `work` with the job on the list. */
  during<T>(worker: Worker, jobId: string, runId: string, work: () => Promise<T>): Promise<T>
  /** Ids of the runs that have a job here. */
  runs(): string[]
  /** Tells the jobs of a run to stop. */
  stopRun(runId: string, reason: AbortReason): void
}

export function createHeldJobs(): HeldJobs {
  const held = new Map<symbol, { worker: Worker; jobId: string; runId: string }>()
  return {
    async during(worker, jobId, runId, work) {
      const key = Symbol(jobId)
      held.set(key, { worker, jobId, runId })
      try {
        return await work()
      } finally {
        held.delete(key)
      }
    },
    runs: () => [...new Set([...held.values()].map(({ runId }) => runId))],
    stopRun(runId, reason) {
      for (const job of held.values()) if (job.runId === runId) job.worker.cancelJob(job.jobId, reason)
    },
  }
}
