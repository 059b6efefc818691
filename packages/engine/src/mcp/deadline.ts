import { RunError } from '@huntfleet/contract'
import type { Clock } from '../ports.ts'
import { abortError } from './abort-error.ts'

export interface DeadlineOptions {
  clock: Clock
  timeoutMs: number
  /** The caller's signal; nothing stays attached to it afterwards. */
  signal: AbortSignal
  /** Names what was waited for, for example `tool "search"`. */
  what: string
  /** What the person may do about a timeout. */
  hint: string
}

/**
 * Runs an action under a time limit and the caller's signal. The action gets a signal of its own, made for this one
 * call: the SDK never takes its listener off a signal, and an abort would otherwise cancel calls long finished.
 * Rejects at once with `SOURCE_TIMEOUT` or the reason of the caller's signal, whatever the action does.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  action: (signal: AbortSignal, extend: () => void) => Promise<T>,
): Promise<T> {
  const { clock, timeoutMs, signal, what, hint } = options
  if (signal.aborted) throw abortError(signal)
  const controller = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
  })
  const expire = () => {
    const message = `${what} did not answer within ${timeoutMs / 1000} s`
    controller.abort(new RunError('SOURCE_TIMEOUT', message, { hint }))
  }
  let cancelTimer = clock.after(timeoutMs, expire)
  let over = false
  const extend = () => {
    if (over || controller.signal.aborted) return
    cancelTimer()
    cancelTimer = clock.after(timeoutMs, expire)
  }
  const onAbort = () => controller.abort(abortError(signal))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([action(controller.signal, extend), aborted])
  } finally {
    over = true
    cancelTimer()
    signal.removeEventListener('abort', onAbort)
  }
}
