import { bindingSchema, fetchModes, type SourceBinding, type Vocabulary } from './binding-schema.ts'
import { checkSchema } from './check-schema.ts'
import type { Contract } from './contract-schema.ts'
import { didYouMean } from './did-you-mean.ts'
import { type Finding, findingAt } from './finding.ts'
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
  const checked = checkSchema(source, source.value ?? {}, bindingSchema(context.vocabulary), {
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
    const columns = ownValue(context.contract.requires.tables, table)?.columns ?? {}
    sources.set(
      table,
      list.map((own, i) => ({ ...inForce(own, context.servers, columns), at: at(i) })),
    )
  }
  const text = checked.rest.field_overrides
  findings.push(...checkOverrides(source, text, context.contract))
  return { binding: { sources, override: overrides(text, tables) }, findings }
}

/**
 * binding > tools.<tool> > defaults, field by field; `mcp_args` and `field_map` are joined key by key. A profile serves
 * many contracts: what it maps to columns that this one lacks does not count.
 */
function inForce(
  own: SourceBinding,
  servers: Readonly<Record<string, ServerText>>,
  columns: Readonly<Record<string, unknown>>,
): Pick<BoundSource, 'binding' | 'mode'> {
  const server = own.mcp_server === undefined ? undefined : ownValue(servers, own.mcp_server)
  const tool = own.mcp_tool ?? server?.defaults?.mcp_tool
  const profiles = [server?.defaults, tool === undefined ? undefined : ownValue(server?.tools, tool)]
  const layers = [...profiles.map((profile) => forColumns(profile ?? {}, columns)), own]
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

function forColumns(profile: SourceBinding, columns: Readonly<Record<string, unknown>>): SourceBinding {
  if (profile.field_map === undefined) return profile
  const known = Object.entries(profile.field_map).filter(([column]) => Object.hasOwn(columns, column))
  return { ...profile, field_map: Object.fromEntries(known) }
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

/** An override that nothing uses leaves a column with nulls and no word about it. */
function checkOverrides(
  source: YamlFile,
  text: Record<string, Record<string, string>>,
  { requires }: Contract,
): Finding[] {
  const tables = Object.keys(requires.tables)
  const semanticsOf = (table: string) =>
    Object.values(ownValue(requires.tables, table)?.columns ?? {}).flatMap((column) => column.semantic ?? [])
  const findings: Finding[] = []
  const warn = (path: DocumentPath, message: string, word: string, known: readonly string[]) => {
    const guess = didYouMean(word, known)
    const advice = guess ? `; did you mean ${guess}?` : `; there are ${known.join(', ') || 'none'}`
    const text = `${path.join('.')}: ${message} ${JSON.stringify(word)}${advice}`
    findings.push(findingAt(source, 'warning', 'BINDING_INVALID', path, text, 'key'))
  }
  for (const [outer, inner] of Object.entries(text)) {
    for (const key of Object.keys(inner)) {
      const path = ['field_overrides', outer, key]
      const [table, semantic] = tables.includes(key) ? [key, outer] : [outer, key]
      const known = semanticsOf(table)
      if (!tables.includes(table)) warn(path, 'the contract has no table', key, tables)
      else if (!known.includes(semantic))
        warn(path, `no column of the table ${table} has the semantic`, semantic, known)
    }
  }
  return findings
}
