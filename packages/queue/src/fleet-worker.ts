import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { type Job, Worker, type WorkerOptions } from 'bullmq'
import type { AbortReason } from './abort-reason.ts'
import { backOffMs } from './back-off.ts'
import { listenForCancels } from './cancel-run.ts'
import { checkRedis } from './check-redis.ts'
import { connectConsumer, connectProducer, type FleetRedis, type RedisSettings } from './connection.ts'
import { type DataWatch, watchData } from './data-name.ts'
import { createHeldJobs, type HeldJobs, type HeldPlace } from './held-jobs.ts'
import type { HuntSource } from './hunt-source.ts'
import type { JobEnvironment } from './job-environment.ts'
import { runOfRunJob, runOfTableJob } from './job-ids.ts'
import { watchLocks } from './lock-watchdog.ts'
import { processRunJob } from './process-run-job.ts'
import { processTableJob } from './process-table-job.ts'
import type { RunProcessor, TableProcessor } from './processors.ts'
import type { QueueLog } from './queue-log.ts'
import { runQueue, sourceQueue } from './queue-names.ts'
import type { RunNotes } from './run-notes.ts'
import { createSemaphore } from './semaphore.ts'
import { assertLimits, type SourceServer } from './source-queues.ts'
import type { SweepTiming } from './sweep-runs.ts'
import { type Sweeper, startSweeper } from './sweeper.ts'
import { startTickWorker, type TickWorker } from './tick-worker.ts'
import { registerWorker } from './worker-registry.ts'

export interface FleetWorkerOptions {
  redis: RedisSettings
  /** The servers of the project file; only their queues are served. */
  servers: readonly SourceServer[]
  /** Tables at the same time in this process, over all servers; default 8. */
  concurrency?: number
  table: TableProcessor
  run: RunProcessor
  /** The hunts of the project file; absent: this worker serves no schedules. */
  hunts?: HuntSource
  /** Where runs are noted outside of Redis; null or absent: nowhere, and runs that Redis loses are gone. */
  notes?: RunNotes | null
  log: QueueLog
  /** `queue.signing_key`; null or absent: payloads are not signed. */
  signingKey?: string | null
  /** Times in milliseconds; tests shorten them. */
  timing?: Partial<WorkerTiming>
}

export interface WorkerTiming extends SweepTiming {
  /**
   * How long a lock lives without renewal: the longest pause of this process that does not cost it its jobs, and most of
   * the time until the jobs of a killed worker go on elsewhere. Default 20 s.
   */
  lockMs: number
  /** How often the fleet looks for jobs without a lock. Default 5 s. */
  stalledMs: number
  /** Back-off of a table job before its second attempt. Default 30 s. */
  backOffMs: number
}

export interface FleetWorker {
  /** As in the registry and in `processedBy` of jobs. */
  readonly id: string
  /** Whether it takes jobs and Redis answers (within 2 s). */
  isReady(): Promise<boolean>
  /** Takes no job from now on, waits `graceMs` for those in hand, hands the rest back and disconnects. A second call waits for the first. */
  close(graceMs: number): Promise<void>
}

/** Runs are planned and finished beside the tables; they hold few resources. */
const runConcurrency = 4
/**
 * Crashes that one job survives. The default of 1 is too low for machines that are taken away at will; the count is for
 * the job's whole life and cannot be reset.
 */
const maxStalledCount = 3
/** Finished and failed jobs per minute are kept for a day. */
const metricsMinutes = 24 * 60
/** How long a closing worker waits for its jobs to be handed back, and then for a Redis that does not answer. */
const closeDeadlineMs = 2_500
const goodbyeMs = 500
const readyDeadlineMs = 2_000

/**
 * Starts serving the run queue and the queues of the given servers.
 * A job may be taken although all slots of the process are busy; it then waits with its lock renewed, and holds one of
 * its server's slots meanwhile. The fleet stays within every limit, at worst some of it idles.
 * Throws `RunError` QUEUE_UNREACHABLE when Redis does not answer at the start; later outages are waited out.
 */
