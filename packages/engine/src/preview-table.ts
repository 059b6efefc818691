import { type JsonObject, RunError, type TableSpec } from '@huntfleet/contract'
import { Budget } from './budget.ts'
import type { CellValue } from './coerce/cell-value.ts'
import { Rejection } from './coerce/rejection.ts'
import { openArguments } from './fetch-arguments.ts'
import type { Exact } from './json/exact.ts'
import { compileMapping, sourceName } from './mapping.ts'
import { pageCaller } from './page-caller.ts'
import { countOf } from './paginators/page-count.ts'
import { compilePath, readPath } from './path.ts'
import { type PickedBody, pickedBody } from './picked-body.ts'
import { readPage } from './read-page.ts'
import { createPaginator } from './registry.ts'
import { protectedCoercer } from './sensitive.ts'
import type { CallPorts } from './table-ports.ts'

/** The first page of a table's first source, in every step on its way to rows. */
export interface TablePreview {
  table: string
  call: { server: string; tool: string; args: JsonObject }
  /** The part of the answer that holds the rows. */
  body: PickedBody
  columns: { name: string; type: string; source: string; nulls: number; rejects: number }[]
  rows: CellValue[][]
  rejects: { row: number; column: string | null; reason: string }[]
  items: number
  bytes: number
  ms: number
  notes: string[]
  truncation: string | null
  /** What the whole table would take, as far as this page tells; nulls where it tells nothing. */
  estimate: { pages: number | null; seconds: number | null; total: number | null }
}

export interface PreviewLimits {
  /** Rows and rejects that are kept. */
  rows: number
}

/**
 * Calls a table's source once and shows what becomes of the answer; nothing is stored. Throws what a run would report
 * as the table's error.
 */
export async function previewTable(
  spec: TableSpec,
  ports: CallPorts,
  limits: PreviewLimits,
): Promise<TablePreview> {
  const fetch = spec.fetches[0]
  if (fetch === undefined)
    throw new RunError(
      'USAGE_INVALID',
      `${spec.table} has nothing to ask for: the list of for_each is empty`,
      { table: spec.table },
    )
  const budget = new Budget(spec.budget, ports.clock)
  const caller = pageCaller(fetch, ports, budget, () => {})
  try {
    const { pagination, builder, values, notes } = await openArguments(fetch, caller, ports, budget, {
      id: null,
      pageSize: null,
      submitted: async () => {},
    })
    const paginator = createPaginator(pagination)
    const args = builder.build(paginator.request(paginator.first()), values)
    const fields = spec.columns.map((column, i) => ({
      source: sourceName(fetch.mapping[i] ?? []),
      column: column.name,
      type: column.type,
    }))
    const startedAt = ports.clock.now()
    const { page, body } = await caller.call(fetch.tool, args, async (result) => {
      const reading = { answer: fetch.answer, fields, firstPage: true, header: null }
      const page = await readPage(result, reading, caller, ports.vocabulary)
      return { page, body: pickedBody(result, fetch.answer) }
    })
    const ms = Math.round(ports.clock.now() - startedAt)
    const mapped = mapRows(spec, page.rows)
    for (const reject of page.rejects)
      mapped.rejects.push({ row: reject.row, column: null, reason: reject.reason })
    const total = totalIn(fetch.pagination.totalPath, page.lookups)
    const pages =
      fetch.pagination.mode === 'none' || total === undefined || page.items === 0
        ? null
        : Math.ceil(Math.min(total, spec.budget.maxRows) / page.items)
    return {
      table: spec.table,
      call: { server: fetch.server, tool: fetch.tool, args },
      body,
      columns: spec.columns.map((column, i) => ({
        name: column.name,
        type: column.type,
        source: fields[i]?.source ?? '',
        nulls: mapped.nulls[i] ?? 0,
        rejects: mapped.rejectCounts[i] ?? 0,
      })),
      rows: mapped.rows.slice(0, limits.rows),
      rejects: mapped.rejects.slice(0, limits.rows),
      items: page.items,
      bytes: page.bytes,
      ms,
      notes: [...notes, ...page.notes, ...caller.notes],
      truncation: page.truncation,
      estimate: {
        pages,
        seconds: pages === null ? null : Math.round((pages * ms) / 100) / 10,
        total: total ?? null,
      },
    }
  } finally {
    await caller.close()
  }
}

function totalIn(path: string | null, documents: Iterable<Exact>): number | undefined {
  if (path === null) return undefined
  const compiled = compilePath(path)
  for (const document of documents) {
    const value = readPath(document, compiled)
    if (value !== undefined) return countOf(value)
  }
  return undefined
}

/** Rows of a table's first source as its contract has them, with what did not fit. */
export function mapRows(spec: TableSpec, source: Parameters<ReturnType<typeof compileMapping>[number]>[0][]) {
  const fetch = spec.fetches[0]
  const readers = compileMapping(fetch?.mapping ?? [], fetch?.answer.nullValues ?? [])
  const coercers = spec.columns.map(protectedCoercer)
  const nulls = spec.columns.map(() => 0)
  const rejectCounts = spec.columns.map(() => 0)
  const rejects: TablePreview['rejects'] = []
  const rows = source.map((row, position) =>
    coercers.map((coerce, i): CellValue => {
      const cell = coerce(readers[i]?.(row))
      const value = cell instanceof Rejection ? cell.stored : cell
      if (value === null) nulls[i] = (nulls[i] ?? 0) + 1
      if (cell instanceof Rejection) {
        rejectCounts[i] = (rejectCounts[i] ?? 0) + cell.count
        for (const reason of cell.reasons)
          rejects.push({ row: position + 1, column: spec.columns[i]?.name ?? null, reason })
      }
      return value
    }),
  )
  return { rows, nulls, rejects, rejectCounts }
}
