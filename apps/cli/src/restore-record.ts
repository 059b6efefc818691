import { storageTarget } from '@huntfleet/contract'
import type { Producer } from '@huntfleet/queue'
import { openStore, readManifest } from '@huntfleet/storage'
import type { ProjectContext } from './project-context.ts'

/**
 * Restores the record of a run that Redis does not have any more, from its manifest and its payload. false: one of them
 * is gone as well.
 */
export async function restoreRecord(
  producer: Producer,
  runId: string,
  { project, masker }: ProjectContext,
): Promise<boolean> {
  const payload = await producer.runPayload(runId)
  if (payload === null) return false
  // Endpoint and credentials are ours; the run may have written to a folder of its own.
  const own = storageTarget(project, process.env, masker)
  const store = await openStore({ ...own, url: payload.storage.url })
  try {
    const manifest = await readManifest(store, String(payload.bundle.contract['name']), runId)
    if (manifest === null) return false
    await producer.restoreRun(manifest)
    return true
  } finally {
    await store.close()
  }
}
