import {
  type HuntSource,
  type QueueLog,
  type RedisSettings,
  type RunNotes,
  type RunProcessor,
  type SourceServer,
  startFleetWorker,
  type TableProcessor,
  type WorkerTiming,
} from '@huntfleet/queue'
import { type HealthAddress, startHealth } from './health.ts'

export interface StartWorkerOptions {
  redis: RedisSettings
  /** The servers of the project file with their limits; a worker takes tables of no other server. */
  servers: readonly SourceServer[]
  /** Tables at the same time in this process, over all servers; default 8. */
  concurrency?: number
  table: TableProcessor
  run: RunProcessor
  /** The hunts of the project file; absent: none. */
  hunts?: HuntSource
  /** Where runs are noted outside of Redis; null or absent: nowhere. */
  notes?: RunNotes | null
  logger: QueueLog
  /** How long tables in hand may go on when the worker is told to end, in milliseconds; default 0. */
  graceMs?: number
  /** `queue.signing_key`; null or absent: payloads are not signed. */
  signingKey?: string | null
  /** Where to answer `GET /healthz`; null or absent: nowhere. */
  health?: HealthAddress | null
  /** Times that tests shorten; see `WorkerTiming`. */
  timing?: Partial<WorkerTiming>
}

export interface RunningWorker {
  readonly id: string
  /** URL of `/healthz`; null: there is none. */
  readonly healthUrl: string | null
  /** Takes no more jobs, waits the grace, hands the rest back. Safe to call again. */
  close(reason: string): Promise<void>
}

/**
 * Starts a worker of the fleet. Throws `RunError` QUEUE_UNREACHABLE when Redis does not answer; later outages are
 * waited out. The caller decides what ends it, see `closeOnSignals`.
 */
export async function startWorker(options: StartWorkerOptions): Promise<RunningWorker> {
  const { logger, graceMs = 0, signingKey = null } = options
  const worker = await startFleetWorker({
    redis: options.redis,
    servers: options.servers,
    concurrency: options.concurrency ?? 8,
    table: options.table,
    run: options.run,
    ...(options.hunts !== undefined && { hunts: options.hunts }),
    notes: options.notes ?? null,
    log: logger,
    signingKey,
    timing: options.timing ?? {},
  })
  let ready = true
  const isReady = async (): Promise<boolean> => ready && (await worker.isReady())
  const health = options.health == null ? null : await startHealth(options.health, isReady)
  return {
    id: worker.id,
    healthUrl: health?.url ?? null,
    close: async (reason) => {
      if (ready) logger.info('worker closes', { worker: worker.id, reason, graceMs })
      ready = false
      await worker.close(graceMs)
      await health?.close()
    },
  }
}
