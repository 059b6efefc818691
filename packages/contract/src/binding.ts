import { bindingSchema, fetchModes, type SourceBinding, type Vocabulary } from './binding-schema.ts'
import type { Contract } from './contract-schema.ts'
import { didYouMean } from './did-you-mean.ts'
import { checkSchema, type Finding, findingAt } from './finding.ts'
import type { Json, JsonObject } from './json-value.ts'
import { ownValue } from './own-value.ts'
import type { ServerText } from './project-schema.ts'
import type { DocumentPath, YamlFile } from './yaml-file.ts'

/** One source of a table as it is in force: binding over tool profile over server defaults. */
export interface BoundSource {
  binding: SourceBinding
  mode: 'fleet' | 'agent' | 'native'
  /** Where the entry stands in binding.yaml. */
  at: DocumentPath
}

/** A binding, read and joined with the servers' profiles. */
export interface Binding {
  sources: ReadonlyMap<string, readonly BoundSource[]>
  /** The source field that a semantic override gives a table's column; undefined without one. */
  override(table: string, semantic: string): string | undefined
}

export interface BindingContext {
  contract: Contract
  vocabulary: Vocabulary
  servers: Readonly<Record<string, ServerText>>
}

/** Reads a binding; what is wrong in it is among the findings and left out. undefined when nothing is left. */
export function readBinding(
  source: YamlFile,
  context: BindingContext,
): { binding: Binding | undefined; findings: Finding[] } {
  const checked = checkSchema(source, withoutNulls(source.value), bindingSchema(context.vocabulary), {
    code: 'BINDING_INVALID',
    unknownKeys: () => 'warning',
  })
  const findings = [...checked.findings]
  if (checked.rest === undefined) return { binding: undefined, findings }
  const tables = Object.keys(context.contract.requires.tables)
  const sources = new Map<string, BoundSource[]>()
  for (const [table, entry] of Object.entries(checked.rest.source_bindings)) {
    if (!tables.includes(table)) {
      const guess = didYouMean(table, tables)
      const message = `source_bindings.${table}: the contract has no table ${JSON.stringify(table)}; its tables are ${tables.join(', ') || 'none'}${guess ? `; did you mean ${guess}?` : ''}`
      findings.push(findingAt(source, 'error', 'BINDING_INVALID', ['source_bindings', table], message, 'key'))
      continue
    }
    const list = Array.isArray(entry) ? entry : [entry]
    const at = (i: number): DocumentPath =>
      Array.isArray(entry) ? ['source_bindings', table, i] : ['source_bindings', table]
    sources.set(
      table,
      list.map((own, i) => ({ ...inForce(own, context.servers), at: at(i) })),
    )
  }
  const binding = { sources, override: overrides(checked.rest.field_overrides, tables) }
  return { binding, findings }
}

/** A key without a value means the key is not set, as it does in the documents people have. */
function withoutNulls(value: Json): Json {
  const bindings = asObject(asObject(value)['source_bindings'])
  const clean = (entry: Json): Json => {
    if (Array.isArray(entry)) return entry.map(clean)
    if (entry === null || typeof entry !== 'object') return entry
    return Object.fromEntries(Object.entries(entry).filter(([, field]) => field !== null))
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const top = Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
  if (top['source_bindings'] === undefined || Object.keys(bindings).length === 0) return top
  return {
    ...top,
    source_bindings: Object.fromEntries(
      Object.entries(bindings).map(([table, entry]) => [table, clean(entry)]),
    ),
  }
}

const asObject = (value: Json | undefined): JsonObject =>
  value !== null && value !== undefined && typeof value === 'object' && !Array.isArray(value) ? value : {}

/** binding > tools.<tool> > defaults, field by field; `mcp_args` and `field_map` are joined key by key. */
function inForce(
  own: SourceBinding,
  servers: Readonly<Record<string, ServerText>>,
): Pick<BoundSource, 'binding' | 'mode'> {
  const server = own.mcp_server === undefined ? undefined : ownValue(servers, own.mcp_server)
  const tool = own.mcp_tool ?? server?.defaults?.mcp_tool
  const layers = [
    server?.defaults ?? {},
    (tool === undefined ? undefined : ownValue(server?.tools, tool)) ?? {},
    own,
  ]
  let merged: SourceBinding = {}
  for (const above of layers) {
    const joined: SourceBinding = { ...merged, ...above }
    if (merged.mcp_args && above.mcp_args) joined.mcp_args = { ...merged.mcp_args, ...above.mcp_args }
    if (merged.field_map && above.field_map) joined.field_map = { ...merged.field_map, ...above.field_map }
    // A format in one layer takes the place of an adapter in a lower one, and the other way round.
    if (above.response_format && !above.response_adapter) delete joined.response_adapter
    if (above.response_adapter && !above.response_format) delete joined.response_format
    merged = joined
  }
  return { binding: merged, mode: fetchModes[merged.fetch_mode ?? 'mcp'] }
}

/** `semantic → table → field`, or `table → semantic → field` where the outer key is a table. */
function overrides(
  text: Record<string, Record<string, string>>,
  tables: readonly string[],
): Binding['override'] {
  const byTable = new Map<string, Map<string, string>>()
  const add = (table: string, semantic: string, field: string) => {
    const fields = byTable.get(table) ?? new Map<string, string>()
    byTable.set(table, fields.set(semantic, field))
  }
  for (const [outer, inner] of Object.entries(text)) {
    for (const [key, field] of Object.entries(inner)) {
      if (tables.includes(key)) add(key, outer, field)
      else if (tables.includes(outer)) add(outer, key, field)
    }
  }
  return (table, semantic) => byTable.get(table)?.get(semantic)
}
