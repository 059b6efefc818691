import { RunError } from '@huntfleet/contract'
import type { WorkerTiming } from '@huntfleet/queue'

/** The default life of a lock, which the other times are measured by. */
const defaultLockMs = 20_000
/** Below this a busy machine loses locks for nothing. */
const shortestLockMs = 100

/**
 * The times of a worker: `HUNTFLEET_LOCK_MS` is the life of a lock in milliseconds, for tests that cannot wait; the search
 * for dead workers and the back-off between attempts change in proportion. Empty without it: the defaults hold.
 */
export function workerTiming(env: NodeJS.ProcessEnv): Partial<WorkerTiming> {
  const text = env['HUNTFLEET_LOCK_MS']
  if (text === undefined || text === '') return {}
  const lockMs = Number(text)
  if (!Number.isSafeInteger(lockMs) || lockMs < shortestLockMs) {
    throw new RunError('USAGE_INVALID', `HUNTFLEET_LOCK_MS ${JSON.stringify(text)} is not a life of locks`, {
      hint: `write milliseconds, at least ${shortestLockMs}; it is for tests, and ${defaultLockMs} when absent`,
    })
  }
  const shorter = lockMs / defaultLockMs
  return { lockMs, stalledMs: Math.round(5_000 * shorter), backOffMs: Math.round(30_000 * shorter) }
}
