import { setTimeout as wait } from 'node:timers/promises'
import { DelayedError, type Job, Worker, type WorkerOptions } from 'bullmq'
import { failHunt, type HuntEnvironment } from './hunt-advance.ts'
import { createHuntLook, type HuntLook } from './hunt-look.ts'
import { redisNow } from './hunt-store.ts'
import { tickQueue } from './queue-names.ts'
import { triggerHunt } from './schedule-control.ts'
import { lookMs } from './schedule-outages.ts'
import { tickJobSchema } from './tick-job.ts'
import { nextTick } from './tick-time.ts'

/** Serves the ticks of hunts, and looks at the hunts regularly. */
export interface TickWorker {
  readonly worker: Worker
  /** To be told when a run has ended: another slot of its hunt may wait for it. */
  runEnded(hunt: string): void
  /** Ends the regular looks; the worker is closed like others. */
  stop(): void
}

const concurrency = 5
/** BullMQ lets jobs of schedulers kill workers without end; so many starts are enough for one. */
const mostStarts = 5
/** A tick of a hunt that another worker's project file has is left for that one. */
const otherWorkerMs = 2_000
/** Clocks of machines differ by little; a tick that comes too early by more is made good by the regular look. */
const longestWaitMs = 2_000

export async function startTickWorker(
  environment: HuntEnvironment,
  settings: WorkerOptions,
): Promise<TickWorker> {
  const { log } = environment
  const look = await createHuntLook(environment)
  const worker: Worker = new Worker(tickQueue, (job) => processTick(environment, look, job), {
    ...settings,
    settings: { ...settings.settings, repeatStrategy: nextTick },
    concurrency,
    maxStartedAttempts: mostStarts,
  })
  let looking = false
  const lookNow = (): void => {
    if (looking) return
    looking = true
    void look
      .look()
      .catch((error) => log.warn('schedules', { error: String(error) }))
      .finally(() => {
        looking = false
      })
  }
  lookNow()
  const timer = setInterval(lookNow, lookMs)
  return {
    worker,
    runEnded: (hunt) =>
      void look.advance(hunt).catch((error) => log.warn('hunt', { hunt, error: String(error) })),
    stop: () => clearInterval(timer),
  }
}

async function processTick(environment: HuntEnvironment, look: HuntLook, job: Job): Promise<void> {
  const { fleet, source } = environment
  const { hunt, wake } = tickJobSchema.parse(job.data)
  if (!source.hunts.some(({ name }) => name === hunt)) return leave(environment, hunt, job)
  // Bull Board's "run now" copies the scheduler's template: a job that neither a scheduler nor we made.
  if (job.repeatJobKey === undefined && !wake) await triggerHunt(fleet, hunt, job.timestamp)
  const early = (job.opts.prevMillis ?? 0) - (await redisNow(fleet))
  if (early > 0 && early <= longestWaitMs) await wait(early)
  await look.advance(hunt)
}

/** Leaves a tick to a worker that has the hunt; when none takes it, the slots that are due fail. */
async function leave(environment: HuntEnvironment, hunt: string, job: Job): Promise<void> {
  if (job.attemptsStarted < mostStarts && job.token !== undefined) {
    await job.moveToDelayed(Date.now() + otherWorkerMs, job.token)
    throw new DelayedError()
  }
  await failHunt(environment, hunt, `no worker took it: none has a hunt ${hunt} in its huntfleet.yaml`)
}
