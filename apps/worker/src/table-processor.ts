import { fromErrorDocument, retriesJob } from '@huntfleet/contract'
import {
  type Logger,
  runTable,
  type Sources,
  systemClock,
  type TablePorts,
  type TableProgress,
} from '@huntfleet/engine'
import type { TableProcessor } from '@huntfleet/queue'
import { latestOnly } from './latest-only.ts'
import { type CheckpointSettings, workerCheckpoint } from './worker-checkpoint.ts'
import { checkPrefixes, type WorkerStore } from './worker-store.ts'

export interface TableProcessorOptions {
  sources: Sources
  store: WorkerStore
  compression: TablePorts['compression']
  logger: Logger
  checkpoint: CheckpointSettings
}

/** Progress is for people: more often than this it only costs. */
const progressMs = 500

/** Carries out a table job: from the server that the spec names to one object in this worker's storage. */
export function tableProcessor({
  sources,
  store,
  compression,
  logger,
  checkpoint,
}: TableProcessorOptions): TableProcessor {
  return async (job, context) => {
    const { spec, storage, runId } = job
    checkPrefixes(spec, storage.layout)
    const target = await store.of(storage)
    const kept = workerCheckpoint(checkpoint, job, context, target, logger)
    const progress = latestOnly<TableProgress>(progressMs, (latest) => {
      // A progress that cannot be written is no reason to stop; a lost lock reaches us through the signal.
      context.progress({ ...latest }).catch(() => {})
    })
    const entry = await runTable(spec, {
      ...sources,
      store: target,
      clock: systemClock,
      logger,
      random: Math.random,
      signal: context.signal,
      attempt: context.attempt,
      lastAttempt: context.lastAttempt,
      ...(kept !== null && { checkpoint: kept }),
      compression,
      ...(context.budget !== null && { runBudget: context.budget }),
      onProgress: progress.say,
    }).finally(() => progress.stop())
    const facts = {
      run: runId,
      table: spec.table,
      outcome: entry.outcome,
      rows: entry.rows,
      attempt: context.attempt,
    }
    logger.info('table ended', { ...facts, reason: entry.reason })
    await context.log(`${entry.outcome}: ${entry.rows} rows; ${entry.reason}`)
    // The first page failed for a reason that may pass: the job is tried again, as long as it has attempts left.
    if (
      entry.outcome === 'failed' &&
      entry.error !== null &&
      retriesJob(entry.error.code) &&
      !context.lastAttempt
    ) {
      throw fromErrorDocument(entry.error)
    }
    return entry
  }
}
