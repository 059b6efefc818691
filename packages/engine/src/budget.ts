import { type BudgetSpent, RunError, type TableSpec } from '@huntfleet/contract'
import type { Clock } from './ports.ts'

const nothing: BudgetSpent = { timeMs: 0, pages: 0, calls: 0, retries: 0, bytes: 0 }

/**
 * What a table may spend, over all its fetches and attempts: time from the first lease request to the last page
 * decoded (calls, back-off and waits for the source included), rows, bytes, pages and calls.
 */
export class Budget {
  readonly #limits: TableSpec['budget']
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #spentBeforeMs: number
  #uncountedMs = 0
  /** When work began that is not counted; null: none is under way. */
  #pausedAt: number | null = null
  pages: number
  calls: number
  retries: number
  bytes: number
  /** Why the run as a whole may make no more calls. */
  runLimit: string | undefined

  /** `before` is what earlier attempts have used. */
  constructor(limits: TableSpec['budget'], clock: Clock, before: BudgetSpent = nothing) {
    this.#limits = limits
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#spentBeforeMs = before.timeMs
    this.pages = before.pages
    this.calls = before.calls
    this.retries = before.retries
    this.bytes = before.bytes
  }

  get spentMs(): number {
    const now = this.#pausedAt ?? this.#clock.now()
    return this.#spentBeforeMs + (now - this.#startedAt) - this.#uncountedMs
  }

  /** All that is spent, for the next attempt. */
  get spent(): BudgetSpent {
    const { pages, calls, retries, bytes } = this
    return { timeMs: Math.max(0, this.spentMs), pages, calls, retries, bytes }
  }

  get leftMs(): number {
    return Math.max(0, this.#limits.timeMs - this.spentMs)
  }

  /** Does work that is not the source's (storing, uploading): its time is not counted. */
  async uncounted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pausedAt !== null) return await work()
    const startedAt = this.#clock.now()
    this.#pausedAt = startedAt
    try {
      return await work()
    } finally {
      this.#pausedAt = null
      this.#uncountedMs += this.#clock.now() - startedAt
    }
  }

  /** Throws BUDGET_SPENT when no time is left: nothing more is begun then. */
  refuseWhenSpent(): void {
    if (this.leftMs <= 0) throw this.spentError()
  }

  /** The error that ends a wait or a call when the time is spent. */
  spentError(): RunError {
    return new RunError('BUDGET_SPENT', `the time budget of ${this.#limits.timeMs / 1000} s is spent`, {
      hint: 'raise `budget` of the binding, narrow the query, or raise page_size',
    })
  }

  /** Which of `max_bytes`, `max_pages`, `max_calls` forbids another call; undefined when none does. */
  limitReached(): string | undefined {
    if (this.runLimit !== undefined) return this.runLimit
    const { maxBytes, maxPages, maxCalls } = this.#limits
    if (maxBytes !== null && this.bytes >= maxBytes)
      return `max_bytes (${maxBytes}) is reached: ${this.bytes} bytes came`
    if (maxPages !== null && this.pages >= maxPages) return `max_pages (${maxPages}) is reached`
    if (maxCalls !== null && this.calls >= maxCalls) return `max_calls (${maxCalls}) is reached`
    return undefined
  }

  /** Throws BUDGET_SPENT, with `limitReached` as its message, when another call is forbidden. */
  refuseAtLimit(): void {
    const limit = this.limitReached()
    if (limit !== undefined)
      throw new RunError('BUDGET_SPENT', limit, {
        hint: 'raise the limit in the binding or in run_limits, or narrow the query',
      })
  }

  /**
   * A signal that aborts with the caller's reason, or with BUDGET_SPENT when the time is up. `release` must be called
   * when the work is done: the caller's signal outlives it.
   */
  deadline(signal: AbortSignal): { signal: AbortSignal; release(): void } {
    const controller = new AbortController()
    const forward = () => controller.abort(signal.reason)
    if (signal.aborted) forward()
    else signal.addEventListener('abort', forward, { once: true })
    const cancelTimer = this.#clock.after(this.leftMs, () => controller.abort(this.spentError()))
    return {
      signal: controller.signal,
      release() {
        cancelTimer()
        signal.removeEventListener('abort', forward)
      },
    }
  }
}
