import type { Worker } from 'bullmq'
import type { AbortReason } from './abort-reason.ts'
import type { QueueLog } from './queue-log.ts'

/**
 * Stops jobs whose lock is lost. BullMQ only says so and lets them run on; and while Redis is silent it does not even
 * say so, hence the clock: without a renewal for the life of a lock, every lock is taken for lost (measured: Redis
 * frozen for 9 s with locks of 4 s). Returns the function that ends the watch.
 */
export function watchLocks(worker: Worker, lockMs: number, log: QueueLog): () => void {
  const lost: AbortReason = 'LOCK_LOST'
  let aliveAt = Date.now()
  const alive = (): void => {
    aliveAt = Date.now()
  }
  worker.on('locksRenewed', alive)
  worker.on('active', alive)
  worker.on('lockRenewalFailed', (jobIds) => {
    log.warn('lock lost', { queue: worker.name, jobs: jobIds })
    for (const id of jobIds) worker.cancelJob(id, lost)
  })
  const timer = setInterval(() => {
    if (Date.now() - aliveAt > lockMs) worker.cancelAllJobs(lost)
  }, lockMs / 4)
  return () => clearInterval(timer)
}
