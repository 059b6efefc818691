import { errorCodes, RunError, type TableEntry } from '@huntfleet/contract'
import type { Job } from 'bullmq'
import { abortError } from './abort-reason.ts'
import type { FleetRedis } from './connection.ts'
import { entryOfFailure } from './entry-of-failure.ts'
import { tableJobId } from './job-ids.ts'
import { keepBetter } from './keep-better.ts'
import { openQueue } from './open-queue.ts'
import { sourceQueue } from './queue-names.ts'
import { deadlineError, isOverdue } from './run-deadline.ts'
import { type RunRecord, type TableFacts, tableField } from './run-record.ts'

/**
 * The entries of all tables of a run whose children have ended. A table without an entry of its own gets one that says
 * why: its run was cancelled, its worker died too often, or its job is gone. None is left out.
 */
export async function collectEntries(
  fleet: FleetRedis,
  run: Job | null,
  record: RunRecord,
  cancelled: boolean,
): Promise<Record<string, TableEntry>> {
  const failures = (await run?.getFailedChildrenValues()) ?? {}
  const entries: [string, TableEntry][] = []
  for (const [table, state] of Object.entries(record.tables)) {
    if (state.entry !== null) {
      entries.push([table, state.entry])
    } else if (state.facts !== null) {
      const jobId = tableJobId(record.runId, table, record.retry)
      const failure = Object.entries(failures).find(([key]) => key.endsWith(`:${jobId}`))?.[1]
      const error = (await errorOf(fleet, record, table, state.facts, failure, cancelled)).with({
        table,
        server: state.facts.server,
      })
      const made = entryOfFailure(state.facts, error.code === 'CANCELLED' ? 'cancelled' : 'failed', error)
      entries.push([table, keepBetter(state.before, { ...made, retry: record.retry })])
    }
  }
  return Object.fromEntries(entries)
}

/** The fields of those entries that the record lacks. */
export function entryFields(
  entries: Readonly<Record<string, TableEntry>>,
  record: RunRecord,
): Record<string, string> {
  const made = Object.entries(entries).filter(([table]) => record.tables[table]?.entry == null)
  return Object.fromEntries(made.map(([table, entry]) => [tableField('entry', table), JSON.stringify(entry)]))
}

async function errorOf(
  fleet: FleetRedis,
  { runId, retry, deadlineAt }: RunRecord,
  table: string,
  facts: TableFacts,
  failure: string | undefined,
  cancelled: boolean,
): Promise<RunError> {
  if (failure === undefined) {
    if (cancelled) return abortError('CANCELLED')
    if (deadlineAt !== null && isOverdue(deadlineAt)) return deadlineError(deadlineAt)
    return new RunError('RUN_LOST', `the job of table ${table} is gone from its queue`, {
      hint: 'it was removed by hand, or Redis lost data; `huntfleet runs retry` fetches the table again',
    })
  }
  // Written by `toBullmqError`.
  const [code, ...words] = failure.split(': ')
  const known = errorCodes.find((candidate) => candidate === code)
  if (known !== undefined) return new RunError(known, words.join(': '))
  const deaths = await stallsOf(fleet, tableJobId(runId, table, retry), facts)
  if (deaths === 0) return new RunError('INTERNAL', `the job of table ${table} failed: ${failure}`)
  return new RunError('INTERNAL', `the worker died ${deaths} times while it fetched table ${table}`, {
    hint: 'look for out-of-memory kills in the workers’ logs; lower max_rows or page_size of this table',
  })
}

async function stallsOf(fleet: FleetRedis, jobId: string, facts: TableFacts): Promise<number> {
  const queue = openQueue(fleet, sourceQueue(facts.server))
  try {
    const job: Job | undefined = await queue.getJob(jobId)
    return job?.stalledCounter ?? 0
  } finally {
    await queue.close()
  }
}
