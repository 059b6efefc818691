import type { Worker } from 'bullmq'
import type { AbortReason } from './abort-reason.ts'
import type { HeldJobs } from './held-jobs.ts'
import type { QueueLog } from './queue-log.ts'

/** Part of a lock's life after which it counts as lost when it was not renewed; the rest is for timers that come late. */
const trusted = 0.9

/**
 * Stops jobs whose lock is lost, before anybody else can have it. BullMQ only says so and lets them run on; and while
 * Redis is silent it does not even say so, hence a clock for each job (measured: Redis frozen for 9 s with locks of 4 s).
 * Returns the function that ends the watch.
 */
export function watchLocks(
  worker: Worker,
  held: Pick<HeldJobs, 'stopJob'>,
  lockMs: number,
  log: QueueLog,
): () => void {
  const lost: AbortReason = 'LOCK_LOST'
  const clocks = new Map<string, NodeJS.Timeout>()
  const forget = (id: string): void => {
    clearTimeout(clocks.get(id))
    clocks.delete(id)
  }
  const stop = (id: string, why: string): void => {
    forget(id)
    // Ticks are on no list.
    if (held.stopJob(worker, id, lost) || worker.cancelJob(id, lost))
      log.warn('lock lost', { queue: worker.name, job: id, why })
  }
  const renew = (id: string): void => {
    clearTimeout(clocks.get(id))
    const timer = setTimeout(() => stop(id, 'it was not renewed in time'), lockMs * trusted)
    clocks.set(id, timer)
  }
  worker.on('active', (job) => renew(job.id ?? ''))
  worker.on('locksRenewed', ({ jobIds }) => {
    for (const id of jobIds) renew(id)
  })
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const id of jobIds) stop(id, 'another worker has it')
  })
  worker.on('completed', (job) => forget(job.id ?? ''))
  worker.on('failed', (job) => forget(job?.id ?? ''))
  return () => {
    for (const id of [...clocks.keys()]) forget(id)
  }
}
