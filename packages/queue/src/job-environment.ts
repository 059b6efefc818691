import type { Job } from 'bullmq'
import { explainAbort } from './abort-reason.ts'
import type { FleetRedis } from './connection.ts'
import type { Fence } from './fenced-write.ts'
import { postpone } from './hand-back.ts'
import type { JobKind, Payloads } from './job-catalog.ts'
import { openPayload } from './payload.ts'
import type { JobContext } from './processors.ts'
import type { QueueLog } from './queue-log.ts'

/** What every processor of a worker shares. */
export interface JobEnvironment {
  readonly fleet: FleetRedis
  /** `queue.signing_key`; null: payloads are not signed. */
  readonly signingKey: string | null
  /** Aborts with SHUTDOWN when running jobs are to be handed back. */
  readonly shutdown: AbortSignal
  readonly log: QueueLog
}

/** A job in the hands of this worker. */
export interface HeldJob {
  readonly job: Job
  readonly id: string
  readonly token: string
  readonly fence: Fence
  readonly context: JobContext
}

/** How long a job of another version waits before a worker looks at it again. */
const otherVersionMs = 60_000

/** The job as BullMQ hands it to a processor, with what BullMQ's types leave open. */
export function holdJob(
  environment: JobEnvironment,
  job: Job,
  token: string | undefined,
  signal: AbortSignal | undefined,
): HeldJob {
  const id = job.id
  // BullMQ gives a signal only to processors that declare three parameters.
  if (id === undefined || token === undefined || signal === undefined)
    throw new Error('job without id, token or signal')
  const attempt = job.attemptsMade + 1
  const context: JobContext = {
    signal: explainAbort(AbortSignal.any([signal, environment.shutdown])),
    attempt,
    lastAttempt: attempt >= (job.opts.attempts ?? 1),
    log: async (line) => {
      await job.log(line)
    },
  }
  return { job, id, token, fence: { queue: job.queueName, jobId: id, token }, context }
}

/**
 * The payload of a job. A job of another version is left for a worker of that version, however often it is looked at
 * (SPEC section 11). Throws `RunError` PAYLOAD_INVALID.
 */
export async function takePayload<K extends JobKind>(
  kind: K,
  { signingKey, log }: JobEnvironment,
  held: HeldJob,
): Promise<Payloads[K]> {
  const opened = openPayload(kind, held.job.data, signingKey)
  if (opened.is === 'ours') return opened.payload
  if (opened.is === 'invalid') throw opened.error
  log.warn('job of another version is left for another worker', { job: held.id, version: opened.version })
  return postpone(held.job, held.token, otherVersionMs)
}
