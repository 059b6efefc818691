import { RunError } from '@huntfleet/contract'

const refusals = /\b(OOM|READONLY|MISCONF|LOADING|MASTERDOWN|NOREPLICAS)\b/

/**
 * Throws what a Redis command threw. A Redis that is full, or was made a replica, is no fault of the job: it goes back to
 * its queue, as after a lost lock, which cannot be renewed either.
 */
export function throwRefusal(thrown: unknown): never {
  if (!(thrown instanceof Error) || !refusals.test(thrown.message)) throw thrown
  throw new RunError('LOCK_LOST', `Redis takes no writes: ${thrown.message}`, {}, thrown)
}
