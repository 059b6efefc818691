import { createHash } from 'node:crypto'
import { type Manifest, statusOf, type TableEntry } from '@huntfleet/contract'
import { callTimeoutMs } from './chaos-project.ts'
import { type PageCall, wasServed } from './page-log.ts'
import { pageSize, type SourceRow, sourceRow, tableSize, tables } from './source-table.ts'

/** What is known of a run from outside: its record's last word, what storage holds, and what the sources saw. */
export interface RunEvidence {
  runId: string
  /** Status in the run's record. */
  status: string
  /** Every manifest of the run that storage holds, by key. */
  manifests: ReadonlyMap<string, Manifest>
  /** What storage holds at the path of a table's entry; null: nothing. */
  objectOf(entry: TableEntry): Promise<StoredTable | null>
  /** Calls of this run's pages, in order of time. */
  calls: readonly PageCall[]
  /** Kills, frozen workers and losses of Redis while the run lasted. */
  interruptions: number
  /** Requests to storage that met a fault while the run lasted. */
  storageFaults: number
  /** How often the job of a table, or that of the run itself (null), changed hands, as the workers saw it. */
  handovers(table: string | null): number
}

export interface StoredTable {
  bytes: Uint8Array
  /** In the order of the file, as an independent reader sees them; or why it cannot. */
  rows: readonly SourceRow[] | string
}

/** Everything that is wrong with a run, as sentences; empty: nothing is. */
export async function judgeRun(run: RunEvidence): Promise<string[]> {
  const about = (fault: string): string => `run ${run.runId}: ${fault}`
  const keys = [...run.manifests.keys()]
  if (run.status === 'lost' && keys.length === 0) return judgeLost(run).map(about)
  const manifest = run.manifests.get(keys[0] ?? '')
  if (manifest === undefined || keys.length > 1)
    return [about(`it is ${run.status} and has ${keys.length} manifests: ${keys.join(', ')}`)]
  const entries = Object.entries(manifest.tables)
  const faults: string[] = run.status === 'lost' ? judgeLost(run) : []
  const hasFile = entries.some(([, { path }]) => path !== null)
  const status =
    run.status === 'lost' && !hasFile
      ? 'lost'
      : statusOf(
          entries.map(([, entry]) => entry),
          false,
        )
  if (manifest.status !== run.status || manifest.status !== status)
    faults.push(
      `its record says ${run.status}, its manifest ${manifest.status}, and its tables mean ${status}`,
    )
  const missing = Object.keys(tables).filter((name) => !Object.hasOwn(manifest.tables, name))
  if (missing.length > 0) faults.push(`its manifest lacks ${missing.join(', ')}`)
  for (const [table, entry] of entries) {
    const object = entry.path === null ? null : await run.objectOf(entry)
    faults.push(...judgeTable(run, table, entry, object).map((fault) => `table ${table}: ${fault}`))
  }
  return faults.map(about)
}

/** A job that died more often than the fleet allows takes its run with it; nothing else here does. */
function judgeLost({ interruptions, handovers }: RunEvidence): string[] {
  const deaths = Math.max(interruptions, handovers(null))
  return deaths < stallsAllowed ? [`it is lost after only ${deaths} interruptions`] : []
}

/** Deaths that a job survives. */
const stallsAllowed = 3
/** `retry.attempts` of the bindings. */
const callsPerPage = 4

function judgeTable(
  run: RunEvidence,
  table: string,
  entry: TableEntry,
  object: StoredTable | null,
): string[] {
  const faults = judgeWords(run, table, entry)
  if (entry.path === null) {
    if (entry.outcome !== 'failed') faults.push(`it is ${entry.outcome} and has no file`)
    if (entry.rows !== 0) faults.push(`it has no file and claims ${entry.rows} rows`)
    return faults
  }
  if (object === null) return [...faults, `its file ${entry.path} is not there`]
  const sha256 = createHash('sha256').update(object.bytes).digest('hex')
  if (sha256 !== entry.sha256) faults.push(`the SHA-256 of ${entry.path} is ${sha256}, not ${entry.sha256}`)
  if (object.bytes.length !== entry.bytes)
    faults.push(`${entry.path} has ${object.bytes.length} bytes, not ${entry.bytes}`)
  if (typeof object.rows === 'string') return [...faults, `${entry.path} cannot be read: ${object.rows}`]
  if (object.rows.length !== entry.rows)
    faults.push(`the manifest claims ${entry.rows} rows, the file has ${object.rows.length}`)
  const ledger = entry.ledger.reduce((sum, page) => sum + page.items, 0)
  if (ledger !== entry.rows) faults.push(`its ledger counts ${ledger} rows, the manifest ${entry.rows}`)
  return [...faults, ...judgeRows(run.runId, table, object.rows, entry.whole)]
}

/**
 * The rows must be the first ones of the source, in its order; all of them if the table is whole. An incomplete table may
 * end early, but what it has is exact.
 */
