import { RunError } from '@huntfleet/contract'

/**
 * A signal that aborts like the given one, and with BUDGET_SPENT when the run has taken as long as it may: rows so far are
 * kept. `release` must be called when the run has ended.
 */
export function runDeadline(
  signal: AbortSignal,
  deadlineMs: number,
): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const forward = (): void => controller.abort(signal.reason)
  if (signal.aborted) forward()
  else signal.addEventListener('abort', forward, { once: true })
  const timer = setTimeout(
    () => controller.abort(new RunError('BUDGET_SPENT', 'the deadline of the run has passed', { hint })),
    deadlineMs,
  )
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      signal.removeEventListener('abort', forward)
    },
  }
}

const hint = 'raise run_limits.deadline, narrow the queries, or fetch fewer tables at a time'
