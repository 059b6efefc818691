import { RunError } from '@huntfleet/contract'

const words = {
  SHUTDOWN: 'the worker is shutting down; the job goes back to its queue',
  LOCK_LOST: 'the worker lost its hold on the job; another worker has it or will take it',
  CANCELLED: 'the run was cancelled',
} as const

/** Why a running job is told to stop, as passed to `worker.cancelJob`. */
export type AbortReason = keyof typeof words

/** The `RunError` of a reason. */
export function abortError(reason: AbortReason): RunError {
  return new RunError(reason, words[reason])
}

/**
 * BullMQ aborts with the reason as a string; processors get a signal whose reason is a `RunError`, so that whatever
 * throws it says how the job ends.
 */
export function explainAbort(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = (): void =>
    controller.abort(abortError(isReason(signal.reason) ? signal.reason : 'CANCELLED'))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}

function isReason(value: unknown): value is AbortReason {
  return typeof value === 'string' && Object.hasOwn(words, value)
}
