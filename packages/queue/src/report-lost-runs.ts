import { isLostData } from './data-name.ts'
import { isOverdue } from './run-deadline.ts'
import { headOf } from './run-head.ts'
import type { RunNote } from './run-notes.ts'
import { hasEnded } from './run-record.ts'
import { createRunRecord, getRun } from './run-store.ts'
import type { SweepEnvironment } from './sweep-runs.ts'

/**
 * A note whose run Redis does not know belongs to data that was lost, or to another fleet in the same storage. Where
 * nobody saw the data go, the run's deadline decides, and an hour for clocks and for its manifest.
 */
const patienceMs = 3_600_000

/**
 * Takes runs that Redis has lost back into its records, from the notes outside of it, so that they can be ended as what
 * they are. Notes of runs that have ended are removed.
 */
export async function reportLostRuns(environment: SweepEnvironment): Promise<void> {
  const { notes, log, shutdown } = environment
  if (notes === null) return
  const open = await notes.list().catch((error) => {
    log.warn('cannot list the notes of runs', { error: String(error) })
    return []
  })
  for (const note of open) {
    if (shutdown.aborted) return
    await look(environment, note).catch((error) =>
      log.warn('cannot look after a lost run', { run: note.job.runId, error: String(error) }),
    )
  }
}

async function look({ fleet, notes, log }: SweepEnvironment, note: RunNote): Promise<void> {
  const { runId, retry } = note.job
  const record = await getRun(fleet, runId)
  if (record !== null) {
    const isOver = hasEnded(record.status) && record.status !== 'pending' && record.retry >= retry
    if (isOver) await notes?.end(note.job)
    return
  }
  if (!(await isLostData(fleet, note.data)) && !isOverdue(note.deadlineAt, patienceMs)) return
  log.warn('a run was lost with the data of Redis', { run: runId })
  const head = { ...headOf(note.job), queuedAt: note.startedAt }
  const deadlineAt = note.deadlineAt ?? note.startedAt
  // From here on it is a run whose job is gone, and the next sweep ends it as one.
  await createRunRecord(fleet, { head, retry, deadlineAt, sealed: note.sealed ?? {} })
}
