import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './ports.ts'

/** Node's timers count in 32 bits; longer waits would end at once. */
const longestTimer = 2 ** 31 - 1

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal.throwIfAborted()
    try {
      await sleep(Math.min(Math.max(0, ms), longestTimer), undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  },
  after(ms, action) {
    const timer = setTimeout(action, Math.min(Math.max(0, ms), longestTimer))
    // A wait of ours must not keep a finished process alive.
    timer.unref()
    return () => clearTimeout(timer)
  },
}
