import {
  type FetchPlace,
  type FetchSpec,
  type Json,
  type JsonObject,
  type Outcome,
  type PageEntry,
  type Proof,
  RunError,
  toRunError,
} from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import { cursorExpired } from './cursor-expired.ts'
import { type LateValue, openArguments } from './fetch-arguments.ts'
import { type PageCaller, pageCaller } from './page-caller.ts'
import type { LastPage, NextPage, PageRequest, PageState, Paginator } from './paginator.ts'
import type { ToolResult } from './ports.ts'
import { linkTexts } from './read-page.ts'
import { createPaginator } from './registry.ts'
import { StartOver } from './start-over.ts'
import type { PageRead, PageReceipt, TablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'
import type { ArgumentBuilder } from './tool-arguments.ts'

/** Where the pages of a table go, in their order. */
export interface PageReceiver {
  readonly pipeline: TablePipeline
  /** Whether every row so far is recognised when it comes again, and left out. */
  readonly knowsDoubles: boolean
  /** Whether the table may begin again from nothing: nothing has come since it was taken over, and it never has. */
  readonly mayStartOver: boolean
  /** Stores the page that the pipeline read last. */
  store(entry: PageEntry): Promise<PageReceipt>
  /** Notes where the fetch stands, after every answer that brings it on; `end` is how it ended. */
  reached(place: FetchPlace, end: FetchEnd | null): Promise<void>
}

/** How the fetch of one source, or one part of it, ended. */
export interface FetchEnd {
  outcome: Outcome
  reason: string
  proof: Proof | null
  error: RunError | null
  notes: string[]
  server: { name: string; version: string } | null
}

/** One fetch of a table. */
export interface FetchTask {
  fetch: FetchSpec
  part: number
  /** Where it begins, or goes on. */
  from: FetchPlace
  ports: TablePorts
  budget: Budget
  receiver: PageReceiver
  /** Told of waits and retries. */
  doing(what: string): void
}

/**
 * Fetches all pages of one source and hands them over. Resolves with how it ended, also when that is an error of the
 * source, the budget or a cancellation; throws only SHUTDOWN, LOCK_LOST, `StartOver`, and what the receiver throws.
 */
export async function fetchPages(task: FetchTask): Promise<FetchEnd> {
  const { fetch, from, budget } = task
  const caller = pageCaller(fetch, task.ports, budget, task.doing)
  const notes = new Set(from.notes)
  const run: Fetch = { ...task, caller, notes, place: from }
  try {
    return withFacts(run, await runPages(run))
  } catch (thrown) {
    if (thrown instanceof StartOver) throw thrown
    if (thrown instanceof StoreError) throw thrown.cause
    const { pages } = run.place
    const error = toRunError(thrown, { server: fetch.server, tool: fetch.tool, page: pages + 1 })
    if (error.code === 'SHUTDOWN' || error.code === 'LOCK_LOST') throw error
    return withFacts(run, endOfError(error, pages, budget))
  } finally {
    await caller.close()
  }
}

const withFacts = ({ notes, caller }: Fetch, end: Ending): FetchEnd => ({
  ...end,
  notes: [...notes, ...caller.notes],
  server: caller.server,
})

/** The outcome that an error means for a table that has so many pages. */
function endOfError(error: RunError, pages: number, budget: Budget): Ending {
  const end = (outcome: Outcome, reason: string) => ({ outcome, reason, proof: null, error })
  if (error.code === 'BUDGET_SPENT') {
    return end(error.message === budget.limitReached() ? 'limit_reached' : 'time_budget', error.message)
  }
  if (error.code === 'CANCELLED') return end('cancelled', error.message)
  if (pages === 0) return end('failed', error.message)
  return end('page_error', `page ${pages + 1} failed: ${error.message}`)
}

/** Wraps what storing a page threw: it is about our side, not about the source. */
class StoreError extends Error {}

async function ourSide<T>({ budget }: Fetch, work: () => Promise<T>): Promise<T> {
  try {
    return await budget.uncounted(work)
  } catch (error) {
    throw new StoreError('a page could not be stored', { cause: error })
  }
}

interface Fetch extends FetchTask {
  readonly caller: PageCaller
  readonly notes: Set<string>
  /** What is known of the fetch; its paginator's state is that of the page before the one that is asked for. */
  place: FetchPlace
}

type Ending = Omit<FetchEnd, 'notes' | 'server'>
const ending = (outcome: Outcome, reason: string): Ending => ({ outcome, reason, proof: null, error: null })

async function runPages(run: Fetch): Promise<Ending> {
  const { fetch, budget, notes, caller, ports, receiver } = run
  const search = {
    id: run.place.searchJob,
    pageSize: run.place.pageSize,
    submitted: (id: Json) => reached(run, { searchJob: id }, null),
  }
  const opened = await openArguments(fetch, caller, ports, budget, search)
  const { pagination, builder, values } = opened
  for (const note of opened.notes) notes.add(note)
  const paginator = createPaginator(pagination)
  // A thread that is still starting is not the source's time.
  await budget.uncounted(() => receiver.pipeline.begin(run.part, pagination))
  const { state, restarted } = run.place
  const pages: Pages = {
    paginator,
    builder,
    values,
    state: state ?? paginator.first(),
    first: state === null,
    restarted,
  }
  const pageSize = pagination.mode === 'none' ? null : pagination.pageSize
  for (;;) {
    const limit = budget.limitReached()
    if (limit !== undefined) return ending('limit_reached', limit)
    const { page, request, ms } = await askPageOrRestart(run, pages)
    const { step } = page
    for (const note of [...page.notes, ...(step.note === undefined ? [] : [step.note])]) notes.add(note)
    let end: Ending | undefined
    if (step.discard !== true) {
      run.place = { ...run.place, truncation: truncationSoFar(fetch, run.place.truncation, page) }
      end = endAtCap(await store(run, page, request, ms), step)
    }
    if (!step.more)
      end ??= judged(fetch, step, page, run.place.truncation, builder.build(request, values), builder)
    if (step.more) pages.state = step.state
    pages.first = false
    await reached(run, { pageSize, state: pages.state, restarted: pages.restarted }, end ?? null)
    if (end !== undefined) return end
  }
}

/** Notes where the fetch stands now. */
async function reached(run: Fetch, place: Partial<FetchPlace>, end: Ending | null): Promise<void> {
  run.place = { ...run.place, ...place, notes: [...run.notes] }
  await ourSide(run, () => run.receiver.reached(run.place, end === null ? null : withFacts(run, end)))
}

/** Where the fetch stands, and what asks for its next page. */
interface Pages {
  readonly paginator: Paginator
  readonly builder: ArgumentBuilder
  readonly values: LateValue
  state: PageState
  /** Whether the next page is the first one. */
  first: boolean
  /** Whether the fetch has begun again. */
  restarted: boolean
}

/**
 * The next page. When the source no longer knows its cursor, the fetch begins again, once, if the rows that it has are
 * known by their keys; else the rows so far are all there will be.
 */
async function askPageOrRestart(run: Fetch, pages: Pages): ReturnType<typeof askPage> {
  try {
    return await askPage(run, pages)
  } catch (thrown) {
    const expired = pages.first || !(thrown instanceof RunError) ? undefined : cursorExpired(thrown)
    if (expired === undefined) throw thrown
    if (pages.restarted || !run.receiver.knowsDoubles) {
      if (run.receiver.mayStartOver) throw new StartOver(expired)
      throw expired
    }
    run.notes.add(
      `the source no longer knew the cursor of page ${run.budget.pages + 1}: the fetch began again, and rows that it had are left out by dedupe_key`,
    )
    pages.state = pages.paginator.first()
    pages.first = true
    pages.restarted = true
    return await askPage(run, pages)
  }
}

/**
 * What the source has said about rows it kept back. Our built-in notices are believed on the last page only, since a
 * source that pages may say "truncated" on every page; rules of the binding are believed wherever they match.
 */
function truncationSoFar(fetch: FetchSpec, before: string | null, page: PageRead): string | null {
  if (page.truncation !== null && fetch.answer.onTruncated === 'fail') {
    throw new RunError('ANSWER_TRUNCATED', `the source sent less than it has: ${page.truncation}`, {
      hint: 'narrow the query, page through the source, or set on_truncated: warn to keep what came',
    })
  }
  return page.truncation ?? (fetch.answer.truncatedWhen === null ? null : before)
}

async function askPage(
  run: Fetch,
  { paginator, builder, values, state, first }: Pages,
): Promise<{ page: PageRead; request: PageRequest; ms: number }> {
  const { fetch, ports, caller, budget } = run
  const request = paginator.request(state)
  const args = builder.build(request, values)
  const nextTool = fetch.pagination.mode === 'none' ? null : fetch.pagination.nextTool
  const tool = request.following && nextTool !== null ? nextTool : fetch.tool
  const startedAt = ports.clock.now()
  const { pipeline } = run.receiver
  const read = async (result: ToolResult) => {
    const links = await linkTexts(result, fetch.answer, caller)
    const reading = { part: run.part, state, firstPage: first, header: run.place.header, links }
    return await pipeline.read(result, reading, caller.deadline)
  }
  const page = await caller.call(tool, args, read, pipeline.decoder)
  budget.pages += 1
  await ports.runBudget?.spend({ pages: 1, bytes: 0 })
  if (run.place.header === null && page.header !== null)
    run.place = { ...run.place, header: [...page.header] }
  return { page, request, ms: Math.round(ports.clock.now() - startedAt) }
}

async function store(run: Fetch, page: PageRead, request: PageRequest, ms: number): Promise<PageReceipt> {
  const entry: PageEntry = {
    page: run.budget.pages,
    part: run.part,
    at: request.at,
    items: page.items,
    bytes: page.bytes,
    ms,
    attempt: run.ports.attempt,
  }
  const receipt = await ourSide(run, () => run.receiver.store(entry))
  run.place = { ...run.place, pages: run.place.pages + 1 }
  return receipt
}

/** What reaching `max_rows` means; undefined while there is room, or while one more call must tell. */
function endAtCap(receipt: PageReceipt, step: NextPage | LastPage): Ending | undefined {
  const capped = (reason: string) => ending('row_cap', reason)
  if (receipt.cut) return capped('max_rows is reached and the source has more')
  if (!receipt.full || !step.more || Number(step.state['confirming'] ?? 0) > 0) return undefined
  return capped('max_rows is reached and the source may have more')
}

/** The end that the paginator sees, in the light of what the source says about its completeness. */
function judged(
  fetch: FetchSpec,
  end: LastPage,
  page: PageRead,
  truncation: string | null,
  args: JsonObject,
  builder: ArgumentBuilder,
): Ending {
  const { outcome, reason, proof, error = null } = end
  if (outcome !== 'complete') return { outcome, reason, proof, error }
  const capped = (why: string) => ending('source_capped', why)
  // A cut slice of time has been judged by its own rules.
  if (truncation !== null && fetch.pagination.mode !== 'time_window') {
    return capped(`the source sent less than it has: ${truncation}`)
  }
  if (proof === 'unpaged' && page.items > 0 && builder.askedFor(args).has(page.items)) {
    return capped(`exactly as many rows came as were asked for (${page.items}): the source may have more`)
  }
  return { outcome, reason, proof, error }
}