export async function startFleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { log } = options
  await requireRedis(options.redis, log)
  const fleet = connectConsumer(options.redis, (error) => log.warn('Redis', { error: error.message }))
  const shutdown = new AbortController()
  const held = createHeldJobs()
  const environment: JobEnvironment = {
    fleet,
    signingKey: options.signingKey ?? null,
    shutdown: shutdown.signal,
    log,
  }
  const id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  await assertLimits(fleet, options.servers)
  const data = await watchData(fleet, log)
  const sweeper = startSweeper({
    ...environment,
    run: options.run,
    notes: options.notes ?? null,
    data,
    timing: timingOf(options),
    servers: options.servers,
  })
  const reassert = (): void => {
    void assertLimits(fleet, options.servers).catch((error) => log.warn('limits', { error: String(error) }))
    // It may be another Redis than before, with other settings.
    void warnAboutRedis(fleet.redis, log).catch((error) => log.warn('Redis', { error: String(error) }))
    sweeper.soon()
  }
  fleet.redis.on('ready', reassert)
  const stopListening = await listenForCancels(fleet, held, log)
  const ticks = await startTicks(options, environment, id)
  const workers = startWorkers(options, environment, held, id, data, sweeper)
  if (ticks !== null) {
    const [runWorker] = workers
    runWorker?.on('completed', (job) => tellTicks(ticks, job))
    runWorker?.on('failed', (job) => tellTicks(ticks, job))
    workers.push(ticks.worker)
  }
  const stopWatches = workers.map((worker) => watchLocks(worker, held, timingOf(options).lockMs, log))
  await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  const servers = options.servers.map((server) => server.name)
  const entry = { id, host: hostname(), pid: process.pid, servers, startedAt: new Date().toISOString() }
  const unregister = await registerWorker(fleet, entry, (error) =>
    log.warn('heartbeat', { error: String(error) }),
  )
  log.info('worker ready', { worker: id, servers })
  const close = async (graceMs: number): Promise<void> => {
    ticks?.stop()
    const closing = Promise.all(workers.map((worker) => worker.close()))
    await within(graceMs, closing)
    const reason: AbortReason = 'SHUTDOWN'
    shutdown.abort(reason)
    const closed = await within(closeDeadlineMs, closing)
    for (const stop of stopWatches) stop()
    stopListening()
    const goodbye = fleet.redis.status === 'ready' ? unregister() : Promise.resolve()
    await within(goodbyeMs, Promise.all([sweeper.stop(), goodbye]))
    fleet.redis.off('ready', reassert)
    fleet.redis.disconnect()
    if (!closed) await abandon(workers, closing)
    log.info('worker closed', { worker: id, handedBack: closed })
  }
  let closed: Promise<void> | undefined
  return {
    id,
    isReady: async () => {
      if (closed !== undefined || !workers.every((worker) => worker.isRunning())) return false
      let answered = false
      const ping = fleet.redis.ping().then(() => {
        answered = true
      })
      await within(readyDeadlineMs, ping)
      return answered
    },
    close: (graceMs) => {
      closed ??= close(graceMs)
      return closed
    },
  }
}

/** Redis is away: the jobs in hand are taken over elsewhere when their locks have run out. */
async function abandon(workers: readonly Worker[], closing: Promise<unknown>): Promise<void> {
  for (const worker of workers) {
    // It may wait for a connection that never comes; what counts is that its sockets are closed.
    void worker
      .getBackend()
      .disconnect()
      .catch(() => {})
  }
  await within(goodbyeMs, closing)
}

async function requireRedis(settings: RedisSettings, log: QueueLog): Promise<void> {
  const { redis } = await connectProducer(settings)
  try {
    await warnAboutRedis(redis, log)
  } finally {
    redis.disconnect()
  }
}

async function warnAboutRedis(redis: FleetRedis['redis'], log: QueueLog): Promise<void> {
  for (const warning of (await checkRedis(redis)).warnings) log.warn(warning)
}

