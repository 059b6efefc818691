import { assertLimits, type SourceServer } from './source-queues.ts'
import { type SweepEnvironment, sweepRun, sweepRuns } from './sweep-runs.ts'

/** Looks after runs again and again while a worker lives. */
export interface Sweeper {
  /** Looks after one run now, because its job failed. */
  look(runId: string): void
  /** The connection is back: looks after all runs now. */
  soon(): void
  /** Ends the looking; resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface SweeperEnvironment extends SweepEnvironment {
  /** Whose limits are set again: an obliterated queue has forgotten its own. */
  readonly servers: readonly SourceServer[]
}

export function startSweeper(environment: SweeperEnvironment): Sweeper {
  const { fleet, log, servers, timing } = environment
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let work: Promise<void> = Promise.resolve()
  /** One after the other: while Redis is away nothing piles up behind it. */
  const enqueue = (task: () => Promise<void>): void => {
    work = work.then(async () => {
      if (isStopped) return
      await task().catch((error) => log.warn('sweep', { error: String(error) }))
    })
  }
  const sweep = async (): Promise<void> => {
    await assertLimits(fleet, servers)
    await sweepRuns(environment)
  }
  const schedule = (): void => {
    timer = setTimeout(() => {
      enqueue(sweep)
      work.then(() => {
        if (!isStopped) schedule()
      })
    }, timing.sweepMs)
  }
  schedule()
  return {
    look: (runId) => enqueue(() => sweepRun(environment, runId)),
    soon: () => enqueue(sweep),
    stop() {
      isStopped = true
      clearTimeout(timer)
      return work
    },
  }
}
