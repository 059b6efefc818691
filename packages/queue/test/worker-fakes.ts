import { RunError, type RunJob, statusOf, type TableEntry, type TableSpec } from '@huntfleet/contract'
import { entryOfFailure } from '../src/entry-of-failure.ts'
import type { RunProcessor } from '../src/processors.ts'
import { factsOf } from '../src/table-facts.ts'

/** A run that fetches these tables; `finish` only sums up. */
export function planOf(tables: readonly (string | [table: string, server: string])[]): RunProcessor {
  return {
    plan: async (job) => ({
      specs: tables.map((table) =>
        typeof table === 'string' ? specOf(job.runId, table) : specOf(job.runId, ...table),
      ),
      entries: {},
    }),
    finish: async (job, entries) => ({
      status: statusOf(
        Object.values(entries).map((entry) => ({ outcome: entry.outcome, optional: entry.optional })),
        false,
      ),
      manifestKey: `_runs/${job.runId}/manifest.json`,
    }),
  }
}

export function runJob(runId: string, more: Partial<RunJob> = {}): RunJob {
  return {
    v: 1,
    runId,
    hunt: null,
    bundle: {
      folder: 'strategies/dns',
      contract: { name: 'dns', version: '1.2' },
      binding: null,
      hashes: { contract: 'c', binding: 'b' },
    },
    params: { days: 7 },
    scheduledAt: '2026-11-30T12:00:00.000Z',
    window: { start: null, end: null },
    storage: {
      url: 'file:///staging',
      endpoint: null,
      region: null,
      pathStyle: false,
      layout: '{run_id}/{table}',
    },
    tables: null,
    maxRows: null,
    require: 'any',
    retry: 1,
    deadlineMs: 86_400_000,
    budget: { maxBytes: null, maxPages: null, maxCalls: null },
    ...more,
  }
}

export function specOf(runId: string, table: string, server = 'files'): TableSpec {
  return {
    runId,
    strategy: 'dns',
    version: '1.2',
    table,
    server,
    tool: 'search',
    optional: false,
    columns: [
      {
        name: 'id',
        type: 'VARCHAR',
        required: false,
        format: null,
        timezone: null,
        round: 'reject',
        sensitive: 'none',
      },
    ],
    fetches: [
      {
        server,
        configKey: null,
        tool: 'search',
        label: '',
        args: {},
        late: [],
        timeoutMs: 1_000,
        answer: {
          format: 'json',
          adapter: null,
          contentFrom: 'auto',
          blocks: 'auto',
          skipBlocks: 0,
          matchBlocks: null,
          followLinks: false,
          extract: 'none',
          extractAfter: null,
          extractBetween: null,
          textPath: null,
          csv: { delimiter: ',', comment: null, header: true },
          errorWhen: null,
          emptyWhen: [],
          truncatedWhen: null,
          onTruncated: 'warn',
          itemsPath: null,
          itemPath: null,
          columnsPath: null,
          cellPath: null,
          headerRow: 'none',
          singleItem: false,
          rows: 'auto',
          nullValues: [],
        },
        pagination: { mode: 'none', totalPath: null, hasMorePath: null, job: null },
        retry: { attempts: 1, baseMs: 1, maxMs: 1 },
        mapping: [[{ from: 'path', path: 'id' }]],
      },
    ],
    budget: { timeMs: 1_000, maxRows: 10, maxBytes: null, maxPages: null, maxCalls: null },
    onReject: 'null',
    onIncomplete: 'keep',
    dedupeKey: [],
    dataPrefix: 'data',
    rejectsPrefix: 'rejects',
    scheduledAt: '2026-11-30T12:00:00.000Z',
    hashes: { contract: 'c', binding: 'b', args: 'a' },
  }
}

/** The entry of a table of 3 rows, as an engine would return it. */
export function fetched(spec: TableSpec, more: Partial<TableEntry> = {}): TableEntry {
  const empty = entryOfFailure(factsOf(spec), 'failed', new RunError('INTERNAL', 'the source has no more'))
  const some: Partial<TableEntry> = {
    outcome: 'complete',
    error: null,
    rows: 3,
    whole: true,
    proof: 'unpaged',
  }
  return { ...empty, ...some, path: 'x', ...more }
}

/** A promise that the test settles. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  return (({ promise, resolve }) => ({ promise, open: resolve }))(Promise.withResolvers<T>())
}

/** Rejects with the signal's reason once it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
