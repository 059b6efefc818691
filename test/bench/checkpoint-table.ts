import { RunError, type TableSpec } from '@huntfleet/contract'
import type { Checkpoint, ToolResult } from '@huntfleet/engine'
import { adapters, formats, type TablePorts } from '@huntfleet/engine'
import type { ObjectStore } from '@huntfleet/storage'
import { openTablePipeline } from '../../packages/engine/src/table-pipeline.ts'
import {
  answerSpec,
  budgetSpec,
  fetchSpec,
  pagedBy,
  tableSpec,
} from '../../packages/engine/test/spec-fixture.ts'
import { eventColumns, eventPages } from './event-pages.ts'

/** Pages that a source sends again and again. */
export interface BenchPages {
  texts: readonly string[]
  /** Mean size of a page. */
  bytes: number
}

export function benchPages(count: number, rowsPerPage: number): BenchPages {
  const texts = [...eventPages(count, rowsPerPage)]
  return { texts, bytes: texts.reduce((sum, text) => sum + text.length, 0) / texts.length }
}

/** A table of events, page after page as long as its source has some. */
export function benchSpec(runId: string): TableSpec {
  const fetch = fetchSpec({
    answer: answerSpec({ itemsPath: null }),
    pagination: pagedBy('offset', { pageSize: 500, repeatGuard: 'continue' }),
    mapping: eventColumns.map(({ name }) => [{ from: 'path', path: name }]),
  })
  return tableSpec([fetch], {
    runId,
    columns: [...eventColumns],
    budget: budgetSpec({ maxRows: 1_000_000_000, timeMs: 3_600_000 }),
    dataPrefix: `bench/run=${runId}`,
    rejectsPrefix: `_rejects/bench/run=${runId}`,
  })
}

/** Ports of a table whose source answers from memory; after `end` pages in this worker's life it loses the table. */
export function benchPorts(
  store: ObjectStore,
  checkpoint: Checkpoint | null,
  { texts }: BenchPages,
  end = Number.POSITIVE_INFINITY,
): TablePorts & { firstCallAt(): number } {
  let calls = 0
  let firstCallAt = Number.NaN
  const callTool = async (): Promise<ToolResult> => {
    if (calls === 0) firstCallAt = performance.now()
    if (calls >= end) throw new RunError('LOCK_LOST', 'the benchmark ends here')
    const text = texts[calls++ % texts.length] ?? ''
    return {
      content: [{ type: 'text', text }],
      structuredContent: undefined,
      meta: undefined,
      isError: false,
      bytes: text.length,
    }
  }
  const session = {
    server: null,
    listTools: async () => [],
    callTool,
    readResource: async () => '',
    close: async () => {},
  }
  return {
    sessions: { lease: async () => ({ session, release: async () => {} }) },
    limiter: { acquire: async () => {}, rateLimited: () => {} },
    clock: {
      now: () => performance.now(),
      sleep: async () => {},
      after: () => () => {},
    },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    vocabulary: { formats, adapters },
    openPipeline: (spec, more) =>
      openTablePipeline(spec, { ...more, vocabulary: { formats, adapters }, mask: (text) => text }),
    policy: () => ({ allowWrites: [], allowOnly: null, deny: [] }),
    secret: async () => '',
    mask: (text) => text,
    random: () => 0,
    signal: new AbortController().signal,
    store,
    compression: 'zstd',
    parquetEngine: 'columnar',
    onProgress: () => {},
    attempt: 1,
    lastAttempt: false,
    ...(checkpoint !== null && { checkpoint }),
    firstCallAt: () => firstCallAt,
  }
}
