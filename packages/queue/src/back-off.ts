import { RunError } from '@huntfleet/contract'

/** Name of the back-off in a job's options. Every worker of a queue must know it, or its retries stall (BullMQ). */
export const tableBackOff = 'table'

const firstMs = 30_000
const factor = 4
/** A source that asks for more is not waited for: a run must end some day. */
const longestMs = 3_600_000

/**
 * How long a table job waits before its next attempt, in milliseconds: 30 s, then 2 min (SPEC section 7), each
 * shortened by up to half, so that tables that failed together do not come back together; never shorter than the source
 * asked for (`retryAfterMs`), never longer than an hour.
 */
export function backOffMs(
  attemptsMade: number,
  error: unknown,
  random: () => number = Math.random,
  baseMs: number = firstMs,
): number {
  const full = baseMs * factor ** (attemptsMade - 1)
  const own = full * (1 - random() / 2)
  const asked = error instanceof RunError ? (error.context.retryAfterMs ?? 0) : 0
  return Math.round(Math.min(longestMs, Math.max(own, asked)))
}
