import { type Binding, readBinding } from './binding.ts'
import type { Vocabulary } from './binding-schema.ts'
import { checkSchema } from './check-schema.ts'
import { checkSource } from './check-source.ts'
import { type Contract, contractSchema } from './contract-schema.ts'
import { type Finding, findingAt } from './finding.ts'
import type { ParamSpec } from './param-spec.ts'
import { checkParamSpecs } from './params.ts'
import type { ProjectText } from './project-schema.ts'
import type { StrategySource } from './strategy-folder.ts'
import type { YamlFile } from './yaml-file.ts'

/** A strategy whose documents are in order. */
export interface Strategy {
  source: StrategySource
  contract: Contract
  params: readonly ParamSpec[]
  /** null: it has no binding.yaml. */
  binding: Binding | null
}

export interface StrategyContext {
  project: Pick<ProjectText, 'mcp_servers' | 'credentials'>
  vocabulary: Vocabulary
  /** Relative times in defaults are checked against it. */
  now: Date
}

/** Reads and checks a strategy's documents; `strategy` is undefined when a finding is an error. */
export function readStrategyDocuments(
  source: StrategySource,
  context: StrategyContext,
): { strategy: Strategy | undefined; findings: Finding[] } {
  const findings: Finding[] = []
  const checked = checkSchema(source.contract, source.contract.value, contractSchema, {
    code: 'CONTRACT_INVALID',
    unknownKeys: () => 'warning',
  })
  findings.push(...checked.findings)
  const contract = checked.rest
  if (contract === undefined) return { strategy: undefined, findings }
  const params = paramSpecs(contract)
  for (const issue of checkParamSpecs(params, context.now)) {
    findings.push(
      findingAt(
        source.contract,
        'error',
        'CONTRACT_INVALID',
        (issue.path ?? 'params').split('.'),
        issue.message,
      ),
    )
  }
  findings.push(...unmaskable(source, contract), ...namesakes(source, contract))
  let binding: Binding | null | undefined = null
  if (source.binding !== null) {
    const read = readBinding(source.binding, {
      contract,
      vocabulary: context.vocabulary,
      servers: context.project.mcp_servers,
    })
    findings.push(...read.findings)
    binding = read.binding
    for (const [table, sources] of read.binding?.sources ?? []) {
      for (const bound of sources) {
        findings.push(
          ...checkSource(bound, { table, contract, params, project: context.project, file: source.binding }),
        )
      }
    }
  }
  findings.push(...unboundTables(source, contract, binding ?? null))
  const broken = binding === undefined || findings.some((finding) => finding.severity === 'error')
  return { strategy: broken ? undefined : { source, contract, params, binding: binding ?? null }, findings }
}

function paramSpecs(contract: Contract): ParamSpec[] {
  return Object.entries(contract.params).map(([name, text]) => ({
    name,
    type: text.type,
    required: text.required,
    description: text.description,
    ...(text.default !== undefined && text.default !== null && { default: text.default }),
    ...(text.enum !== undefined && { enum: text.enum }),
    ...(text.min !== undefined && { min: text.min }),
    ...(text.max !== undefined && { max: text.max }),
  }))
}

/** SQL does not tell such names apart: DuckDB would rename the second one. */
function namesakes(source: StrategySource, contract: Contract): Finding[] {
  const findings: Finding[] = []
  for (const [table, { columns }] of Object.entries(contract.requires.tables)) {
    const seen = new Map<string, string>()
    for (const name of Object.keys(columns)) {
      const first = seen.get(name.toLowerCase())
      const path = ['requires', 'tables', table, 'columns', name]
      if (first === undefined) seen.set(name.toLowerCase(), name)
      else {
        const message = `${path.join('.')}: differs from the column ${first} by its case only, which SQL does not see`
        findings.push(findingAt(source.contract, 'warning', 'CONTRACT_INVALID', path, message, 'key'))
      }
    }
  }
  return findings
}

/** Only text can be masked or hashed; other types can be dropped. */
function unmaskable(source: StrategySource, contract: Contract): Finding[] {
  const findings: Finding[] = []
  for (const [table, { columns }] of Object.entries(contract.requires.tables)) {
    for (const [name, column] of Object.entries(columns)) {
      if (
        column.sensitive === undefined ||
        column.sensitive === 'drop' ||
        /^(varchar|text|string)$/i.test(column.type.trim())
      )
        continue
      const path = ['requires', 'tables', table, 'columns', name, 'sensitive']
      findings.push(
        findingAt(
          source.contract,
          'error',
          'CONTRACT_INVALID',
          path,
          `${path.join('.')}: ${column.type} cannot be ${column.sensitive}ed; only VARCHAR can, or use sensitive: drop`,
        ),
      )
    }
  }
  return findings
}

/** A required table must have an entry, until the catalog can resolve it. */
function unboundTables(source: StrategySource, contract: Contract, binding: Binding | null): Finding[] {
  const file = source.binding ?? source.contract
  return (
    Object.entries(contract.requires.tables)
      .filter(([table, { optional }]) => !optional && binding?.sources.has(table) !== true)
      // A binding or an entry that could not be read says nothing about what it lacks.
      .filter(([table]) => (binding !== null || source.binding === null) && !hasEntry(source.binding, table))
      .map(([table]) =>
        findingAt(
          file,
          'error',
          'TABLE_UNBOUND',
          source.binding === null ? ['requires', 'tables', table] : ['source_bindings'],
          `the required table ${table} has no entry in ${source.binding === null ? `binding.yaml (there is none in ${source.folder})` : 'source_bindings'}; bind it, or mark it optional: automatic resolution comes with the catalog`,
        ),
      )
  )
}

/** Whether the file has something for the table, be it wrong. */
function hasEntry(file: YamlFile | null, table: string): boolean {
  const value = file?.value ?? null
  const entries =
    value !== null && typeof value === 'object' && !Array.isArray(value) && value['source_bindings']
  return entries !== null && typeof entries === 'object' && Object.hasOwn(entries, table)
}
