import {
  type FetchSpec,
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
import { linkTexts } from './read-page.ts'
import { createPaginator } from './registry.ts'
import type { PageRead, PageReceipt, TablePipeline } from './table-pipeline.ts'
import type { TablePorts } from './table-ports.ts'
import type { ArgumentBuilder } from './tool-arguments.ts'

/** Where the pages of a table go, in their order. */
export interface PageReceiver {
  readonly pipeline: TablePipeline
  /** Whether every row so far is recognised when it comes again, and left out. */
  readonly knowsDoubles: boolean
  /** Stores the page that the pipeline read last. */
  store(entry: PageEntry): Promise<PageReceipt>
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

/**
 * Fetches all pages of one source and hands them over. Resolves with how it ended, also when that is an error of the
 * source, the budget or a cancellation; throws only SHUTDOWN, LOCK_LOST, and what the receiver throws.
 */
export async function fetchPages(
  fetch: FetchSpec,
  part: number,
  ports: TablePorts,
  budget: Budget,
  receiver: PageReceiver,
  doing: (what: string) => void,
): Promise<FetchEnd> {
  const caller = pageCaller(fetch, ports, budget, doing)
  const notes = new Set<string>()
  const run: Fetch = { fetch, part, ports, budget, caller, notes, receiver, header: null, pages: 0 }
  try {
    const end = await runPages(run)
    return { ...end, notes: [...notes, ...caller.notes], server: caller.server }
  } catch (thrown) {
    if (thrown instanceof StoreError) throw thrown.cause
    const error = toRunError(thrown, { server: fetch.server, tool: fetch.tool, page: run.pages + 1 })
    if (error.code === 'SHUTDOWN' || error.code === 'LOCK_LOST') throw error
    return {
      ...endOfError(error, run.pages, budget),
      notes: [...notes, ...caller.notes],
      server: caller.server,
    }
  } finally {
    await caller.close()
  }
}

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

interface Fetch {
  readonly fetch: FetchSpec
  readonly part: number
  readonly ports: TablePorts
  readonly budget: Budget
  readonly caller: PageCaller
  readonly notes: Set<string>
  readonly receiver: PageReceiver
  /** The header row that a page has brought, for pages without one. */
  header: readonly string[] | null
  /** Pages of this fetch that are stored. */
  pages: number
}

type Ending = Omit<FetchEnd, 'notes' | 'server'>
const ending = (outcome: Outcome, reason: string): Ending => ({ outcome, reason, proof: null, error: null })

async function runPages(run: Fetch): Promise<Ending> {
  const { fetch, budget, notes, caller, ports } = run
  const {
    pagination,
    builder,
    values,
    notes: argumentNotes,
  } = await openArguments(fetch, caller, ports, budget)
  for (const note of argumentNotes) notes.add(note)
  const paginator = createPaginator(pagination)
  await run.receiver.pipeline.begin(run.part, pagination)
  const pages: Pages = { paginator, builder, values, state: paginator.first(), first: true, restarted: false }
  let truncation: string | null = null
  for (;;) {
    const limit = budget.limitReached()
    if (limit !== undefined) return ending('limit_reached', limit)
    const { page, request, ms } = await askPageOrRestart(run, pages)
    const { step } = page
    for (const note of [...page.notes, ...(step.note === undefined ? [] : [step.note])]) notes.add(note)
    if (step.discard !== true) {
      truncation = truncationSoFar(fetch, truncation, page)
      const end = endAtCap(await store(run, page, request, ms), step)
      if (end !== undefined) return end
    }
    if (!step.more) return judged(fetch, step, page, truncation, builder.build(request, values), builder)
    pages.state = step.state
    pages.first = false
  }
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
    if (pages.restarted || !run.receiver.knowsDoubles) throw expired
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
  const page = await caller.call(tool, args, async (result) => {
    const links = await linkTexts(result, fetch.answer, caller)
    const reading = { part: run.part, state, firstPage: first, header: run.header, links }
    return await pipeline.read(result, reading, caller.deadline)
  })
  budget.pages += 1
  await ports.runBudget?.spend({ pages: 1, bytes: 0 })
  run.header ??= page.header
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
  try {
    const receipt = await run.budget.uncounted(() => run.receiver.store(entry))
    run.pages += 1
    return receipt
  } catch (error) {
    throw new StoreError('a page could not be stored', { cause: error })
  }
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
