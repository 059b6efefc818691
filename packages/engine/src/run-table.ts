import {
  hasFile,
  ledgerInManifest,
  maskedError,
  newAttemptId,
  type Outcome,
  type PageEntry,
  type Proof,
  RunError,
  type TableEntry,
  type TableSpec,
  toRunError,
  worse,
} from '@huntfleet/contract'
import type { ObjectWriter } from '@huntfleet/storage'
import { Budget } from './budget.ts'
import { type FetchEnd, fetchPages } from './fetch-pages.ts'
import { openTablePipeline, type TableCounts, type TablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'

/** How the fetches of a table ended, taken together. */
interface TableEnd {
  outcome: Outcome
  reason: string
  proof: Proof | null
  error: RunError | null
  notes: string[]
  server: FetchEnd['server']
}

/**
 * Runs one table from MCP server to object. Resolves with its manifest entry whatever happened to the source;
 * nothing is visible in the store before the whole file is. Throws SHUTDOWN and LOCK_LOST (someone else will run the
 * table) and sink errors.
 */
export async function runTable(spec: TableSpec, ports: TablePorts): Promise<TableEntry> {
  const attempt = newAttemptId()
  const object = await ports.store.create(`${spec.dataPrefix}/${attempt}.parquet`, {
    contentType: 'application/vnd.apache.parquet',
    metadata: { attempt, run: spec.runId },
  })
  // The budget pays for the source, not for our storage.
  const budget = new Budget(spec.budget, ports.clock)
  try {
    const pipeline = openTablePipeline(spec, {
      compression: ports.compression,
      vocabulary: ports.vocabulary,
      mask: ports.mask,
      write: (bytes) => object.write(bytes),
    })
    const ledger: PageEntry[] = []
    const fetched = await fetchAll(spec, ports, budget, pipeline, ledger)
    const durationMs = budget.spentMs
    const end = incompleteAsFailure(spec, fetched)
    const facts = { counts: await pipeline.counts(), budget, attempt, durationMs, ledger }
    const entry = entryOf(spec, end, facts, ports)
    if (!hasFile(end.outcome)) {
      await object.abort()
      return entry
    }
    await pipeline.finish(footer(spec, entry))
    return await commit(entry, spec, { pipeline, ledger, object }, ports)
  } catch (error) {
    await object.abort()
    throw error
  }
}

/** Fetches every source of the table in turn, under one budget and one cap. */
async function fetchAll(
  spec: TableSpec,
  ports: TablePorts,
  budget: Budget,
  pipeline: TablePipeline,
  ledger: PageEntry[],
): Promise<TableEnd> {
  let doing = ''
  let rows = 0
  const report = () => {
    const { pages, calls, retries } = budget
    ports.onProgress({ table: spec.table, rows, pages, calls, retries, doing })
  }
  const receiver = {
    pipeline,
    knowsDoubles: spec.dedupeKey.length > 0,
    async store(entry: PageEntry) {
      ledger.push(entry)
      const receipt = await pipeline.store(entry)
      rows = receipt.rows
      receiver.knowsDoubles = receipt.knowsDoubles
      doing = ''
      report()
      return receipt
    },
  }
  const ends: FetchEnd[] = []
  for (const [part, fetch] of spec.fetches.entries()) {
    let end: FetchEnd
    try {
      end = await fetchPages(fetch, part, ports, budget, receiver, (what) => {
        doing = what
        report()
      })
    } catch (error) {
      if (!(error instanceof RunError) || error.code !== 'ROW_REJECTED') throw error
      end = { outcome: 'failed', reason: error.message, proof: null, error, notes: [], server: null }
      return joined(spec, [...ends, end], rows)
    }
    ends.push(end)
    // The cap and the budget are the table's: where one is reached the other parts have nothing left.
    if (['row_cap', 'time_budget', 'limit_reached', 'cancelled'].includes(end.outcome)) break
    if (end.error !== null && end.error.kind === 'config') break
  }
  return joined(spec, ends, rows)
}

/** One end for all parts: the worst outcome; `failed` only if no part brought anything. */
function joined(spec: TableSpec, ends: readonly FetchEnd[], rows: number): TableEnd {
  const first = ends[0]
  if (first === undefined) {
    return {
      outcome: 'complete',
      reason: 'there was nothing to ask for: the list of for_each is empty',
      proof: 'unpaged',
      error: null,
      notes: [],
      server: null,
    }
  }
  const notes = ends.flatMap((end, i) =>
    end.notes.map((note) => (label(spec, i) ? `${label(spec, i)}: ${note}` : note)),
  )
  const skipped = spec.fetches.slice(ends.length).map((fetch) => fetch.label)
  if (skipped.length > 0) notes.push(`not fetched any more: ${skipped.join(', ')}`)
  let worst = first
  for (const end of ends) if (worse(worst.outcome, end.outcome) !== worst.outcome) worst = end
  const index = ends.indexOf(worst)
  const where = label(spec, index)
  const reason = where ? `${where}: ${worst.reason}` : worst.reason
  const server = ends.find((end) => end.server !== null)?.server ?? null
  const base = {
    reason,
    proof: worst.outcome === 'complete' ? weakestProof(ends) : null,
    error: worst.error,
    notes,
    server,
  }
  const someCame = ends.some((end) => end.outcome !== 'failed') || rows > 0
  const rejected = worst.error?.code === 'ROW_REJECTED'
  return {
    ...base,
    outcome: worst.outcome === 'failed' && someCame && !rejected ? 'page_error' : worst.outcome,
  }
}

const label = (spec: TableSpec, part: number) =>
  spec.fetches.length > 1 ? (spec.fetches[part]?.label ?? '') : ''

const proofStrength: readonly Proof[] = [
  'unpaged',
  'agent',
  'short_page',
  'empty_page',
  'end_cursor',
  'total',
]

/** A table is proven no better than its least proven part. */
function weakestProof(ends: readonly FetchEnd[]): Proof | null {
  const ranks = ends.map((end) => (end.proof === null ? 0 : proofStrength.indexOf(end.proof)))
  return proofStrength[Math.min(...ranks)] ?? null
}

/** `on_incomplete: fail` turns a table that is not complete into a failure. */
function incompleteAsFailure(spec: TableSpec, end: TableEnd): TableEnd {
  if (
    spec.onIncomplete !== 'fail' ||
    end.outcome === 'complete' ||
    !hasFile(end.outcome) ||
    end.outcome === 'cancelled'
  )
    return end
  const error = new RunError(
    'TABLE_INCOMPLETE',
    `the table is ${end.outcome} and on_incomplete is fail: ${end.reason}`,
    {
      table: spec.table,
      hint: 'remove the cause, or set on_incomplete: keep to keep what came',
    },
    end.error ?? undefined,
  )
  return { ...end, outcome: 'failed', reason: error.message, proof: null, error }
}

interface Facts {
  counts: TableCounts
  budget: Budget
  attempt: string
  durationMs: number
  ledger: readonly PageEntry[]
}

function entryOf(
  spec: TableSpec,
  end: TableEnd,
  { counts, budget, attempt, durationMs, ledger }: Facts,
  { source, mask }: TablePorts,
): TableEntry {
  const stored = hasFile(end.outcome)
  return {
    outcome: end.outcome,
    whole: end.outcome === 'complete',
    reason: mask(end.reason),
    proof: end.proof,
    optional: spec.optional,
    rows: stored ? counts.rows : 0,
    bytes: 0,
    pages: budget.pages,
    calls: budget.calls,
    retries: budget.retries,
    duration_ms: Math.round(durationMs),
    path: null,
    sha256: null,
    columns: counts.columns,
    rejects: counts.rejects,
    rows_dropped: counts.dropped,
    duplicates: counts.duplicates,
    rejects_path: null,
    source: source ?? 'live',
    server: spec.server,
    tool: spec.tool,
    server_version: end.server === null ? null : mask(`${end.server.name} ${end.server.version}`),
    hashes: spec.hashes,
    notes: end.notes.map(mask),
    ledger: ledger.slice(0, ledgerInManifest),
    ledger_path: null,
    attempt,
    error: end.error === null ? null : maskedError(end.error.with({ table: spec.table }), mask),
    retry: 1,
    history: [],
  }
}

/** What is known before the file is closed, in the file itself. */
function footer(spec: TableSpec, entry: TableEntry): Record<string, string> {
  return {
    'huntfleet.run_id': spec.runId,
    'huntfleet.strategy': spec.strategy,
    'huntfleet.version': spec.version,
    'huntfleet.table': spec.table,
    'huntfleet.outcome': entry.outcome,
    'huntfleet.reason': entry.reason,
    'huntfleet.rows': String(entry.rows),
    'huntfleet.rejects': String(entry.rejects),
    'huntfleet.scheduled_at': spec.scheduledAt,
    'huntfleet.source': entry.source,
    'huntfleet.hashes': JSON.stringify(spec.hashes),
  }
}

/** Makes the table visible: rejects and ledger first, the data last. */
async function commit(
  entry: TableEntry,
  spec: TableSpec,
  {
    pipeline,
    ledger,
    object,
  }: { pipeline: TablePipeline; ledger: readonly PageEntry[]; object: ObjectWriter },
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
    const stored = await object.commit()
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
