import { z } from 'zod'
import type { FleetRedis } from './connection.ts'
import { parseJson } from './parse-json.ts'

/** Which workers live and what they serve. Redis counts the time, so the clocks of the machines do not matter. */

const workerSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  servers: z.array(z.string()),
  startedAt: z.string(),
})
export type LiveWorker = z.infer<typeof workerSchema>

/** A worker that missed two heartbeats is dead. */
const heartbeatMs = 10_000
const deadAfterMs = 25_000

/**
 * Says again and again that a worker lives, until the returned function is called. The first word has been said when
 * this resolves.
 */
export async function registerWorker(
  fleet: FleetRedis,
  worker: LiveWorker,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const { redis, keys } = fleet
  const beat = async (): Promise<void> => {
    await redis
      .multi()
      .set(keys.worker(worker.id), JSON.stringify(worker), 'PX', deadAfterMs)
      .sadd(keys.workers, worker.id)
      .exec()
  }
  await beat()
  const timer = setInterval(() => void beat().catch(onError), heartbeatMs)
  return async () => {
    clearInterval(timer)
    await redis.multi().del(keys.worker(worker.id)).srem(keys.workers, worker.id).exec()
  }
}

/** The workers that live now, by id. */
export async function liveWorkers({ redis, keys }: FleetRedis): Promise<LiveWorker[]> {
  const ids = (await redis.smembers(keys.workers)).sort()
  if (ids.length === 0) return []
  const texts = await redis.mget(ids.map((id) => keys.worker(id)))
  const dead = ids.filter((_, index) => texts[index] === null)
  if (dead.length > 0) await redis.srem(keys.workers, ...dead)
  return texts.flatMap((text) => {
    const parsed = workerSchema.safeParse(parseJson(text))
    return parsed.success ? [parsed.data] : []
  })
}

/** Those of the servers that no live worker serves: their tables would wait. */
export async function unservedServers(fleet: FleetRedis, servers: readonly string[]): Promise<string[]> {
  const served = new Set((await liveWorkers(fleet)).flatMap((worker) => worker.servers))
  return [...new Set(servers)].filter((server) => !served.has(server))
}
