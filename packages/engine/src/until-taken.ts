import { toRunError } from '@huntfleet/contract'
import { untilAborted } from './mcp/until-aborted.ts'

/** Whether the table is to be left to another worker. Whatever else ends it, it is still ours, and keeps what it has. */
export function isTaken({ aborted, reason }: AbortSignal): boolean {
  return aborted && ['SHUTDOWN', 'LOCK_LOST'].includes(toRunError(reason).code)
}

/** The promise's result, or a rejection as soon as the table is to be left to another worker. */
export async function untilTaken<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(promise, signal)
  } catch (error) {
    if (signal.aborted && !isTaken(signal)) return await promise
    throw error
  }
}
