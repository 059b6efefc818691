import { RunError } from '@huntfleet/contract'

/** Why `signal` was aborted: its reason where that is ours, else CANCELLED. */
export function abortReason(signal: AbortSignal): RunError {
  const reason: unknown = signal.reason
  if (reason instanceof RunError) return reason
  return new RunError('CANCELLED', 'writing to the storage was cancelled', {}, reason)
}

/** Throws why `signal` was aborted, if it was. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}
