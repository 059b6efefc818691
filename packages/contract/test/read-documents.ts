import type { Vocabulary } from '../src/binding-schema.ts'
import { type CompiledRun, type CompileOptions, compileRun } from '../src/compile.ts'
import { type Finding, sortFindings } from '../src/finding.ts'
import type { JsonObject } from '../src/json-value.ts'
import { projectSchema } from '../src/project-schema.ts'
import { readStrategyDocuments } from '../src/strategy.ts'
import { parseYamlFile } from '../src/yaml-file.ts'

/** What tests say about strategies, as the documents people write. */

export const vocabulary: Vocabulary = {
  formats: ['json', 'csv', 'ndjson', 'tsv'],
  adapters: ['tabular_text'],
}

export const now = new Date('2026-11-30T12:00:00Z')

/** A contract with one table `events`; `more` goes below, `columns` into the table. */
export const contractWith = (more = '', columns = '        id: BIGINT\n        name: VARCHAR\n') =>
  `name: dns\ndescription: d\ntags: [t]\n${more}requires:\n  tables:\n    events:\n      columns:\n${columns}`

/** A binding of `events` to the tool `search` of the server `logs`; `more` is indented by four. */
export const bindingWith = (more = '') =>
  `source_bindings:\n  events:\n    fetch_mode: mcp_client\n    mcp_server: logs\n    mcp_tool: search\n${more}`

export const oneServer: JsonObject = { mcp_servers: { logs: { remote: { url: 'https://mcp.example/' } } } }

export function readDocuments(contract: string, binding: string | null, project: JsonObject = oneServer) {
  const source = {
    folder: 'dns',
    contract: parseYamlFile('contract.yaml', contract, 'CONTRACT_INVALID'),
    binding: binding === null ? null : parseYamlFile('binding.yaml', binding, 'BINDING_INVALID'),
    hashes: { contract: 'c', binding: 'b' },
  }
  const { strategy, findings } = readStrategyDocuments(source, {
    project: projectSchema(vocabulary).parse(project),
    vocabulary,
    now,
  })
  return { strategy, findings: sortFindings(findings) }
}

/** `error binding.yaml:4:17 words`, one per finding, in the order of places. */
export function complaintsOf(findings: readonly Finding[]): string[] {
  return findings.map(
    ({ severity, file, line, column, message }) => `${severity} ${file}:${line}:${column} ${message}`,
  )
}

/** Compiles documents that must be in order. */
export function compileDocuments(
  contract: string,
  binding: string,
  options: Partial<CompileOptions> = {},
  project: JsonObject = oneServer,
): CompiledRun {
  const { strategy, findings } = readDocuments(contract, binding, project)
  if (strategy === undefined) throw new Error(complaintsOf(findings).join('\n'))
  return compileRun(strategy, {
    runId: 'dns.20261130T120000Z.abcdef',
    scheduledAt: now,
    window: { start: null, end: null },
    params: {},
    literal: new Set(),
    prefixes: (table) => ({ data: `data/${table}`, rejects: `_rejects/data/${table}` }),
    budgetMs: 300_000,
    tables: null,
    maxRows: null,
    ...options,
  })
}