function judgeRows(run: string, table: string, rows: readonly SourceRow[], whole: boolean): string[] {
  const size = tableSize(run, table)
  const wanted = whole ? size : Math.min(size, rows.length)
  const seen = new Map<string, number>()
  for (const { key } of rows) seen.set(key, (seen.get(key) ?? 0) + 1)
  const faults: string[] = []
  const known = new Set<string>()
  const missing: number[] = []
  const altered: number[] = []
  for (let i = 0; i < size; i++) {
    const { key } = sourceRow(run, table, i)
    known.add(key)
    if (i < wanted && !seen.has(key)) missing.push(i)
  }
  for (const row of rows) {
    if (known.has(row.key) && !sameRow(row, sourceRow(run, table, numberIn(row.key))))
      altered.push(numberIn(row.key))
  }
  const doubled = [...seen].filter(([, times]) => times > 1).map(([key]) => key)
  const foreign = [...seen.keys()].filter((key) => !known.has(key))
  const say = (what: string, which: readonly unknown[]): void => {
    if (which.length > 0) faults.push(`${which.length} rows ${what}: ${which.slice(0, 10).join(', ')}`)
  }
  say('are lost', missing)
  say('are doubled', doubled)
  say('are not of this table', foreign)
  say('are altered', altered)
  const turned = rows.findIndex(({ key }, n) => n > 0 && numberIn(key) < numberIn(rows[n - 1]?.key ?? ''))
  if (turned >= 0) faults.push(`the order of the source is lost at row ${turned}`)
  return faults
}

const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))

const sameRow = (row: SourceRow, due: SourceRow): boolean =>
  row.i === due.i && Date.parse(row.at) === Date.parse(due.at) && row.text === due.text

/** Whether the outcome is a true word, and its reason one that the sources or the storage bear out. */
function judgeWords(run: RunEvidence, table: string, entry: TableEntry): string[] {
  const { outcome, whole, rows, reason } = entry
  const size = tableSize(run.runId, table)
  if (whole !== (outcome === 'complete')) return [`it is ${outcome} and whole is ${whole}`]
  if (outcome === 'complete')
    return rows === size ? [] : [`it is called complete with ${rows} of ${size} rows`]
  if (reason.trim() === '') return [`it is ${outcome} without a reason`]
  return isBorneOut(run, table, entry)
    ? []
    : [`it is ${outcome} with a reason that nothing bears out: ${reason}`]
}

function isBorneOut(run: RunEvidence, table: string, entry: TableEntry): boolean {
  const calls = run.calls.filter((call) => call.table === table)
  const code = entry.error?.code
  const deaths = Math.max(run.interruptions, run.handovers(table))
  // On a busy machine an answer may be late without any fault; then the page was called as often as it may be.
  const wentWrong = (at: number): boolean => {
    const ofPage = calls.filter((call) => call.at === at)
    return ofPage.length >= callsPerPage || ofPage.some((call) => call.fate !== 'served')
  }
  switch (entry.outcome) {
    case 'page_error':
      return wentWrong(entry.rows)
    case 'failed':
      if (code === 'RUN_LOST') return judgeLost(run).length === 0
      if (code === 'INTERNAL') return deaths >= stallsAllowed && /died/.test(entry.reason)
      if (code?.startsWith('SINK_')) return run.storageFaults > 0
      return wentWrong(0)
    default:
      return false
  }
}

/**
 * Fetched pages are kept in checkpoints: whoever goes on with a table asks for at most the one page again that its
 * predecessor had asked for. Calls that the fetch itself repeated, because the answer did not come in time, count beside.
 */
export function judgeRefetches(run: RunEvidence, entries: Readonly<Record<string, TableEntry>>): string[] {
  const refetched = refetchedPages(run.calls)
  return Object.entries(entries).flatMap(([table, { retries }]) => {
    const pages = refetched.get(`${run.runId}/${table}`) ?? 0
    const workers = run.calls.filter((call) => call.table === table).map(({ worker }) => worker)
    const seen = workers.filter((worker, n) => n > 0 && worker !== workers[n - 1]).length
    const handovers = Math.max(seen, run.handovers(table))
    if (pages <= handovers + retries) return []
    const why = `${handovers} handovers and ${retries} retries`
    return [
      `run ${run.runId}: table ${table}: ${pages} pages were fetched again, and only ${why} explain them`,
    ]
  })
}

/** Pages that a source served more than once, by run and table; `calls` in order of time. */
export function refetchedPages(calls: readonly PageCall[]): Map<string, number> {
  const served = new Map<string, number>()
  const last = new Map<string, PageCall>()
  for (const call of calls.filter(wasServed)) {
    const page = `${call.run}/${call.table}/${call.at / pageSize}`
    const before = last.get(page)
    last.set(page, call)
    // The same worker asks again because the answer did not come in time.
    if (before?.worker === call.worker && call.t - before.t >= callTimeoutMs) continue
    served.set(page, (served.get(page) ?? 0) + 1)
  }
  const refetched = new Map<string, number>()
  for (const [page, times] of served) {
    if (times === 1) continue
    const table = page.slice(0, page.lastIndexOf('/'))
    refetched.set(table, (refetched.get(table) ?? 0) + times - 1)
  }
  return refetched
}
