import type { ProjectText, TableJob } from '@huntfleet/contract'
import { type Checkpoint, type Logger, storageCheckpoint } from '@huntfleet/engine'
import { type TableContext, tableJobId } from '@huntfleet/queue'
import type { ObjectStore } from '@huntfleet/storage'

/** Where this worker keeps the checkpoints of its tables: `queue.checkpoint`, signed with `queue.signing_key`. */
export interface CheckpointSettings {
  mode: ProjectText['queue']['checkpoint']
  signingKey: string | null
}

/** The checkpoint of a table; null: none is kept. */
export function workerCheckpoint(
  { mode, signingKey }: CheckpointSettings,
  { spec, runId, retry }: TableJob,
  context: TableContext,
  store: ObjectStore,
  logger: Logger,
): Checkpoint | null {
  const { checkpoint, afterStored, isOurs, generation } = context
  if (mode === 'off') return null
  if (mode === 'redis') return { ...checkpoint, afterStored }
  const jobId = tableJobId(runId, spec.table, retry)
  return storageCheckpoint({ store, spec, jobId, generation, signingKey, isOurs, logger, afterStored })
}
