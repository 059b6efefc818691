import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/ports.ts'

/** The machine's time, for tests that talk to real processes and sockets. */
export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await delay(ms, undefined, { signal }).catch(() => {
      throw signal.reason
    })
  },
  after(ms, action) {
    const timer = setTimeout(action, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
