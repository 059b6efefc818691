import { createHash } from 'node:crypto'
import type { Binding, BoundSource } from './binding.ts'
import { columnTypeName, parseColumnType } from './column-type.ts'
import { compileAnswer } from './compile-answer.ts'
import { compileMapping } from './compile-mapping.ts'
import { compilePagination, type FillArguments } from './compile-pagination.ts'
import type { ContractTable } from './contract-schema.ts'
import { didYouMean } from './did-you-mean.ts'
import { type Finding, findingAt, throwOnErrors } from './finding.ts'
import { interpolate } from './interpolate.ts'
import type { RunWindow } from './jobs.ts'
import type { Json, JsonObject } from './json-value.ts'
import { type TableEntry, unfetchedEntry } from './manifest.ts'
import { formatJsonPath, parseJsonPath } from './map-json.ts'
import { checkParams } from './params.ts'
import { RunError } from './run-error.ts'
import type { Scope } from './scope.ts'
import type { Strategy } from './strategy.ts'
import type { ColumnSpec, FetchSpec, TableSpec } from './table-spec.ts'
import type { DocumentPath } from './yaml-file.ts'

/** What a run adds to its strategy. */
export interface CompileOptions {
  runId: string
  scheduledAt: Date
  window: RunWindow
  /** Parameters as given. */
  params: JsonObject
  /** Parameters whose values hold no placeholders, because someone else than the author gave them. */
  literal: ReadonlySet<string>
  /** Key prefixes of a table's files below the storage URL. */
  prefixes(table: string): { data: string; rejects: string }
  /** Time budget of tables whose binding sets none, in milliseconds. */
  budgetMs: number
  /** Only these tables; null: all. */
  tables: readonly string[] | null
  /** Lowers every `max_rows`; null: as bound. */
  maxRows: number | null
}

export interface CompiledRun {
  /** Checked and coerced, defaults included. */
  params: JsonObject
  /** Tables to fetch, in the contract's order. */
  specs: TableSpec[]
  /** Entries of the tables that are not fetched. */
  settled: Record<string, TableEntry>
}

