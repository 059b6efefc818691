import type { Clock } from '../ports.ts'
import type { CallLimiter } from '../table-ports.ts'
import { abortError } from './abort-error.ts'

/** The span of `calls_per_minute`, in milliseconds. */
const windowMs = 60_000

interface ServerCalls {
  /** Times of the calls of the last minute, oldest first. */
  recent: number[]
  pausedUntil: number
}

/**
 * Keeps the calls of this process to each server within `calls_per_minute` and still while a server has asked to be
 * left alone. It counts what lies in any 60 seconds: a bucket of n tokens would let 2n calls through in the first.
 */
export class RateLimiter implements CallLimiter {
  readonly #clock: Clock
  readonly #callsPerMinute: (server: string) => number | null
  readonly #servers = new Map<string, ServerCalls>()

  /** `callsPerMinute` gives the limit of a server, null for none. */
  constructor(clock: Clock, callsPerMinute: (server: string) => number | null) {
    this.#clock = clock
    this.#callsPerMinute = callsPerMinute
  }

  /** Resolves when the next call is due, and counts it; rejects with a `RunError` when the signal aborts. */
  async acquire(server: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw abortError(signal)
      const wait = this.#take(server)
      if (wait === 0) return
      await this.#clock.sleep(wait, signal).catch(() => {
        throw abortError(signal)
      })
    }
  }

  /** Nobody calls the server for `ms` from now; a longer pause that is already running stays. */
  pause(server: string, ms: number): void {
    const calls = this.#callsOf(server)
    calls.pausedUntil = Math.max(calls.pausedUntil, this.#clock.now() + ms)
  }

  /** Counts a call and returns 0, or returns how long to wait before asking again, in milliseconds. */
  #take(server: string): number {
    const calls = this.#callsOf(server)
    const now = this.#clock.now()
    if (now < calls.pausedUntil) return calls.pausedUntil - now
    const limit = this.#callsPerMinute(server)
    if (limit === null) return 0
    calls.recent = calls.recent.filter((time) => time > now - windowMs)
    const oldest = calls.recent[calls.recent.length - limit]
    if (oldest !== undefined) return oldest + windowMs - now
    calls.recent.push(now)
    return 0
  }

  #callsOf(server: string): ServerCalls {
    const known = this.#servers.get(server)
    if (known) return known
    const calls = { recent: [], pausedUntil: 0 }
    this.#servers.set(server, calls)
    return calls
  }
}
