import { strategyName } from '@huntfleet/contract'
import type { JobsOptions } from 'bullmq'
import { z } from 'zod'
import type { FleetRedis } from './connection.ts'
import { openQueue } from './open-queue.ts'
import { tickQueue } from './queue-names.ts'

/** What a tick carries. It only says which hunt to look at: what is due stands in the hunt's state. */
export const tickJobSchema = z.object({
  hunt: strategyName,
  /** Made by us to have a worker look; without it a job that no scheduler made is a person's "run now". */
  wake: z.boolean().default(false),
})

/** Finished ticks are of little interest: the ledger has it all. */
export const tickOptions: JobsOptions = {
  removeOnComplete: { age: 86_400, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
  stackTraceLimit: 3,
}

/** Has a worker look at a hunt now. */
export async function wakeHunt(fleet: FleetRedis, hunt: string): Promise<void> {
  const queue = openQueue(fleet, tickQueue)
  try {
    await queue.add(hunt, { hunt, wake: true }, tickOptions)
  } finally {
    await queue.close()
  }
}
