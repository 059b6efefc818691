import type { RunJob } from '@huntfleet/contract'
import type { RunHead } from './run-record.ts'

/** The part of a run's record that never changes, queued now. */
export function headOf(job: RunJob): RunHead {
  const { name, version } = job.bundle.contract
  return {
    runId: job.runId,
    strategy: typeof name === 'string' ? name : 'unknown',
    version: typeof version === 'string' || typeof version === 'number' ? String(version) : '',
    hunt: job.hunt,
    params: job.params,
    scheduledAt: job.scheduledAt,
    window: job.window,
    storage: job.storage.url,
    queuedAt: new Date().toISOString(),
  }
}

/** What the dashboard shows as the job's name. */
export function nameOf(job: RunJob): string {
  return job.hunt ?? headOf(job).strategy
}
