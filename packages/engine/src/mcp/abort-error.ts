import { RunError } from '@huntfleet/contract'

/** Why a signal aborted, as the error to throw: its reason when that is a `RunError`, else `CANCELLED`. */
export function abortError(signal: AbortSignal): RunError {
  if (signal.reason instanceof RunError) return signal.reason
  return new RunError('CANCELLED', 'the call was cancelled', {}, signal.reason)
}