/** Joins contract, binding and parameters into table specs. Throws one `RunError` for everything that is wrong. */
export function compileRun(strategy: Strategy, options: CompileOptions): CompiledRun {
  const { contract } = strategy
  const checked = checkParams(strategy.params, options.params, options.scheduledAt, options.literal)
  throwOnErrors(
    checked.issues.map((issue) => ({ ...issue, severity: 'error', code: 'PARAM_INVALID' }) satisfies Finding),
  )
  const tables = Object.entries(contract.requires.tables)
  for (const name of options.tables ?? []) {
    if (tables.some(([table]) => table === name)) continue
    const names = tables.map(([table]) => table)
    const guess = didYouMean(name, names)
    throw new RunError(
      'USAGE_INVALID',
      `the contract has no table ${JSON.stringify(name)}; its tables are ${names.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
    )
  }
  const scope: Scope = {
    params: checked.values,
    literal: options.literal,
    specs: strategy.params,
    builtins: {
      'run.id': options.runId,
      'run.scheduled_at': options.scheduledAt.toISOString(),
      ...(options.window.start !== null && { 'window.start': options.window.start }),
      ...(options.window.end !== null && { 'window.end': options.window.end }),
    },
  }
  const findings: Finding[] = []
  const run: CompiledRun = { params: checked.values, specs: [], settled: {} }
  for (const [name, table] of tables) {
    if (options.tables !== null && !options.tables.includes(name)) continue
    const sources = strategy.binding?.sources.get(name) ?? []
    const settled = settledEntry(table, sources)
    if (settled !== undefined || strategy.binding === null) run.settled[name] = settled ?? skippedEntry(table)
    else
      run.specs.push(
        compileTable({ name, table, sources, strategy, binding: strategy.binding, scope, options, findings }),
      )
  }
  throwOnErrors(findings)
  return run
}

const columnTypes = (table: ContractTable) =>
  Object.fromEntries(Object.entries(table.columns).map(([name, column]) => [name, typeName(column.type)]))

function typeName(text: string): string {
  const type = parseColumnType(text)
  return type === undefined ? text : columnTypeName(type)
}

const skippedEntry = (table: ContractTable) =>
  unfetchedEntry('skipped', 'optional and not bound', {
    optional: table.optional,
    columns: columnTypes(table),
  })

/** The entry of a table that the fleet does not fetch; undefined when it does. */
function settledEntry(table: ContractTable, sources: readonly BoundSource[]): TableEntry | undefined {
  const facts = { optional: table.optional, columns: columnTypes(table) }
  if (sources.length === 0) return skippedEntry(table)
  if (sources.every((source) => source.mode === 'native'))
    return unfetchedEntry('native', 'the strategy fetches it by itself', facts)
  if (sources.some((source) => source.mode !== 'fleet')) {
    return unfetchedEntry('awaiting_agent', 'an agent must stage it (fetch_mode: mcp)', facts)
  }
  return undefined
}

interface TableContext {
  name: string
  table: ContractTable
  sources: readonly BoundSource[]
  strategy: Strategy
  binding: Binding
  scope: Scope
  options: CompileOptions
  findings: Finding[]
}

function compileTable(context: TableContext): TableSpec {
  const { name, table, sources, strategy, options } = context
  const fetches = sources.flatMap((source, i) =>
    compileSource(context, source, sources.length > 1 ? `${i + 1}` : ''),
  )
  const bindings = sources.map((source) => source.binding)
  // A cap that several sources of one table set is the table's: the largest of what they allow.
  const most = (values: (number | undefined)[], fallback: number) =>
    Math.max(...values.map((value) => value ?? fallback))
  const limit = (field: 'max_bytes' | 'max_pages' | 'max_calls') => {
    const set = bindings.map((binding) => binding[field]).filter((value) => value !== undefined)
    return set.length === 0 ? null : Math.max(...set)
  }
  const maxRows = most(
    bindings.map((binding) => binding.max_rows),
    10_000,
  )
  const keys = bindings.map((binding) => binding.dedupe_key).find((key) => key !== undefined) ?? []
  const prefixes = options.prefixes(name)
  return {
    runId: options.runId,
    strategy: strategy.contract.name,
    version: strategy.contract.version,
    table: name,
    server: sources[0]?.binding.mcp_server ?? '',
    tool: sources[0]?.binding.mcp_tool ?? '',
    optional: table.optional,
    columns: Object.entries(table.columns).map(
      ([column, text]): ColumnSpec => ({
        name: column,
        type: typeName(text.type),
        required: text.required,
        format: text.format ?? null,
        timezone: text.timezone ?? null,
        round: text.round ?? 'reject',
        sensitive: text.sensitive ?? 'none',
      }),
    ),
    fetches,
    budget: {
      timeMs: most(
        bindings.map((binding) => binding.budget),
        options.budgetMs,
      ),
      maxRows: options.maxRows === null ? maxRows : Math.min(maxRows, options.maxRows),
      maxBytes: limit('max_bytes'),
      maxPages: limit('max_pages'),
      maxCalls: limit('max_calls'),
    },
    onReject: bindings.map((binding) => binding.on_reject).find((value) => value !== undefined) ?? 'null',
    onIncomplete: bindings.some((binding) => binding.on_incomplete === 'fail') ? 'fail' : 'keep',
    dedupeKey: Array.isArray(keys) ? keys : [keys],
    dataPrefix: prefixes.data,
    rejectsPrefix: prefixes.rejects,
    scheduledAt: options.scheduledAt.toISOString(),
    hashes: {
      ...strategy.source.hashes,
      args: hashOf(fetches.map((fetch) => [fetch.server, fetch.tool, fetch.args])),
    },
  }
}

const hashOf = (value: Json) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** One fetch, or one per chunk of `for_each`. */
function compileSource(context: TableContext, source: BoundSource, label: string): FetchSpec[] {
  const { scope } = context
  const each = source.binding.for_each
  if (each === undefined) return [compileFetch(context, source, scope, label)]
  // The list may come out of another parameter, and its elements too.
  const list = interpolate(`{{${each.param}}}`, scope)
  if (list.late.length > 0)
    list.issues.push({ message: `the list ${each.param} holds what is known only when a page is asked for` })
  for (const issue of list.issues) addIssue(context, source, ['for_each', 'param'], issue.message)
  if (list.issues.length > 0) return []
  const values = Array.isArray(list.value) ? list.value : []
  const chunkName = each.as ?? each.param
  const fetches: FetchSpec[] = []
  for (let at = 0; at < values.length; at += each.chunk) {
    const chunk = values.slice(at, at + each.chunk)
    const name = `${label && `${label} `}${each.param}[${at}..${at + chunk.length - 1}]`
    fetches.push(
      compileFetch(
        context,
        source,
        {
          ...scope,
          params: { ...scope.params, [chunkName]: chunk },
          literal: new Set([...scope.literal, chunkName]),
        },
        name,
      ),
    )
  }
  return fetches
}

function compileFetch(context: TableContext, source: BoundSource, scope: Scope, label: string): FetchSpec {
  const { name, table, binding: all, options } = context
  const { binding } = source
  const filled = interpolate(templateOf(binding), scope, 'mcp_args')
  for (const issue of filled.issues)
    addIssue(context, source, writtenAt(binding, parseJsonPath(issue.path ?? '')), issue.message)
  const args = asObject(filled.value)
  const fill: FillArguments = (field, text) => {
    const below = interpolate(text, scope)
    for (const issue of below.issues)
      addIssue(context, source, ['pagination', ...field, ...parseJsonPath(issue.path ?? '')], issue.message)
    return { args: asObject(below.value), late: below.late }
  }
  const pagination = compilePagination(binding.pagination, args, filled.late, options.window, fill)
  for (const problem of pagination.problems)
    addIssue(context, source, ['pagination', problem.field], problem.message, 'BINDING_INVALID')
  return {
    server: binding.mcp_server ?? '',
    configKey: binding.config_key ?? null,
    tool: binding.mcp_tool ?? '',
    label,
    args,
    late: filled.late,
    timeoutMs: binding.timeout ?? 30_000,
    answer: compileAnswer(binding),
    pagination: pagination.spec,
    retry: {
      attempts: binding.retry?.attempts ?? 4,
      baseMs: binding.retry?.base ?? 1_000,
      maxMs: binding.retry?.max ?? 30_000,
    },
    mapping: compileMapping(name, table.columns, binding, all),
  }
}

/** Says what is wrong at a place below a source's entry. */
function addIssue(
  { strategy, findings }: TableContext,
  { at }: BoundSource,
  field: DocumentPath,
  message: string,
  code: Finding['code'] = 'PLACEHOLDER_UNRESOLVED',
): void {
  const file = strategy.source.binding ?? strategy.source.contract
  const words = `${formatJsonPath('', [...at, ...field])}: ${message}`
  findings.push(findingAt(file, 'error', code, [...at, ...field], words))
}

/** Where the text of an argument stands in the binding: `query` and `index` may come from fields of their own. */
function writtenAt(binding: BoundSource['binding'], path: DocumentPath): DocumentPath {
  const key = String(path[1])
  if (Object.hasOwn(binding.mcp_args ?? {}, key)) return path
  return [
    key === (binding.query_param ?? 'query') && binding.query_template !== undefined
      ? 'query_template'
      : 'index',
  ]
}

/** The arguments as written: `query_template` and `index` unless `mcp_args` has them already (SPEC section 4). */
function templateOf(binding: BoundSource['binding']): JsonObject {
  const args: JsonObject = { ...binding.mcp_args }
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined && !Object.hasOwn(args, key)) args[key] = value
  }
  add(binding.query_param ?? 'query', binding.query_template)
  add(binding.index_param ?? 'index', binding.index)
  return args
}

const asObject = (value: Json): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
