import {
  compileRegex,
  type FetchSpec,
  fillLateArguments,
  type Json,
  type JsonObject,
  type LateArgument,
  RunError,
  type SearchJobSpec,
} from '@huntfleet/contract'
import type { Budget } from './budget.ts'
import { exactText } from './json/compact.ts'
import type { Exact } from './json/exact.ts'
import { toPlain } from './json/to-plain.ts'
import type { PageCaller } from './page-caller.ts'
import { compilePath, readPath } from './path.ts'
import { readDocuments } from './read-answer.ts'
import type { CallPorts } from './table-ports.ts'
import { withArgument } from './tool-arguments.ts'

/** The search of a fetch, where its submitter may be another worker than who polls it. */
export interface SubmittedSearch {
  /** Id of the search; null: it is yet to be submitted. */
  id: Json
  /** Called as soon as the search is submitted. */
  submitted(id: Json): Promise<void>
}

/**
 * Submits a search and polls until it is done; resolves with the id that `{{job.id}}` stands for. All waiting is
 * inside the table's budget.
 */
export async function runSearchJob(
  job: SearchJobSpec,
  fetch: FetchSpec,
  caller: PageCaller,
  ports: CallPorts,
  budget: Budget,
  values: (name: string) => Json | undefined,
  search: SubmittedSearch,
): Promise<Json> {
  let { id } = search
  if (id === null) {
    id = await submit(job, fetch, caller, budget, values)
    await search.submitted(id)
  }
  await poll(job, id, caller, ports, budget, values)
  return id
}

async function submit(
  job: SearchJobSpec,
  fetch: FetchSpec,
  caller: PageCaller,
  budget: Budget,
  values: (name: string) => Json | undefined,
): Promise<Json> {
  await caller.prepare(job.submitTool)
  budget.refuseAtLimit()
  const submitArgs = submitArguments(job, fetch.late, values)
  const submitted = await caller.call(job.submitTool, submitArgs, (result) => readDocuments(result))
  const found = firstAt(submitted, job.idPath)
  if (found === undefined || found === null) {
    throw new RunError(
      'ITEMS_NOT_FOUND',
      `${job.submitTool} answered without ${JSON.stringify(job.idPath)}, the id of the search`,
      {
        tool: job.submitTool,
        hint: 'correct pagination.job.id_path',
      },
    )
  }
  return toPlain(found)
}

async function poll(
  job: SearchJobSpec,
  id: Json,
  caller: PageCaller,
  ports: CallPorts,
  budget: Budget,
  values: (name: string) => Json | undefined,
): Promise<void> {
  await caller.prepare(job.pollTool)
  const pollFilled = fillLateArguments(job.pollArgs, job.pollLate, (name) =>
    name === 'job.id' ? id : values(name),
  )
  const pollArgs = withArgument(pollFilled, job.pollParam.split('.'), id)
  for (;;) {
    const answer = await caller.call(job.pollTool, pollArgs, (result) => readDocuments(result))
    if (job.doneWhen.some((rule) => holds(rule, firstAt(answer, rule.path)))) return
    budget.refuseAtLimit()
    if (budget.leftMs <= job.pollIntervalMs) throw budget.spentError()
    await ports.clock.sleep(job.pollIntervalMs, ports.signal)
  }
}

/** The submit call's arguments: what waits for the job or for a page is left out of them. */
function submitArguments(
  { submitArgs, submitLate }: SearchJobSpec,
  late: readonly LateArgument[],
  values: (name: string) => Json | undefined,
): JsonObject {
  const own = (submitLate ?? late).filter((argument) => hasPlace(submitArgs, argument.at))
  return fillLateArguments(submitArgs, own, (name) =>
    name === 'job.id' || name.startsWith('page.') ? null : values(name),
  )
}

function hasPlace(args: JsonObject, at: LateArgument['at']): boolean {
  let here: Json | undefined = args
  for (const key of at) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, key)) return false
    here = Array.isArray(here) ? here[Number(key)] : here[key]
  }
  return true
}

function firstAt(documents: readonly Exact[], path: string): Exact | undefined {
  const compiled = compilePath(path)
  for (const document of documents) {
    const value = readPath(document, compiled)
    if (value !== undefined) return value
  }
  return undefined
}

function holds(rule: SearchJobSpec['doneWhen'][number], value: Exact | undefined): boolean {
  const text = value === undefined || value === null ? '' : exactText(value)
  switch (rule.test) {
    case 'exists':
      return (value !== undefined && value !== null && value !== false) === (rule.value !== false)
    case 'equals':
      return value !== undefined && same(value, rule.value)
    case 'in':
      return value !== undefined && Array.isArray(rule.value) && rule.value.some((one) => same(value, one))
    case 'matches':
      return compileRegex(String(rule.value)).test(text)
  }
}

const same = (value: Exact, wanted: Json) => JSON.stringify(toPlain(value)) === JSON.stringify(wanted)
