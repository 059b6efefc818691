import { errorCodes, RunError, type TableEntry } from '@huntfleet/contract'
import type { Job } from 'bullmq'
import { abortError } from './abort-reason.ts'
import type { FleetRedis } from './connection.ts'
import { entryOfFailure } from './entry-of-failure.ts'
import { openQueue } from './open-queue.ts'
import { sourceQueue } from './queue-names.ts'
import type { RunRecord, TableFacts } from './run-record.ts'
import { tableJobId } from './table-facts.ts'

/**
 * The entries of all tables of a run whose children have ended. A table without an entry of its own gets one that says
 * why: its run was cancelled, its worker died too often, or its job is gone. None is left out.
 */
export async function collectEntries(
  fleet: FleetRedis,
  run: Job,
  record: RunRecord,
  cancelled: boolean,
): Promise<Record<string, TableEntry>> {
  const failures = await run.getFailedChildrenValues()
  const entries: [string, TableEntry][] = []
  for (const [table, state] of Object.entries(record.tables)) {
    if (state.entry !== null) {
      entries.push([table, state.entry])
    } else if (state.facts !== null) {
      const suffix = `:${tableJobId(record.runId, table)}`
      const failure = Object.entries(failures).find(([key]) => key.endsWith(suffix))?.[1]
      const error = await errorOf(fleet, record.runId, table, state.facts, failure, cancelled)
      entries.push([
        table,
        entryOfFailure(state.facts, error.code === 'CANCELLED' ? 'cancelled' : 'failed', error),
      ])
    }
  }
  return Object.fromEntries(entries)
}

async function errorOf(
  fleet: FleetRedis,
  runId: string,
  table: string,
  facts: TableFacts,
  failure: string | undefined,
  cancelled: boolean,
): Promise<RunError> {
  const context = { table, server: facts.server }
  if (failure === undefined) {
    if (cancelled) return abortError('CANCELLED').with(context)
    return new RunError('INTERNAL', `the job of table ${table} is gone from its queue`, {
      ...context,
      hint: 'it was removed by hand, or Redis lost data; run the hunt again',
    })
  }
  // Written by `toBullmqError`.
  const [code, ...words] = failure.split(': ')
  const known = errorCodes.find((candidate) => candidate === code)
  if (known !== undefined) return new RunError(known, words.join(': '), context)
  const deaths = await stallsOf(fleet, runId, table, facts)
  if (deaths === 0) return new RunError('INTERNAL', `the job of table ${table} failed: ${failure}`, context)
  return new RunError('INTERNAL', `the worker died ${deaths} times while it fetched table ${table}`, {
    ...context,
    hint: 'look for out-of-memory kills in the workers’ logs; lower max_rows or page_size of this table',
  })
}

async function stallsOf(fleet: FleetRedis, runId: string, table: string, facts: TableFacts): Promise<number> {
  const queue = openQueue(fleet, sourceQueue(facts.server))
  try {
    const job: Job | undefined = await queue.getJob(tableJobId(runId, table))
    return job?.stalledCounter ?? 0
  } finally {
    await queue.close()
  }
}
