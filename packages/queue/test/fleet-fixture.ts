import { randomBytes } from 'node:crypto'
import { type RedisServer, type RedisServerOptions, startRedis } from '@huntfleet/testing'
import { afterAll, afterEach } from 'vitest'
import { type FleetWorker, type FleetWorkerOptions, startFleetWorker } from '../src/fleet-worker.ts'
import { openProducer, type Producer } from '../src/producer.ts'
import { silentLog } from '../src/queue-log.ts'
import { fetched, planOf } from './worker-fakes.ts'

/** A Redis for a test file and a fleet of its own for each test. */
export async function fleetFixture(options: RedisServerOptions = {}) {
  const started = await startRedis(options)
  const skip = started.skipped !== undefined
  const redis: RedisServer | null = started.skipped === undefined ? started : null
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    redis?.thaw === undefined || options.own !== true || redis.thaw()
    // Workers before producers, the last opened first.
    for (const close of open.splice(0).reverse()) await close()
  })
  afterAll(() => redis?.stop())
  const settings = () => {
    if (redis === null) throw new Error('the test runs without Redis')
    return { url: redis.url, prefix: `{test-${randomBytes(4).toString('hex')}}` }
  }
  return {
    skip,
    settings,
    server(): RedisServer {
      if (redis === null) throw new Error('the test runs without Redis')
      return redis
    },
    onEnd: (close: () => Promise<void>): void => void open.push(close),
    async producer(
      redisSettings = settings(),
    ): Promise<Producer & { settings: ReturnType<typeof settings> }> {
      const producer = await openProducer({ redis: redisSettings })
      open.push(() => producer.close())
      return { ...producer, settings: redisSettings }
    },
    async worker(
      worker: Partial<FleetWorkerOptions> & Pick<FleetWorkerOptions, 'redis'>,
    ): Promise<FleetWorker> {
      const fleetWorker = await startFleetWorker({
        servers: [{ name: 'files', concurrency: 4 }],
        table: async (job) => fetched(job.spec),
        run: planOf(['events']),
        log: silentLog,
        timing: { backOffMs: 20 },
        ...worker,
      })
      open.push(() => fleetWorker.close(0))
      return fleetWorker
    },
  }
}

/** Fails a wait that takes too long. */
export const soon = (): AbortSignal => AbortSignal.timeout(15_000)

export type FleetFixture = Awaited<ReturnType<typeof fleetFixture>>
