import { type PageEntry, RunError, retriesJob, type TableSpec } from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import { type FetchEnd, fetchPages, type PageReceiver } from './fetch-pages.ts'
import { firstPlace } from './fetch-place.ts'
import type { Staging } from './staging.ts'
import type { TableCheckpoint } from './table-checkpoint.ts'
import { type TableEnd, tableEnd } from './table-end.ts'
import type { PageReceipt } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'

/**
 * Fetches every source of the table in turn, under one budget and one cap, from where its checkpoint stands. Throws an
 * error that the table's job is to be tried again for, and `StartOver`.
 */
export async function fetchTable(
  spec: TableSpec,
  ports: TablePorts,
  budget: Budget,
  staging: Staging,
  checkpoint: TableCheckpoint,
): Promise<TableEnd> {
  const receiver = new TableReceiver(spec, ports, budget, staging, checkpoint)
  const ends = [...checkpoint.ends]
  const isOver = () => checkpoint.ended || staging.pipeline.failure !== null || endsTable(ends.at(-1))
  for (const [part, fetch] of spec.fetches.entries()) {
    if (part < ends.length) continue
    if (isOver()) break
    const doing = (what: string) => receiver.report(what)
    const from = checkpoint.isKept ? checkpoint.place : firstPlace
    let end: FetchEnd
    try {
      end = await fetchPages({ fetch, part, from, ports, budget, receiver, doing })
    } catch (error) {
      if (!(error instanceof RunError) || error.code !== 'ROW_REJECTED') throw error
      end = { outcome: 'failed', reason: error.message, proof: null, error, notes: [], server: null }
      return tableEnd(spec, [...ends, end], receiver.rows)
    }
    if (end.error !== null && isRetried(end.error, ports, checkpoint)) throw end.error
    ends.push(end)
  }
  await budget.uncounted(() => checkpoint.allEnded(ends, budget))
  const end = tableEnd(spec, ends, receiver.rows)
  return { ...end, notes: [...checkpoint.notes, ...end.notes] }
}

/** The cap and the budget are the table's: where one is reached the other parts have nothing left. */
function endsTable(end: FetchEnd | undefined): boolean {
  if (end === undefined) return false
  if (['row_cap', 'time_budget', 'limit_reached', 'cancelled'].includes(end.outcome)) return true
  return end.error !== null && end.error.kind === 'config'
}

/** Whether the table's job is tried again, and goes on where it is now. */
function isRetried(
  error: RunError,
  { lastAttempt = true }: TablePorts,
  checkpoint: TableCheckpoint,
): boolean {
  return checkpoint.isKept && !lastAttempt && retriesJob(error.code)
}

/** Takes the pages of all parts. */
class TableReceiver implements PageReceiver {
  readonly #spec: TableSpec
  readonly #ports: TablePorts
  readonly #budget: Budget
  readonly #staging: Staging
  readonly #checkpoint: TableCheckpoint
  rows: number
  knowsDoubles: boolean
  mayStartOver: boolean
  #received: PageReceipt | null = null
  #receivedBytes = 0

  constructor(
    spec: TableSpec,
    ports: TablePorts,
    budget: Budget,
    staging: Staging,
    checkpoint: TableCheckpoint,
  ) {
    this.#spec = spec
    this.#ports = ports
    this.#budget = budget
    this.#staging = staging
    this.#checkpoint = checkpoint
    this.rows = staging.rows
    this.knowsDoubles = staging.knowsDoubles
    this.mayStartOver = checkpoint.saved !== null && !checkpoint.startedOver
  }

  get pipeline() {
    return this.#staging.pipeline
  }

  report(doing: string): void {
    const { pages, calls, retries } = this.#budget
    this.#ports.onProgress({ table: this.#spec.table, rows: this.rows, pages, calls, retries, doing })
  }

  async store(entry: PageEntry): Promise<PageReceipt> {
    this.#staging.ledger.push(entry)
    const receipt = await this.pipeline.store(entry)
    this.rows = receipt.rows
    this.knowsDoubles = receipt.knowsDoubles
    this.mayStartOver = false
    this.#received = receipt
    this.#receivedBytes = entry.bytes
    this.report('')
    return receipt
  }

  async reached(place: Parameters<PageReceiver['reached']>[0], end: FetchEnd | null): Promise<void> {
    const kept = this.#received?.kept ?? null
    this.#received = null
    if (kept !== null) await this.#checkpoint.keep(kept, this.#receivedBytes, this.#staging)
    const pages = this.#staging.ledger.length
    await this.#checkpoint.reached({ place, end, pages, rows: this.rows }, this.#budget)
  }
}
