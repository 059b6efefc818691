import { RunError } from '@huntfleet/contract'

/** The end that a run has whatever its tables are doing. Times are ISO 8601 UTC. */

export function deadlineOf(queuedAt: Date, deadlineMs: number): string {
  return new Date(queuedAt.getTime() + deadlineMs).toISOString()
}

export function isOverdue(deadlineAt: string | null, graceMs = 0): boolean {
  return deadlineAt !== null && Date.now() > Date.parse(deadlineAt) + graceMs
}

/** Why a table ended, or never began. */
export function deadlineError(deadlineAt: string): RunError {
  return new RunError('BUDGET_SPENT', `the deadline of the run (${deadlineAt}) has passed`, {
    hint: 'raise run_limits.deadline or enqueue with --deadline; `huntfleet runs retry` fetches what is missing',
  })
}

/**
 * A signal that aborts like the given one, and with `deadlineError` when the run's time is up. `release` must be called
 * when the work is done.
 */
export function untilDeadline(
  signal: AbortSignal,
  deadlineAt: string | null,
): { signal: AbortSignal; release(): void } {
  if (deadlineAt === null) return { signal, release: () => {} }
  const controller = new AbortController()
  const expire = (): void => controller.abort(deadlineError(deadlineAt))
  const forward = (): void => controller.abort(signal.reason)
  if (signal.aborted) forward()
  else signal.addEventListener('abort', forward, { once: true })
  const left = Date.parse(deadlineAt) - Date.now()
  if (left <= 0) expire()
  // No deadline is as long as the longest timer (24 days).
  const timer = setTimeout(expire, Math.max(0, left))
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      signal.removeEventListener('abort', forward)
    },
  }
}
