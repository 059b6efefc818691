import type { PaginationText } from './binding-pagination-schema.ts'
import { compileSearchJob } from './compile-search-job.ts'
import { parseIsoInstant } from './instant.ts'
import type { Json, JsonObject } from './json-value.ts'
import type { LateArgument } from './late-argument.ts'
import type { PaginationSpec, SearchJobSpec } from './pagination-spec.ts'

/** A field of `pagination` that is missing or does not go with the others. */
export interface PaginationProblem {
  field: string
  message: string
}

export interface PaginationContext {
  /** Whether the answer is JSON, so that cursors and totals can be looked up in it. */
  json: boolean
  /** What `response_format` or `response_adapter` says, for messages. */
  formatName: string
  /** Placeholders in the arguments that are filled in per page: they take the place of `*_param`s. */
  pagePlaceholders: ReadonlySet<string>
}

/** What is wrong with a pagination, as far as it shows without a run. */
export function checkPagination(text: PaginationText, context: PaginationContext): PaginationProblem[] {
  const mode = text.mode
  const problems: PaginationProblem[] = []
  const need = (field: keyof PaginationText, ...placeholders: string[]) => {
    if (text[field] !== undefined || placeholders.some((name) => context.pagePlaceholders.has(name))) return
    const instead = placeholders.length > 0 ? ` (or write {{${placeholders[0]}}} into the arguments)` : ''
    problems.push({ field, message: `pagination.${field} is missing: mode ${mode} needs it${instead}` })
  }
  switch (mode) {
    case undefined:
      if (text.job === undefined)
        problems.push({
          field: 'mode',
          message: 'pagination.mode is missing: one of offset, cursor, page, keyset, time_window, none',
        })
      break
    case 'offset':
      need('offset_param', 'page.offset', 'page.number')
      break
    case 'page':
      need('page_param', 'page.number', 'page.offset')
      break
    case 'cursor':
      need('cursor_param', 'page.cursor')
      if (text.next_cursor_pattern === undefined) {
        if (!context.json) {
          problems.push({
            field: 'mode',
            message: `pagination.mode: cursor does not go with ${context.formatName}: the next cursor is looked up in a JSON answer; use mode offset, or give next_cursor_pattern`,
          })
        } else need('next_cursor_path')
      }
      break
    case 'keyset':
      need('cursor_param', 'page.cursor')
      need('cursor_from_last')
      break
    case 'time_window':
      need('window_param_start', 'page.start')
      need('window_param_end', 'page.end')
      break
    case 'none':
      break
  }
  if (!context.json) {
    for (const field of ['total_path', 'has_more_path'] as const) {
      if (text[field] !== undefined) {
        problems.push({
          field,
          message: `pagination.${field} does not go with ${context.formatName}: there is no JSON around the rows`,
        })
      }
    }
  }
  return problems
}

export interface CompiledPagination {
  spec: PaginationSpec
  problems: PaginationProblem[]
}

/** Fills the placeholders of arguments that stand at a place below `pagination`; what is wrong with them it reports. */
export type FillArguments = (
  at: readonly string[],
  args: JsonObject,
) => { args: JsonObject; late: LateArgument[] }

/** The pagination of a source whose arguments are known. `late` tells which of them wait for the page or the job. */
export function compilePagination(
  text: PaginationText | undefined,
  args: JsonObject,
  late: readonly LateArgument[],
  window: { start: string | null; end: string | null },
  fill: FillArguments,
): CompiledPagination {
  const job = text?.job === undefined ? null : compileSearchJob(text.job, args, late, fill)
  if (text?.mode === undefined || text.mode === 'none') {
    const totalPath = text?.total_path ?? null
    const hasMorePath = text?.has_more_path ?? null
    return { spec: { mode: 'none', totalPath, hasMorePath, job }, problems: [] }
  }
  const paged = pagedSpec(text, job, fill)
  switch (text.mode) {
    case 'offset':
      return { spec: { mode: 'offset', ...paged, offsetParam: text.offset_param ?? null }, problems: [] }
    case 'page':
      return {
        spec: { mode: 'page', ...paged, pageParam: text.page_param ?? null, startPage: text.start_page ?? 1 },
        problems: [],
      }
    case 'cursor':
      return {
        spec: {
          mode: 'cursor',
          ...paged,
          cursorParam: text.cursor_param ?? null,
          nextCursorPath: text.next_cursor_path ?? null,
          nextCursorPattern: text.next_cursor_pattern ?? null,
        },
        problems: [],
      }
    case 'keyset': {
      const from = text.cursor_from_last ?? []
      return {
        spec: {
          mode: 'keyset',
          ...paged,
          cursorParam: text.cursor_param ?? null,
          cursorFromLast: Array.isArray(from) ? from : [from],
          single: !Array.isArray(from),
        },
        problems: [],
      }
    }
    case 'time_window':
      return compileTimeWindow(text, paged, args, window)
  }
}

