import type { RunError } from '@huntfleet/contract'
import { abortError } from './abort-error.ts'

interface Waiter {
  limit: number
  grant(): void
  refuse(error: RunError): void
}

/** A number of slots and a line of those who wait for one: first come, first served. */
export class SlotQueue {
  #taken = 0
  readonly #waiters: Waiter[] = []

  /** Resolves once fewer than `limit` slots are taken; rejects when the signal aborts or the queue closes. */
  acquire(limit: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortError(signal))
    if (this.#taken < limit && this.#waiters.length === 0) {
      this.#taken += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(abortError(signal))
        // Whoever stood behind may fit now: limits can differ after a change of the config.
        this.#grantNext()
      }
      const waiter: Waiter = {
        limit,
        grant: () => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
        refuse: (error) => {
          signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.push(waiter)
    })
  }

  release(): void {
    this.#taken -= 1
    this.#grantNext()
  }

  /** Sends everyone away who waits. */
  close(error: RunError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(error)
  }

  #grantNext(): void {
    const next = this.#waiters[0]
    if (!next || this.#taken >= next.limit) return
    this.#waiters.shift()
    this.#taken += 1
    next.grant()
    this.#grantNext()
  }
}
