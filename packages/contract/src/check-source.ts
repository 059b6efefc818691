import type { BoundSource } from './binding.ts'
import { checkPagination } from './compile-pagination.ts'
import type { Contract } from './contract-schema.ts'
import { didYouMean } from './did-you-mean.ts'
import { type Finding, findingAt } from './finding.ts'
import type { Json } from './json-value.ts'
import { isLateName } from './late-names.ts'
import { formatJsonPath, mapJson } from './map-json.ts'
import { ownValue } from './own-value.ts'
import type { ParamSpec } from './param-spec.ts'
import type { ProjectText } from './project-schema.ts'
import { parseTemplate } from './template.ts'
import { unfilteredStrings } from './unfiltered-strings.ts'
import type { DocumentPath, YamlFile } from './yaml-file.ts'

/** What can be known of one source of a table before anything runs (SPEC section 4). */

export interface SourceContext {
  table: string
  contract: Contract
  params: readonly ParamSpec[]
  project: Pick<ProjectText, 'mcp_servers' | 'credentials'>
  file: YamlFile
}

const builtins = ['run.id', 'run.scheduled_at', 'window.start', 'window.end']

export function checkSource(source: BoundSource, context: SourceContext): Finding[] {
  const findings: Finding[] = []
  const { binding, at } = source
  const say: Say = (severity, field, message, what) => {
    const path = [...at, ...field]
    const words = `${at.join('.')}: ${message}`
    findings.push(findingAt(context.file, severity, 'BINDING_INVALID', path, words, what))
  }
  if (binding.fetch_mode === undefined) {
    const looksFetched = (['mcp_args', 'items_path', 'pagination'] as const).filter(
      (field) => binding[field] !== undefined,
    )
    if (looksFetched.length > 0) {
      say(
        'warning',
        [],
        `fetch_mode is missing, so an agent must stage this table; ${looksFetched.join(', ')} only count with fetch_mode: mcp_client`,
      )
    }
  }
  checkFieldMap(source, context, say)
  if (source.mode !== 'fleet') return findings
  checkServer(source, context, say)
  if (binding.response_format !== undefined && binding.response_adapter !== undefined) {
    say(
      'error',
      ['response_adapter'],
      'response_format and response_adapter are mutually exclusive; set one of the two',
    )
  }
  checkJsonFields(binding, say)
  if (binding.item_path !== undefined && binding.items_path === undefined) {
    say(
      'warning',
      ['item_path'],
      'item_path unwraps each row, but items_path is not set; did you mean items_path?',
    )
  }
  const names = checkTemplates(source, context, say)
  if (binding.pagination !== undefined) {
    const format = binding.response_format ?? 'json'
    const json =
      binding.response_adapter === undefined && (format === 'json' || binding.text_path !== undefined)
    const formatName =
      binding.response_adapter === undefined
        ? `response_format: ${format}`
        : `response_adapter: ${binding.response_adapter}`
    for (const problem of checkPagination(binding.pagination, {
      json,
      formatName,
      pagePlaceholders: names,
    })) {
      say('error', ['pagination', problem.field], problem.message)
    }
  }
  return findings
}

/** `field` is the path below the source's entry. */
type Say = (
  severity: Finding['severity'],
  field: DocumentPath,
  message: string,
  what?: 'key' | 'value',
) => void

/** Fields that lead through JSON say nothing about a text. */
function checkJsonFields(binding: BoundSource['binding'], say: Say): void {
  const format = binding.response_adapter ?? binding.response_format ?? 'json'
  if (format === 'json' || binding.text_path !== undefined) return
  for (const field of ['items_path', 'item_path', 'single_item', 'columns_path'] as const) {
    if (binding[field] !== undefined)
      say('warning', [field], `${field} has no effect with ${format}: it leads through JSON`)
  }
}

