import { type RunJob, statusOf, type TableSpec, unfetchedEntry } from '@huntfleet/contract'
import type { QueueLog, RunProcessor, TableProcessor } from '@huntfleet/queue'

export const quiet: QueueLog = { debug() {}, info() {}, warn() {}, error() {} }

export function runJob(runId: string): RunJob {
  return {
    v: 1,
    runId,
    hunt: null,
    bundle: {
      folder: 'dns',
      contract: { name: 'dns' },
      binding: null,
      hashes: { contract: 'c', binding: 'b' },
    },
    params: {},
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
  }
}

/** Plans one table, `events`, from the server `files`. */
export const oneTable: RunProcessor = {
  plan: async ({ runId }) => ({ specs: [specOf(runId)], entries: {} }),
  finish: async (_job, entries) => ({
    status: statusOf(Object.values(entries).map(verdictOf), false),
    manifestKey: null,
  }),
}

const verdictOf = ({ outcome, optional }: Parameters<typeof statusOf>[0][number]) => ({ outcome, optional })

/** Fetches every table at once. */
export const instant: TableProcessor = async ({ spec }) => ({
  ...unfetchedEntry('skipped', 'the source has no more', { optional: spec.optional, columns: {} }),
  outcome: 'complete',
})

/** Ends a table only when it is told to stop. */
export function hanging(begun: () => void): TableProcessor {
  return (_job, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      begun()
    })
}

function specOf(runId: string): TableSpec {
  const column = { name: 'id', type: 'VARCHAR', required: false, format: null, timezone: null } as const
  return {
    runId,
    strategy: 'dns',
    version: '1',
    table: 'events',
    server: 'files',
    tool: 'search',
    optional: false,
    columns: [{ ...column, round: 'reject', sensitive: 'none' }],
    fetches: [
      {
        server: 'files',
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
