import { DelayedError, type Job, WaitingError } from 'bullmq'
import type { QueueLog } from './queue-log.ts'

/**
 * Gives a job back to its queue, where another worker takes it at once: no attempt and no stall is counted.
 * Always throws, which is how a BullMQ processor says that the job is no longer its own.
 */
export async function handBack(job: Job, token: string, log: QueueLog): Promise<never> {
  try {
    // Of a job with a priority idle workers are not told (BullMQ 6.7) and find it after seconds; and it was first already.
    if (job.priority > 0) await job.changePriority({ priority: 0 })
    await job.moveToWait(token)
    log.info('job handed back', { job: job.id, queue: job.queueName })
  } catch (thrown) {
    // The lock is another worker's: the job is in good hands, and nothing here may touch it.
    log.warn('job was already another worker’s', { job: job.id, queue: job.queueName, error: String(thrown) })
  }
  throw new WaitingError()
}

/** Leaves a job for later without counting an attempt. Always throws, see `handBack`. */
export async function postpone(job: Job, token: string, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + ms, token)
  throw new DelayedError()
}
