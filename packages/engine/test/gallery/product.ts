import { readFileSync } from 'node:fs'
import {
  type CompiledRun,
  compileRun,
  type Finding,
  parseYamlFile,
  projectSchema,
  readStrategyDocuments,
  type Strategy,
  type TableSpec,
  withAdapters,
} from '@huntfleet/contract'
import { vocabulary as engineWords } from '../../src/registry.ts'

/** The folder of the bindings that the gallery shows. */
export const bindingsFolder = new URL('../../../../examples/bindings/', import.meta.url)

/** The `adapters` of a project file beside the bindings: what some of them need. */
export const exampleAdapters = {
  secops_alerts: '../adapters/secops-alerts.ts',
  toon: '../adapters/toon.ts',
  virustotal_list: '../adapters/virustotal-list.ts',
}
const words = withAdapters(engineWords, { adapters: exampleAdapters })

export const window = { start: '2026-02-03T00:00:00.000Z', end: '2026-02-04T00:00:00.000Z' }
const scheduledAt = new Date(window.end)

/** A product's documents as `huntfleet validate` reads them, beside a project file that knows one server. */
export function readProduct(
  name: string,
  bindingText: string = readFileSync(new URL(`${name}.yaml`, bindingsFolder), 'utf8'),
  server: Record<string, unknown> = {},
): { strategy: Strategy | undefined; findings: Finding[] } {
  const contractFile = `${name}.contract.yaml`
  const contractText = readFileSync(new URL(contractFile, bindingsFolder), 'utf8')
  const project = projectSchema(words).parse({
    mcp_servers: { [name]: { remote: { url: 'https://mcp.example/' }, ...server } },
    adapters: exampleAdapters,
  })
  return readStrategyDocuments(
    {
      folder: name,
      contract: parseYamlFile(contractFile, contractText, 'CONTRACT_INVALID'),
      binding: parseYamlFile(`${name}.yaml`, bindingText, 'BINDING_INVALID'),
      hashes: { contract: '', binding: '' },
    },
    { project, vocabulary: words, now: scheduledAt },
  )
}

/** The table specs of a strategy for a window of one day. */
export function compileTables(strategy: Strategy): CompiledRun {
  return compileRun(strategy, {
    runId: `${strategy.contract.name}.20260204T000000Z`,
    scheduledAt,
    window,
    params: {},
    literal: new Set(),
    prefixes: (table) => ({ data: table, rejects: `_rejects/${table}` }),
    budgetMs: 300_000,
    tables: null,
    maxRows: null,
  })
}

/** The spec of `<product>.<table>`. */
export function specOf(table: string): TableSpec {
  const [product = '', name = ''] = table.split('.')
  const { strategy, findings } = readProduct(product)
  if (strategy === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  const spec = compileTables(strategy).specs.find((one) => one.table === name)
  if (spec === undefined) throw new Error(`examples/bindings/${product}.yaml has no table ${name}`)
  return spec
}
