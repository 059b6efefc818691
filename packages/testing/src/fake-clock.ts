/** A timer that has not run yet. */
interface Timer {
  at: number
  action: () => void
}

/** Time that stands still until a test moves it. It fits the engine's `Clock`. */
export class FakeClock {
  #now: number
  readonly #timers = new Set<Timer>()

  /** `now` is the start, in milliseconds since the epoch. */
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  /** How many timers wait; zero at the end of a test that cleans up behind itself. */
  get pending(): number {
    return this.#timers.size
  }

  /** Resolves once time has moved by `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const cancel = this.after(ms, () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = () => {
        cancel()
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Calls `action` once time has moved by `ms`, unless the returned function is called first. */
  after(ms: number, action: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), action }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /**
   * Moves time by `ms` and runs what falls due, in order. Between two timers the promises that hang on the first get
   * their turn, so that a loop of sleeps runs as it would in real time.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (let due = this.#nextDue(end); due !== undefined; due = this.#nextDue(end)) {
      this.#timers.delete(due)
      this.#now = due.at
      due.action()
      await settled()
    }
    this.#now = end
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }
}

/** One turn of the event loop: every promise that can settle by itself has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
