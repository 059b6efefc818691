import { Queue } from 'bullmq'
import type { FleetRedis } from './connection.ts'
import { nextTick } from './tick-time.ts'

/** A queue of the fleet for adding and reading; it shares the connection and does not close it. */
export function openQueue({ redis, keys }: FleetRedis, name: string): Queue {
  const queue = new Queue(name, {
    connection: redis,
    prefix: keys.prefix,
    // Without it `add` hangs for ever on a Redis that never was up (measured).
    skipWaitingForReady: true,
    // With the default of 10,000 events each queue takes 0.7 MB of Redis.
    streams: { events: { maxLen: 1_000 } },
    settings: { repeatStrategy: nextTick },
  })
  // The connection reports the same trouble; a queue without a listener would print it.
  queue.on('error', () => {})
  return queue
}
