import {
  ledgerInManifest,
  type PageEntry,
  type TableEntry,
  type TableSpec,
  toRunError,
} from '@huntfleet/contract'
import type { TableFile } from './table-file.ts'
import type { TablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'

/** Makes the table visible: rejects and ledger first, the data last. */
export async function publishTable(
  entry: TableEntry,
  spec: TableSpec,
  { pipeline, ledger, file }: { pipeline: TablePipeline; ledger: readonly PageEntry[]; file: TableFile },
  ports: TablePorts,
): Promise<TableEntry> {
  const { attempt } = entry
  const options = { createOnly: true, metadata: { attempt: attempt ?? '' } }
  const beside: string[] = []
  const putBeside = async (key: string, body: Uint8Array): Promise<string> => {
    beside.push(key)
    await ports.store.put(key, body, options)
    return key
  }
  try {
    refuseToCommit(ports.signal)
    let rejectsPath: string | null = null
    if (entry.rejects > 0) {
      const facts = { 'huntfleet.run_id': spec.runId, 'huntfleet.table': spec.table }
      const body = await pipeline.rejectsFile(facts)
      rejectsPath = await putBeside(`${spec.rejectsPrefix}/${attempt}.parquet`, body)
    }
    let ledgerPath: string | null = null
    if (ledger.length > ledgerInManifest) {
      const key = `_runs/strategy=${spec.strategy}/run=${spec.runId}/${spec.table}.${attempt}.ledger.ndjson`
      const lines = ledger.slice(ledgerInManifest).map((line) => JSON.stringify(line))
      ledgerPath = await putBeside(key, new TextEncoder().encode(`${lines.join('\n')}\n`))
    }
    refuseToCommit(ports.signal)
    const stored = await file.commit()
    return {
      ...entry,
      bytes: stored.bytes,
      path: stored.key,
      sha256: stored.sha256,
      rejects_path: rejectsPath,
      ledger_path: ledgerPath,
    }
  } catch (error) {
    // Nobody will ever ask for what belongs to a table that is not there.
    for (const key of beside) await ports.store.delete(key).catch(() => {})
    throw error
  }
}

/** Who has lost the table, or is about to hand it back, must not make anything of it visible. */
function refuseToCommit(signal: AbortSignal): void {
  if (!signal.aborted) return
  const reason = toRunError(signal.reason)
  // Rows so far are kept of a run that was cancelled or has reached its deadline.
  if (reason.code !== 'CANCELLED' && reason.code !== 'BUDGET_SPENT') throw reason
}
