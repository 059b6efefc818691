import { toRunError } from '@huntfleet/contract'
import { untilAborted } from './mcp/until-aborted.ts'

/**
 * The promise's result, or a rejection as soon as the table is no longer ours (SHUTDOWN, LOCK_LOST). A table that is
 * cancelled is still ours, and keeps what it has.
 */
export async function untilTaken<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(promise, signal)
  } catch (error) {
    if (signal.aborted && toRunError(signal.reason).code === 'CANCELLED') return await promise
    throw error
  }
}
