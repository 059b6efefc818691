import { hasFile, RunError, type TableEntry, type TableSpec, toRunError } from '@huntfleet/contract'
import { Budget } from './budget.ts'
import { fetchTable } from './fetch-table.ts'
import { publishTable } from './publish-table.ts'
import { CheckpointUnusable, openStaging, type Staging } from './staging.ts'
import { StartOver } from './start-over.ts'
import { TableCheckpoint } from './table-checkpoint.ts'
import { incompleteAsFailure, lostAsFailure } from './table-end.ts'
import { entryOf, footerOf } from './table-entry.ts'
import type { TablePorts } from './table-ports.ts'

/**
 * Runs one table from MCP server to object, from where its checkpoint stands. Resolves with its manifest entry whatever
 * happened to the source; nothing is visible in the store before the whole file is. Throws SHUTDOWN and LOCK_LOST
 * (someone else will run the table), sink errors, and, with a checkpoint and attempts left, errors of the source that
 * the table's job is tried again for.
 */
export async function runTable(spec: TableSpec, ports: TablePorts): Promise<TableEntry> {
  const checkpoint = await TableCheckpoint.open(spec, ports)
  const { saved } = checkpoint
  if (saved !== null) {
    const { rows, pages, savedAt } = saved.state
    ports.logger.info('the table goes on from its checkpoint', { table: spec.table, rows, pages, savedAt })
  }
  // The budget pays for the source, not for our storage.
  const budget = new Budget(spec.budget, ports.clock, saved?.state.budget)
  try {
    for (;;) {
      const entry = await stageTable(spec, ports, budget, checkpoint)
      if (entry !== null) return entry
    }
  } catch (thrown) {
    const error = toRunError(thrown)
    if (error.code !== 'LOCK_LOST') await checkpoint.givenBack(budget)
    throw thrown
  }
}

/** Stages the table; null: it is to begin again from nothing. */
async function stageTable(
  spec: TableSpec,
  ports: TablePorts,
  budget: Budget,
  checkpoint: TableCheckpoint,
): Promise<TableEntry | null> {
  let staging: Staging | null = null
  try {
    staging = await budget.uncounted(() => openStaging(spec, ports, checkpoint))
    const { pipeline, file, ledger } = staging
    const fetched = await fetchTable(spec, ports, budget, staging, checkpoint)
    const durationMs = budget.spentMs
    const end = lostAsFailure(pipeline.failure, incompleteAsFailure(spec, fetched))
    const { attempt } = file
    const facts = { counts: await pipeline.counts(), budget, attempt, durationMs, ledger }
    const entry = entryOf(spec, end, facts, ports)
    if (!hasFile(end.outcome)) await file.abort()
    else await pipeline.finish(footerOf(spec, entry))
    return hasFile(end.outcome) ? await publishTable(entry, spec, staging, ports) : entry
  } catch (error) {
    await staging?.file.abort()
    const again = startingOver(error, spec, ports, checkpoint)
    if (again === null) throw error
    budget.pages = 0
    await budget.uncounted(() => checkpoint.startOver(again, budget))
    return null
  } finally {
    staging?.pipeline.close()
  }
}

/** Why the table begins again from nothing; null: it does not. */
function startingOver(
  error: unknown,
  { table }: TableSpec,
  { logger, mask }: TablePorts,
  checkpoint: TableCheckpoint,
): { note: string; once: boolean } | null {
  const again = 'the table began again from nothing'
  if (error instanceof StartOver) {
    const { savedAt } = checkpoint.saved?.state ?? {}
    const note = `the table was taken over from a checkpoint of ${savedAt}, and the source no longer knew its cursor: ${again}`
    return { note, once: true }
  }
  const why = error instanceof Error ? mask(error.message) : ''
  if (error instanceof CheckpointUnusable) {
    logger.warn('the checkpoint cannot be used: the table begins again', { table, why })
    return { note: `a checkpoint could not be used (${why}): ${again}`, once: false }
  }
  if (error instanceof RunError && error.code === 'PIECE_LOST' && !checkpoint.startedOver) {
    logger.warn('a piece of the table is lost: it begins again', { table, why })
    return { note: `a piece of the table was lost before it was whole: ${again}`, once: true }
  }
  return null
}