function pagedSpec(text: PaginationText, job: SearchJobSpec | null, fill: FillArguments): Paged {
  const next = text.next_args && fill(['next_args'], text.next_args)
  return {
    pageSize: Math.min(text.page_size ?? 100, text.max_page_size ?? Number.MAX_SAFE_INTEGER),
    limitParam: text.limit_param ?? null,
    totalPath: text.total_path ?? null,
    hasMorePath: text.has_more_path ?? null,
    stopOn: text.stop_on ?? 'partial',
    maxPageSize: text.max_page_size ?? null,
    confirm: text.confirm ?? 'auto',
    repeatGuard: text.repeat_guard ?? 'stop',
    nextTool: text.next_tool ?? null,
    nextArgs: next?.args ?? null,
    nextLate: next?.late ?? [],
    job,
  }
}

type Paged = Omit<Extract<PaginationSpec, { mode: 'offset' }>, 'mode' | 'offsetParam'>

/** The interval is what the two arguments say, else the run's window. */
function compileTimeWindow(
  text: PaginationText,
  paged: Paged,
  args: JsonObject,
  window: { start: string | null; end: string | null },
): CompiledPagination {
  const startParam = text.window_param_start ?? null
  const endParam = text.window_param_end ?? null
  const start = asTime(argumentAt(args, startParam) ?? window.start, 'down')
  const end = asTime(argumentAt(args, endParam) ?? window.end, 'up')
  const problems: PaginationProblem[] = []
  const problem = (field: string, which: string) =>
    problems.push({
      field,
      message: `pagination.${field}: the ${which} of the interval is not known; set the argument to a time (ISO 8601 or epoch), or give the run a window (--from, --to)`,
    })
  if (start === undefined) problem('window_param_start', 'start')
  if (end === undefined) problem('window_param_end', 'end')
  if (start && end && Date.parse(start.iso) > Date.parse(end.iso)) {
    problems.push({
      field: 'window_param_end',
      message: `pagination.window_param_end: the interval ends (${end.iso}) before it begins (${start.iso})`,
    })
  }
  return {
    spec: {
      mode: 'time_window',
      ...paged,
      startParam,
      endParam,
      start: start?.iso ?? '1970-01-01T00:00:00Z',
      end: end?.iso ?? '1970-01-01T00:00:00Z',
      timeFormat: start?.format ?? 'iso',
      windowMs: text.window ?? 3_600_000,
      minWindowMs: text.min_window ?? 1_000,
      order: text.order ?? 'ascending',
    },
    problems,
  }
}

/** The argument at a dot-path: the exact key first, then nested. */
function argumentAt(args: JsonObject, path: string | null): Json | undefined {
  if (path === null) return undefined
  if (Object.hasOwn(args, path)) return args[path]
  let here: Json | undefined = args
  for (const key of path.split('.')) {
    if (here === null || typeof here !== 'object' || Array.isArray(here) || !Object.hasOwn(here, key))
      return undefined
    here = here[key]
  }
  return here
}

type TimeFormat = 'iso' | 's' | 'ms'

/**
 * Epochs by magnitude, as for columns; a source that counts in smaller units than milliseconds is unknown. What lies
 * between two milliseconds is rounded so that the interval loses nothing: its end up, its start down.
 */
function asTime(
  value: Json | undefined,
  between: 'down' | 'up',
): { iso: string; format: TimeFormat } | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  if (/^\d{1,14}$/.test(text)) {
    const format: TimeFormat = Number(text) < 1e11 ? 's' : 'ms'
    return { iso: new Date(Number(text) * (format === 's' ? 1_000 : 1)).toISOString(), format }
  }
  const instant = parseIsoInstant(text)
  if (instant === undefined) return undefined
  const { seconds, fraction } = instant
  const more = between === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0
  const ms = seconds * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0')) + more
  return { iso: new Date(ms).toISOString(), format: 'iso' }
}
