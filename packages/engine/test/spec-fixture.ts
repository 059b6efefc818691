import type { AnswerSpec, ColumnSpec, FetchSpec, PaginationSpec, TableSpec } from '@huntfleet/contract'
import { contextOf } from './formats/format-context.ts'

export function columnSpec(name: string, type = 'BIGINT', more: Partial<ColumnSpec> = {}): ColumnSpec {
  return {
    name,
    type,
    required: false,
    format: null,
    timezone: null,
    round: 'reject',
    sensitive: 'none',
    ...more,
  }
}

/** A JSON answer whose rows are the array `rows`, or as `more` says. */
export function answerSpec(more: Partial<AnswerSpec> = {}): AnswerSpec {
  return { ...contextOf().answer, format: 'json', itemsPath: 'rows', ...more }
}

/** One fetch of the tool `search` that maps the fields `id` and `note`. */
export function fetchSpec(more: Partial<FetchSpec> = {}): FetchSpec {
  return {
    server: 'siem',
    configKey: null,
    tool: 'search',
    label: '',
    args: {},
    late: [],
    timeoutMs: 30_000,
    answer: answerSpec(),
    pagination: unpaged,
    retry: { attempts: 4, baseMs: 1_000, maxMs: 30_000 },
    mapping: [[{ from: 'path', path: 'id' }], [{ from: 'path', path: 'note' }]],
    ...more,
  }
}

/** A table of a BIGINT `id` and a VARCHAR `note`. */
export function tableSpec(fetches: readonly FetchSpec[], more: Partial<TableSpec> = {}): TableSpec {
  return {
    runId: 'hunt.20260101T000000Z',
    strategy: 'hunt',
    version: '1',
    table: 'events',
    server: 'siem',
    tool: 'search',
    optional: false,
    columns: [columnSpec('id'), columnSpec('note', 'VARCHAR')],
    fetches: [...fetches],
    budget: budgetSpec(),
    onReject: 'null',
    onIncomplete: 'keep',
    dedupeKey: [],
    dataPrefix: 'strategy=hunt/table=events/dt=2026-01-01/run=r',
    rejectsPrefix: '_rejects/strategy=hunt/table=events/dt=2026-01-01/run=r',
    scheduledAt: '2026-01-01T00:00:00.000Z',
    hashes: { contract: 'c', binding: 'b', args: 'a' },
    ...more,
  }
}

/** Five minutes and 10,000 rows, as by default. */
export function budgetSpec(more: Partial<TableSpec['budget']> = {}): TableSpec['budget'] {
  return { timeMs: 300_000, maxRows: 10_000, maxBytes: null, maxPages: null, maxCalls: null, ...more }
}

export const unpaged: PaginationSpec = { mode: 'none', totalPath: null, hasMorePath: null, job: null }

const paged: Omit<Extract<PaginationSpec, { mode: 'offset' }>, 'mode' | 'offsetParam'> = {
  pageSize: 10,
  limitParam: 'size',
  totalPath: null,
  hasMorePath: null,
  stopOn: 'partial',
  maxPageSize: null,
  confirm: 'auto',
  repeatGuard: 'stop',
  nextTool: null,
  nextArgs: null,
  nextLate: [],
  job: null,
}

const byMode = {
  offset: { mode: 'offset', ...paged, offsetParam: 'from' },
  page: { mode: 'page', ...paged, pageParam: 'page', startPage: 1 },
  cursor: {
    mode: 'cursor',
    ...paged,
    cursorParam: 'cursor',
    nextCursorPath: 'next',
    nextCursorPattern: null,
  },
  keyset: { mode: 'keyset', ...paged, cursorParam: 'after', cursorFromLast: ['id'], single: true },
  time_window: {
    mode: 'time_window',
    ...paged,
    startParam: 'start',
    endParam: 'end',
    start: '2026-01-01T00:00:00.000Z',
    end: '2026-01-01T01:00:00.000Z',
    timeFormat: 'iso',
    windowMs: 600_000,
    minWindowMs: 1_000,
    order: 'ascending',
  },
} as const satisfies Record<string, PaginationSpec>

export type PagedMode = keyof typeof byMode
type SpecOf<M extends PagedMode> = Extract<PaginationSpec, { mode: M }>

/** A pagination by this mode with 10 rows a page. */
export function pagedBy<M extends PagedMode>(mode: M, more: Partial<SpecOf<M>> = {}): SpecOf<M> {
  const base: Record<PagedMode, PaginationSpec> = byMode
  const isMode = (spec: PaginationSpec): spec is SpecOf<M> => spec.mode === mode
  const spec = base[mode]
  if (!isMode(spec)) throw new Error(`no pagination ${mode}`)
  return { ...spec, ...more }
}
