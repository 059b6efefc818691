import { exitCodeOfRun, RunError } from '@huntfleet/contract'
import type { Producer, RunRecord } from '@huntfleet/queue'
import { watchInterruption } from './interruption.ts'
import { manifestOfRecord } from './manifest-of-record.ts'
import { createRunView } from './run-view.ts'
import type { Output } from './terminal/output.ts'

/**
 * Shows a run until it has ended: a live line per table on a terminal, plain lines elsewhere, or a line of JSON per
 * change. Resolves with its last record and the exit code that it means. Ctrl-C ends the following and not the run.
 */
export async function followRun(
  producer: Producer,
  runId: string,
  output: Output,
  json: boolean,
  mask: (text: string) => string,
): Promise<{ record: RunRecord; exitCode: number }> {
  const interruption = watchInterruption()
  const view = json ? jsonLines(output) : createRunView(mask)
  try {
    const record = await producer.waitForRun(runId, interruption.signal, { onProgress: view.update })
    view.update(record)
    return { record, exitCode: exitCodeOfRun(manifestOfRecord(record)) }
  } catch (thrown) {
    if (!interruption.signal.aborted) throw thrown
    throw new RunError('CANCELLED', `stopped following run ${runId}, which goes on`, {
      hint: `huntfleet runs show ${runId} --follow, or huntfleet runs cancel ${runId}`,
    })
  } finally {
    view.close()
    interruption.stop()
  }
}

/** A line of JSON for every change of the record. */
function jsonLines(output: Output): { update(record: RunRecord): void; close(): void } {
  let said = ''
  return {
    update(record) {
      const line = JSON.stringify(changeOf(record))
      if (line !== said) output.printJsonLine(changeOf(record))
      said = line
    },
    close: () => {},
  }
}

/** The parts of a record that change while it runs. */
function changeOf(record: RunRecord): object {
  const tables = Object.entries(record.tables).map(([table, { attempt, progress, entry }]) => {
    const rows = entry?.rows ?? Number(progress?.['rows'] ?? 0)
    const pages = entry?.pages ?? Number(progress?.['pages'] ?? 0)
    const calls = entry?.calls ?? Number(progress?.['calls'] ?? 0)
    return [
      table,
      { outcome: entry?.outcome ?? null, reason: entry?.reason ?? null, attempt, rows, pages, calls },
    ]
  })
  return {
    run_id: record.runId,
    status: record.status,
    retry: record.retry,
    finished_at: record.finishedAt,
    manifest: record.manifestKey,
    tables: Object.fromEntries(tables),
  }
}
