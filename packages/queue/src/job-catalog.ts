import { type RunJob, runJobSchema, type TableJob, tableJobSchema } from '@huntfleet/contract'
import type { JobsOptions } from 'bullmq'
import type { z } from 'zod'
import { tableBackOff } from './back-off.ts'

const day = 86_400

/** Records outlive the jobs of BullMQ, so that a finished run is never taken for one that was not yet queued. */
export const runRecordSeconds = 30 * day

/**
 * Finished jobs are kept for the dashboard: what went well for a week, what failed as long as the record of its run.
 * Both are longer than any run takes: a child that vanished would be fetched again when its run is planned again.
 */
const kept: JobsOptions = {
  removeOnComplete: { age: 7 * day, count: 5_000 },
  removeOnFail: { age: runRecordSeconds, count: 5_000 },
  stackTraceLimit: 3,
  keepLogs: 200,
}

/** What each kind of job carries. */
export interface Payloads {
  run: RunJob
  table: TableJob
}
export type JobKind = keyof Payloads

/** Every kind of job: what its payload is and how often it is tried. Queues are named in `queue-names.ts`. */
export const jobCatalog: {
  readonly [K in JobKind]: { schema: z.ZodType<Payloads[K]>; options: JobsOptions }
} = {
  run: {
    schema: runJobSchema,
    // Up to ten minutes in all: without its manifest all that a run has fetched is lost, so storage is waited for.
    options: { ...kept, attempts: 8, backoff: { type: 'exponential', delay: 5_000, jitter: 1 } },
  },
  table: {
    schema: tableJobSchema,
    options: { ...kept, attempts: 3, backoff: { type: tableBackOff } },
  },
}
