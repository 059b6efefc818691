import {
  compileRegex,
  type FetchSpec,
  type Json,
  type JsonObject,
  type Outcome,
  type PageEntry,
  type PaginationSpec,
  type Proof,
  RunError,
  toRunError,
} from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import { sourceName } from './mapping.ts'
import { type PageCaller, pageCaller } from './page-caller.ts'
import type { LastPage, NextPage, PageFacts, PageRequest, PageState, Paginator } from './paginator.ts'
import { compilePath, readPath } from './path.ts'
import { type AnswerPage, linkUris, readAnswer } from './read-answer.ts'
import { createPaginator } from './registry.ts'
import { runSearchJob } from './search-job.ts'
import type { FieldMapping } from './source-row.ts'
import type { TablePorts } from './table-ports.ts'
import { type ArgumentBuilder, argumentBuilder } from './tool-arguments.ts'

/** What became of one page that was handed over. */
export interface PageReceipt {
  /** Rows were left out because `max_rows` is reached. */
  cut: boolean
  /** Exactly `max_rows` rows are staged. */
  full: boolean
}

/** Takes the pages of a table in their order. */
export interface PageReceiver {
  receive(page: AnswerPage, entry: PageEntry): Promise<PageReceipt>
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
  columns: readonly { name: string; type: string }[],
  ports: TablePorts,
  budget: Budget,
  receiver: PageReceiver,
  doing: (what: string) => void,
): Promise<FetchEnd> {
  const caller = pageCaller(fetch, ports, budget, doing)
  const notes = new Set<string>()
  let pages = 0
  try {
    const end = await runPages({
      fetch,
      part,
      fields: columns.map(
        (column, i): FieldMapping => ({
          source: sourceName(fetch.mapping[i] ?? []),
          column: column.name,
          type: column.type,
        }),
      ),
      ports,
      budget,
      caller,
      notes,
      header: null,
      async receive(page, entry) {
        const receipt = await receiver.receive(page, entry)
        pages += 1
        return receipt
      },
    })
    return { ...end, error: null, notes: [...notes, ...caller.notes], server: caller.server }
  } catch (thrown) {
    if (thrown instanceof ReceiverError) throw thrown.cause
    const error = toRunError(thrown, { server: fetch.server, tool: fetch.tool, page: pages + 1 })
    if (error.code === 'SHUTDOWN' || error.code === 'LOCK_LOST') throw error
    return { ...endOfError(error, pages), notes: [...notes, ...caller.notes], server: caller.server }
  } finally {
    await caller.close()
  }
}

/** The outcome that an error means for a table that has so many pages. */
function endOfError(error: RunError, pages: number): Omit<FetchEnd, 'notes' | 'server'> {
  const end = (outcome: Outcome, reason: string) => ({ outcome, reason, proof: null, error })
  if (error.code === 'BUDGET_SPENT') return end('time_budget', error.message)
  if (error.code === 'CANCELLED') return end('cancelled', error.message)
  if (pages === 0) return end('failed', error.message)
  return end('page_error', `page ${pages + 1} failed: ${error.message}`)
}

/** Wraps what the receiver threw: it is about our side, not about the source. */
class ReceiverError extends Error {}

interface Fetch {
  /** The header row that a page has brought, for pages without one. */
  header: readonly string[] | null
  fetch: FetchSpec
  part: number
  fields: FieldMapping[]
  ports: TablePorts
  budget: Budget
  caller: PageCaller
  notes: Set<string>
  receive(page: AnswerPage, entry: PageEntry): Promise<PageReceipt>
}

type Ending = Pick<FetchEnd, 'outcome' | 'reason' | 'proof'>

async function runPages(run: Fetch): Promise<Ending> {
  const { fetch, budget, notes } = run
  const { builder, values } = await openArguments(run)
  const paginator = createPaginator(clamped(fetch.pagination, builder.limitMaximum, notes))
  let state: PageState = paginator.first()
  let truncation: string | null = null
  for (let number = 1; ; number++) {
    const limit = budget.limitReached()
    if (limit !== undefined) return { outcome: 'limit_reached', reason: limit, proof: null }
    const { page, request, ms } = await askPage(run, paginator, state, builder, values, number)
    const step = paginator.next(state, factsOf(page))
    for (const note of [...page.notes, ...(step.note === undefined ? [] : [step.note])]) notes.add(note)
    if (step.discard !== true) {
      truncation = truncationSoFar(fetch, truncation, page)
      const end = endAtCap(await store(run, page, { request, ms }), step)
      if (end !== undefined) return end
    }
    if (!step.more) return judged(fetch, step, page, truncation, builder.build(request, values), builder)
    state = step.state
  }
}

type Values = (name: string) => Json | undefined

/** The secrets and the job id that the arguments wait for, and the builder of the arguments themselves. */
async function openArguments(run: Fetch): Promise<{ builder: ArgumentBuilder; values: Values }> {
  const { fetch, ports, budget, caller, notes } = run
  const secrets = await lateSecrets(fetch, ports)
  let jobId: Json = null
  const values: Values = (name) => (name === 'job.id' ? jobId : secrets.get(name))
  if (fetch.pagination.job !== null) {
    jobId = await runSearchJob(fetch.pagination.job, fetch, caller, ports, budget, values)
  }
  const builder = argumentBuilder(fetch, await caller.prepare(fetch.tool))
  for (const note of builder.notes) notes.add(note)
  return { builder, values }
}