function checkFieldMap({ binding }: BoundSource, { contract, table }: SourceContext, say: Say): void {
  const columns = Object.keys(ownValue(contract.requires.tables, table)?.columns ?? {})
  for (const column of Object.keys(binding.field_map ?? {})) {
    if (columns.includes(column)) continue
    const guess = didYouMean(column, columns)
    say(
      'error',
      ['field_map', column],
      `field_map names the column ${JSON.stringify(column)}, which the contract lacks; its columns are ${columns.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
      'key',
    )
  }
}

function checkServer({ binding }: BoundSource, { project }: SourceContext, say: Say): void {
  const servers = Object.keys(project.mcp_servers)
  const server = binding.mcp_server
  if (server === undefined) say('error', [], 'mcp_server is missing: name a server of huntfleet.yaml')
  else if (!servers.includes(server)) {
    const guess = didYouMean(server, servers)
    say(
      'error',
      ['mcp_server'],
      `huntfleet.yaml has no MCP server ${JSON.stringify(server)}; its servers are ${servers.join(', ') || 'none'}${guess ? `; did you mean ${guess}?` : ''}`,
    )
  }
  if (binding.mcp_tool === undefined) say('error', [], 'mcp_tool is missing: name the tool to call')
  const key = binding.config_key
  if (key === undefined) return
  const credential = ownValue(project.credentials, key)
  if (credential === undefined) {
    say(
      'warning',
      ['config_key'],
      `huntfleet.yaml has no credentials.${key}; the server's own headers and env are used`,
    )
    return
  }
  if (credential.servers === undefined) {
    if (servers.length > 1)
      say(
        'error',
        ['config_key'],
        `credentials.${key} must say which servers it may go to (credentials.${key}.servers), because there is more than one`,
      )
  } else if (server !== undefined && !credential.servers.includes(server)) {
    say(
      'error',
      ['config_key'],
      `credentials.${key} may not go to the server ${server}; it may go to ${credential.servers.join(', ') || 'none'}`,
    )
  }
}

/** Checks every placeholder; the names of those that are filled per page. */
function checkTemplates({ binding }: BoundSource, { params }: SourceContext, say: Say): Set<string> {
  const chunkName = binding.for_each === undefined ? [] : [binding.for_each.as ?? binding.for_each.param]
  const known = [...params.map((param) => param.name), ...chunkName, ...builtins]
  // A parameter's default may bring placeholders of its own.
  const defaults = params.flatMap((param) =>
    typeof param.default === 'string' ? placeholders(param.default) : [],
  )
  const perPage = new Set(defaults.filter(isLateName))
  const visit = (text: string, path: DocumentPath): void => {
    const parsed = parseTemplate(text)
    const where = formatJsonPath('', [...path])
    if (!parsed.ok) {
      say('error', path, `${where}: ${parsed.message}`)
      return
    }
    for (const part of parsed.parts) {
      if (typeof part === 'string') continue
      if (isLateName(part.name)) perPage.add(part.name)
      else if (!known.includes(part.name)) {
        const guess = didYouMean(part.name, known)
        say(
          'error',
          path,
          `${where}: nothing fills ${part.source}; known names are ${known.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
        )
      }
    }
  }
  for (const field of ['mcp_args', 'query_template', 'index'] as const)
    visitStrings(binding[field] ?? null, [field], visit)
  const { next_args: next, job } = binding.pagination ?? {}
  visitStrings(next ?? null, ['pagination', 'next_args'], visit)
  for (const field of ['submit_args', 'poll_args'] as const)
    visitStrings(job?.[field] ?? null, ['pagination', 'job', field], visit)
  if (binding.query_template !== undefined) {
    for (const placeholder of unfilteredStrings(binding.query_template, params)) {
      say(
        'warning',
        ['query_template'],
        `query_template: ${placeholder} puts text into a query as it is; quote it with a filter such as sql, spl, kql or lucene`,
      )
    }
  }
  checkForEach(binding.for_each?.param, params, say)
  return perPage
}

function visitStrings(
  value: Json,
  root: DocumentPath,
  visit: (text: string, path: DocumentPath) => void,
): void {
  mapJson(value, {
    leaf(scalar, path) {
      if (typeof scalar === 'string') visit(scalar, [...root, ...path()])
      return null
    },
  })
}

function checkForEach(name: string | undefined, params: readonly ParamSpec[], say: Say): void {
  if (name === undefined || params.find((param) => param.name === name)?.type === 'list') return
  const lists = params.filter((param) => param.type === 'list').map((param) => param.name)
  say(
    'error',
    ['for_each', 'param'],
    `for_each.param ${JSON.stringify(name)} is not a list parameter of the contract; its lists are ${lists.join(', ') || 'none'}`,
  )
}

function placeholders(text: string): string[] {
  const parsed = parseTemplate(text)
  return parsed.ok ? parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name])) : []
}
