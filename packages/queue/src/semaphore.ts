/** A number of slots that are given out in the order of asking. */
export interface Semaphore {
  /** Waits for a slot; resolves with the function that gives it back. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>
}

export function createSemaphore(slots: number): Semaphore {
  let free = slots
  const waiting = new Set<() => void>()
  const releaseOnce = (): (() => void) => {
    let held = true
    return () => {
      if (!held) return
      held = false
      free++
      const [next] = waiting
      if (next !== undefined) next()
    }
  }
  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (free > 0) {
        free--
        return Promise.resolve(releaseOnce())
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(take)
          signal.removeEventListener('abort', abort)
        }
        const take = (): void => {
          leave()
          free--
          resolve(releaseOnce())
        }
        const abort = (): void => {
          leave()
          reject(signal.reason)
        }
        waiting.add(take)
        signal.addEventListener('abort', abort, { once: true })
      })
    },
  }
}
