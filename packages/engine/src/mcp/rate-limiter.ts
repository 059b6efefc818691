import { RunError } from '@huntfleet/contract'
import type { Clock } from '../ports.ts'
import type { CallLimiter } from '../table-ports.ts'
import { abortError } from './abort-error.ts'

/** The span of `calls_per_minute`, in milliseconds. */
const windowMs = 60_000
/** After a rate limit calls are spaced out: at first by so much, then twice as much each time, and at most so much. */
const firstIntervalMs = 250
const longestIntervalMs = 30_000
/** Every call that is let through shortens the interval by a tenth; below this it is gone. */
const shortestIntervalMs = 20

/** The limits of a server's calls; nulls: none. */
export interface CallLimits {
  callsPerMinute: number | null
  /** By days of UTC, as vendors count. */
  callsPerDay: number | null
}

interface ServerCalls {
  /** Times of the calls of the last minute, oldest first. */
  recent: number[]
  pausedUntil: number
  /** Milliseconds between two calls; 0: as they come. */
  interval: number
  due: number
  day: string
  callsOfDay: number
}

/**
 * Keeps the calls of this process to each server within its limits, and still while a server has asked to be left
 * alone. It counts what lies in any 60 seconds: a bucket of n tokens would let 2n calls through in the first.
 */
export class RateLimiter implements CallLimiter {
  readonly #clock: Clock
  readonly #limitsOf: (server: string) => CallLimits
  readonly #servers = new Map<string, ServerCalls>()

  constructor(clock: Clock, limitsOf: (server: string) => CallLimits) {
    this.#clock = clock
    this.#limitsOf = limitsOf
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

  /**
   * Nobody calls the server for the time it asked for; a longer pause that is already running stays. After it calls
   * are spaced out, and come back to full speed call by call.
   */
  rateLimited(server: string, retryAfterMs: number | null): void {
    const calls = this.#callsOf(server)
    const now = this.#clock.now()
    calls.pausedUntil = Math.max(calls.pausedUntil, now + (retryAfterMs ?? 0))
    calls.interval = Math.min(longestIntervalMs, Math.max(firstIntervalMs, calls.interval * 2))
    calls.due = now + calls.interval
  }

  /** Counts a call and returns 0, or returns how long to wait before asking again, in milliseconds. */
  #take(server: string): number {
    const calls = this.#callsOf(server)
    const { callsPerMinute, callsPerDay } = this.#limitsOf(server)
    const now = this.#clock.now()
    if (now < calls.pausedUntil) return calls.pausedUntil - now
    if (calls.interval > 0 && now < calls.due) return calls.due - now
    if (callsPerDay !== null && this.#countOfDay(calls, now) >= callsPerDay)
      throw daySpent(server, callsPerDay)
    if (callsPerMinute !== null) {
      calls.recent = calls.recent.filter((time) => time > now - windowMs)
      const oldest = calls.recent[calls.recent.length - callsPerMinute]
      if (oldest !== undefined) return oldest + windowMs - now
      calls.recent.push(now)
    }
    calls.callsOfDay += 1
    calls.due = now + calls.interval
    calls.interval = calls.interval * 0.9 < shortestIntervalMs ? 0 : calls.interval * 0.9
    return 0
  }

  #countOfDay(calls: ServerCalls, now: number): number {
    const day = new Date(now).toISOString().slice(0, 10)
    if (day !== calls.day) {
      calls.day = day
      calls.callsOfDay = 0
    }
    return calls.callsOfDay
  }

  #callsOf(server: string): ServerCalls {
    const known = this.#servers.get(server)
    if (known) return known
    const calls = { recent: [], pausedUntil: 0, interval: 0, due: 0, day: '', callsOfDay: 0 }
    this.#servers.set(server, calls)
    return calls
  }
}

function daySpent(server: string, limit: number): RunError {
  return new RunError(
    'SOURCE_RATE_LIMITED',
    `the ${limit} calls a day of server "${server}" (limits.calls_per_day) are spent until 00:00 UTC`,
    {
      server,
      hint: `raise mcp_servers.${server}.limits.calls_per_day, or fetch less or larger pages`,
    },
  )
}
