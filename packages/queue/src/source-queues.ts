import { serverName } from '@huntfleet/contract'
import type { FleetRedis } from './connection.ts'
import { openQueue } from './open-queue.ts'
import { runQueue, sourceQueue, tickQueue } from './queue-names.ts'

/** A server as a worker's project file has it. */
export interface SourceServer {
  name: string
  /** Tables fetched at the same time, over all workers of the fleet. */
  concurrency: number
}

/** Makes servers known to dashboards, which find the queues that appear after they started in this set. */
export async function announceSources(
  { redis, keys }: FleetRedis,
  servers: readonly string[],
): Promise<void> {
  if (servers.length > 0) await redis.sadd(keys.sources, ...servers)
}

/** The names of all queues that the fleet has or once had, in a stable order. */
export async function listQueues({ redis, keys }: FleetRedis): Promise<string[]> {
  const servers = (await redis.smembers(keys.sources)).filter((name) => serverName.safeParse(name).success)
  return [tickQueue, runQueue, ...servers.sort().map(sourceQueue)]
}

/**
 * Sets the limits of the servers' queues, which hold over all workers. Asserted at start, at each reconnect and before
 * a run's tables are queued, because a Redis that lost its data, or an obliterated queue, has forgotten them.
 */
export async function assertLimits(fleet: FleetRedis, servers: readonly SourceServer[]): Promise<void> {
  await announceSources(
    fleet,
    servers.map((server) => server.name),
  )
  for (const server of servers) {
    const queue = openQueue(fleet, sourceQueue(server.name))
    try {
      await queue.setGlobalConcurrency(server.concurrency)
    } finally {
      await queue.close()
    }
  }
}
