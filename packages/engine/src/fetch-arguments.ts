import type { FetchSpec, Json, LateArgument, PaginationSpec } from '@huntfleet/contract'
import { argumentMisfits } from './argument-fit.ts'
import type { Budget } from './budget.ts'
import type { PageCaller } from './page-caller.ts'
import { createPaginator } from './registry.ts'
import { runSearchJob, type SubmittedSearch } from './search-job.ts'
import type { CallPorts } from './table-ports.ts'
import { type ArgumentBuilder, argumentBuilder } from './tool-arguments.ts'

/** The value of `{{secret.*}}` or `{{job.id}}`; undefined for a name that has none here. */
export type LateValue = (name: string) => Json | undefined

/** What asks for the pages of a fetch. */
export interface FetchArguments {
  builder: ArgumentBuilder
  values: LateValue
  /** As bound, with a page size that the tool takes. */
  pagination: PaginationSpec
  notes: string[]
}

/**
 * What the arguments of a fetch wait for, and the builder of the arguments themselves: reads the secrets that they
 * name, runs the search job, and looks the tools up. `before` is what an earlier attempt at the fetch has left. Throws SECRET_UNSET, TOOL_UNKNOWN, TOOL_REFUSED, and what a call
 * throws.
 */
export async function openArguments(
  fetch: FetchSpec,
  caller: PageCaller,
  ports: CallPorts,
  budget: Budget,
  before: SubmittedSearch & { pageSize: number | null },
): Promise<FetchArguments> {
  const { pagination } = fetch
  const secrets = await lateSecrets(fetch, ports)
  let jobId: Json = null
  const values: LateValue = (name) => (name === 'job.id' ? jobId : secrets.get(name))
  if (pagination.job !== null) {
    jobId = await runSearchJob(pagination.job, fetch, caller, ports, budget, values, before)
  }
  const tool = await caller.prepare(fetch.tool)
  // Looked up before the first page, so that a name that is wrong does not wait for a day with two pages.
  const nextTool =
    pagination.mode === 'none' || pagination.nextTool === null
      ? tool
      : await caller.prepare(pagination.nextTool)
  const builder = argumentBuilder(fetch, tool, nextTool)
  const notes = [...builder.notes]
  const inForce = withPageSize(clamped(pagination, builder.limitMaximum, notes), before.pageSize)
  const paginator = createPaginator(inForce)
  const args = builder.build(paginator.request(paginator.first()), values)
  // A note and no error: many servers take more than they declare.
  for (const misfit of argumentMisfits(tool?.inputSchema, args))
    notes.push(`${fetch.tool} declares its arguments otherwise: ${misfit}`)
  return { builder, values, pagination: inForce, notes }
}

/** The secrets that this fetch's arguments name. */
async function lateSecrets(fetch: FetchSpec, ports: CallPorts): Promise<Map<string, Json>> {
  const names = new Set<string>()
  for (const late of allLate(fetch)) {
    for (const part of late.parts)
      if (typeof part !== 'string' && part.name.startsWith('secret.')) names.add(part.name)
  }
  const values = new Map<string, Json>()
  for (const name of names) values.set(name, await ports.secret(name.slice('secret.'.length)))
  return values
}

/** Everything that waits, in the arguments of every call of the fetch. */
function allLate({ late, pagination }: FetchSpec): LateArgument[] {
  const { job } = pagination
  return [
    ...late,
    ...(pagination.mode === 'none' ? [] : pagination.nextLate),
    ...(job === null ? [] : [...(job.submitLate ?? []), ...job.pollLate]),
  ]
}

/** A `maximum` of the limit in the tool's schema is what the source gives at most. */
function clamped(spec: PaginationSpec, maximum: number | undefined, notes: string[]): PaginationSpec {
  if (spec.mode === 'none' || maximum === undefined || maximum < 1 || maximum >= spec.pageSize) return spec
  notes.push(`page_size ${spec.pageSize} is more than the tool takes: ${maximum} rows are asked for per page`)
  return { ...spec, pageSize: Math.floor(maximum) }
}

/** A fetch that goes on keeps its page size: its state counts in pages of it. */
function withPageSize(spec: PaginationSpec, pageSize: number | null): PaginationSpec {
  return spec.mode === 'none' || pageSize === null ? spec : { ...spec, pageSize }
}