function timingOf({ timing }: FleetWorkerOptions): WorkerTiming {
  return {
    lockMs: 20_000,
    stalledMs: 5_000,
    backOffMs: 30_000,
    sweepMs: 30_000,
    vanishedMs: 60_000,
    graceMs: 60_000,
    ...timing,
  }
}

function startWorkers(
  options: FleetWorkerOptions,
  environment: JobEnvironment,
  held: HeldJobs,
  id: string,
  data: DataWatch,
  sweeper: Sweeper,
): Worker[] {
  const total = options.concurrency ?? 8
  const settings = workerSettings(options, environment.fleet, id)
  const { log } = environment
  const { run, servers, notes = null } = options
  const runs = { ...environment, run, servers, notes, data }
  const tables = { ...environment, table: options.table, slots: createSemaphore(total) }
  // BullMQ passes a signal only to processors with exactly three declared parameters.
  const runWorker: Worker = new Worker(
    runQueue,
    (job, token, signal) =>
      held.during(placeOf(runWorker, job, runOfRunJob), signal, (own) =>
        processRunJob(runs, job, token, own),
      ),
    { ...settings, concurrency: runConcurrency },
  )
  runWorker.on('failed', (job) => {
    if (job?.finishedOn === undefined) return
    sweeper.look(runOfRunJob(job.id ?? ''))
  })
  const tableWorkers = servers.map((server) => {
    const worker: Worker = new Worker(
      sourceQueue(server.name),
      (job, token, signal) =>
        held.during(placeOf(worker, job, runOfTableJob), signal, (own) =>
          processTableJob(tables, job, token, own),
        ),
      { ...settings, concurrency: Math.min(total, server.concurrency) },
    )
    return worker
  })
  const workers = [runWorker, ...tableWorkers]
  for (const worker of workers) report(worker, log)
  return workers
}

/** null: this worker serves no schedules. */
async function startTicks(
  { hunts, ...options }: FleetWorkerOptions,
  { fleet, signingKey, log }: JobEnvironment,
  id: string,
): Promise<TickWorker | null> {
  if (hunts === undefined || hunts.hunts.length === 0) return null
  const settings = workerSettings(options, fleet, id)
  const ticks = await startTickWorker({ fleet, signingKey, log, source: hunts }, settings)
  report(ticks.worker, log)
  return ticks
}

function tellTicks(ticks: TickWorker, job: Job | undefined): void {
  const hunt: unknown = job?.data?.hunt
  if (typeof hunt === 'string') ticks.runEnded(hunt)
}

function placeOf(worker: Worker, { id = '' }: Job, runOf: (jobId: string) => string): HeldPlace {
  return { worker, jobId: id, runId: runOf(id) }
}

function workerSettings(options: FleetWorkerOptions, fleet: FleetRedis, id: string): WorkerOptions {
  const timing = timingOf(options)
  return {
    connection: fleet.redis,
    prefix: fleet.keys.prefix,
    name: id,
    lockDuration: timing.lockMs,
    stalledInterval: timing.stalledMs,
    maxStalledCount,
    // No `maxStartedAttempts`: hand-backs and jobs of another version count as starts and must never fail a job.
    metrics: { maxDataPoints: metricsMinutes },
    settings: {
      backoffStrategy: (made, _type, error) => backOffMs(made, error, Math.random, timing.backOffMs),
    },
  }
}

function report(worker: Worker, log: QueueLog): void {
  worker.on('error', (error) => log.warn('worker', { queue: worker.name, error: error.message }))
  worker.on('stalled', (job) => log.warn('job of a dead worker taken over', { queue: worker.name, job }))
  worker.on('failed', (job, error) =>
    log.warn('job failed', { queue: worker.name, job: job?.id, error: error.message }),
  )
}

/** Waits for the work, but no longer than `ms`; false: it goes on. Its failure is no reason not to close. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const done = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([done, deadline])
  } finally {
    clearTimeout(timer)
  }
}