/**
 * What the source has said about rows it kept back. Our built-in notices are believed on the last page only, since a
 * source that pages may say "truncated" on every page; rules of the binding are believed wherever they match.
 */
function truncationSoFar(fetch: FetchSpec, before: string | null, page: AnswerPage): string | null {
  if (page.truncation !== null && fetch.answer.onTruncated === 'fail') {
    throw new RunError('ANSWER_TRUNCATED', `the source sent less than it has: ${page.truncation}`, {
      hint: 'narrow the query, page through the source, or set on_truncated: warn to keep what came',
    })
  }
  return page.truncation ?? (fetch.answer.truncatedWhen === null ? null : before)
}

/** The secrets that this fetch's arguments name. */
async function lateSecrets(fetch: FetchSpec, ports: TablePorts): Promise<Map<string, Json>> {
  const names = new Set<string>()
  for (const late of fetch.late) {
    for (const part of late.parts)
      if (typeof part !== 'string' && part.name.startsWith('secret.')) names.add(part.name)
  }
  const values = new Map<string, Json>()
  for (const name of names) values.set(name, await ports.secret(name.slice('secret.'.length)))
  return values
}

/** A `maximum` of the limit in the tool's schema is what the source gives at most. */
function clamped(spec: PaginationSpec, maximum: number | undefined, notes: Set<string>): PaginationSpec {
  if (spec.mode === 'none' || maximum === undefined || maximum < 1 || maximum >= spec.pageSize) return spec
  notes.add(`page_size ${spec.pageSize} is more than the tool takes: ${maximum} rows are asked for per page`)
  return { ...spec, pageSize: Math.floor(maximum) }
}

async function askPage(
  run: Fetch,
  paginator: Paginator,
  state: PageState,
  builder: ArgumentBuilder,
  values: Values,
  number: number,
): Promise<{ page: AnswerPage; request: PageRequest; ms: number }> {
  const { fetch, ports, caller, budget } = run
  const request = paginator.request(state)
  const args = builder.build(request, values)
  const nextTool = fetch.pagination.mode === 'none' ? null : fetch.pagination.nextTool
  const tool = request.following && nextTool !== null ? nextTool : fetch.tool
  if (tool !== fetch.tool) await caller.prepare(tool)
  const startedAt = ports.clock.now()
  const page = await caller.call(tool, args, async (result) => {
    const links: string[] = []
    if (fetch.answer.followLinks)
      for (const uri of linkUris(result)) links.push(await caller.readResource(uri))
    return readAnswer(
      result,
      { answer: fetch.answer, fields: run.fields, firstPage: number === 1, header: run.header, links },
      ports.vocabulary,
    )
  })
  budget.pages += 1
  run.header ??= page.header
  return { page, request, ms: Math.round(ports.clock.now() - startedAt) }
}

function factsOf(page: AnswerPage): PageFacts {
  return {
    items: page.items,
    lastRow: page.rows.at(-1),
    fingerprint: page.fingerprint,
    truncation: page.truncation,
    find(text) {
      const path = compilePath(text)
      for (const document of page.lookups) {
        const value = readPath(document, path)
        if (value !== undefined) return value
      }
      return undefined
    },
    match: (pattern) => compileRegex(pattern).match(page.text)?.[1],
  }
}

async function store(
  run: Fetch,
  page: AnswerPage,
  facts: { request: PageRequest; ms: number },
): Promise<PageReceipt> {
  try {
    return await run.receive(page, {
      page: run.budget.pages,
      part: run.part,
      at: facts.request.at,
      items: page.items,
      bytes: page.bytes,
      ms: facts.ms,
      attempt: run.ports.attempt,
    })
  } catch (error) {
    throw new ReceiverError('the receiver refused a page', { cause: error })
  }
}

/** What reaching `max_rows` means; undefined while there is room, or while one more call must tell. */
function endAtCap(receipt: PageReceipt, step: NextPage | LastPage): Ending | undefined {
  const capped = (reason: string): Ending => ({ outcome: 'row_cap', reason, proof: null })
  if (receipt.cut) return capped('max_rows is reached and the source has more')
  if (!receipt.full || !step.more || Number(step.state['confirming'] ?? 0) > 0) return undefined
  return capped('max_rows is reached and the source may have more')
}

/** The end that the paginator sees, in the light of what the source says about its completeness. */
function judged(
  fetch: FetchSpec,
  end: LastPage,
  page: AnswerPage,
  truncation: string | null,
  args: JsonObject,
  builder: ArgumentBuilder,
): Ending {
  const { outcome, reason, proof } = end
  if (outcome !== 'complete') return { outcome, reason, proof }
  const capped = (why: string): Ending => ({ outcome: 'source_capped', reason: why, proof: null })
  // A cut slice of time has been judged by its own rules.
  if (truncation !== null && fetch.pagination.mode !== 'time_window') {
    return capped(`the source sent less than it has: ${truncation}`)
  }
  if (proof === 'unpaged' && page.items > 0 && builder.askedFor(args).has(page.items)) {
    return capped(`exactly as many rows came as were asked for (${page.items}): the source may have more`)
  }
  return { outcome, reason, proof }
}
