import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  loadProject,
  parseYamlFile,
  readStrategy,
  readStrategyDocuments,
  withAdapters,
} from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

/** The rules of CONTRIBUTING.md for documentation: whole documents, true samples, no dead links. */

const root = process.cwd()
const pages = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/*/README.md'])

interface Block {
  info: string
  body: string
  line: number
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    info: (match[1] ?? '').trim(),
    body: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }))
}

const kindOf = ({ info, body }: Block) =>
  info === 'yaml' ? (/^# (contract|binding|huntfleet)\.yaml\n/.exec(body)?.[1] ?? 'unnamed') : null

const sourceText = z.looseObject({
  mcp_server: z.string().optional(),
  mcp_tool: z.string().optional(),
  config_key: z.string().optional(),
  field_map: z.record(z.string(), z.unknown()).default({}),
  for_each: z.looseObject({ param: z.string() }).optional(),
})
const bindingText = z.looseObject({
  source_bindings: z.record(z.string(), z.union([sourceText.transform((one) => [one]), z.array(sourceText)])),
})
const contractText = z.looseObject({
  requires: z.looseObject({
    tables: z.record(z.string(), z.looseObject({ optional: z.boolean().optional() })),
  }),
})
const parse = (body: string) => parseYamlFile('page', body, 'BINDING_INVALID').value
const sourcesOf = (binding: string) => Object.entries(bindingText.parse(parse(binding)).source_bindings)
const serversOf = (binding: string) =>
  new Set(sourcesOf(binding).flatMap(([, sources]) => sources.flatMap(({ mcp_server }) => mcp_server ?? [])))

const tablesText = (tables: Readonly<Record<string, Iterable<string>>>, params: Iterable<string> = []) =>
  JSON.stringify({
    name: 'page',
    description: 'A page of the documentation.',
    tags: ['docs'],
    params: Object.fromEntries([...params].map((name) => [name, { type: 'list' }])),
    requires: {
      tables: Object.fromEntries(
        Object.entries(tables).map(([table, columns]) => [
          table,
          { columns: Object.fromEntries([...columns].map((column) => [column, { semantic: column }])) },
        ]),
      ),
    },
  })

/** The semantics that a binding overrides. */
const semanticsOf = (binding: string): string[] =>
  Object.keys(
    z.looseObject({ field_overrides: z.record(z.string(), z.unknown()).default({}) }).parse(parse(binding))
      .field_overrides,
  )

/** The contract of the page when the binding covers it, else one that the binding fits. */
function contractFor(binding: string, contract: string | undefined): string {
  const sources = sourcesOf(binding)
  if (contract !== undefined) {
    const tables = Object.entries(contractText.parse(parse(contract)).requires.tables)
    const bound = new Set(sources.map(([table]) => table))
    const covered = tables.every(([table, { optional }]) => optional === true || bound.has(table))
    if (covered && [...bound].every((table) => tables.some(([name]) => name === table))) return contract
  }
  const params = new Set(
    [...binding.matchAll(/\{\{\s*([A-Za-z_]\w*)\s*[|}]/g)].map((match) => match[1] ?? ''),
  )
  for (const [, list] of sources) for (const { for_each } of list) if (for_each) params.add(for_each.param)
  const columns = sources.map(([table, list]): [string, string[]] => [
    table,
    ['id', ...list.flatMap(({ field_map }) => Object.keys(field_map)), ...semanticsOf(binding)],
  ])
  return tablesText(Object.fromEntries(columns), params)
}

/** The project file of the page when it has the servers, else one that has them. */
function projectFor(binding: string, project: string | undefined, args: readonly string[] = []): string {
  const servers = serversOf(binding)
  const known =
    project === undefined
      ? {}
      : z.looseObject({ mcp_servers: z.record(z.string(), z.unknown()).default({}) }).parse(parse(project))
          .mcp_servers
  if (project !== undefined && [...servers].every((server) => Object.hasOwn(known, server))) return project
  const local = { command: 'node', args }
  const keys = sourcesOf(binding).flatMap(([, list]) => list.flatMap(({ config_key }) => config_key ?? []))
  return JSON.stringify({
    mcp_servers: Object.fromEntries([...servers].map((server) => [server, { local }])),
    credentials: Object.fromEntries(keys.map((key) => [key, { servers: [...servers] }])),
  })
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function writeStrategy(project: string, contract: string, binding: string): string {
  const at = mkdtempSync(join(folder, 'page-'))
  mkdirSync(join(at, 'strategy'))
  writeFileSync(join(at, 'huntfleet.yaml'), project)
  writeFileSync(join(at, 'strategy', 'contract.yaml'), contract)
  writeFileSync(join(at, 'strategy', 'binding.yaml'), binding)
  return at
}

/** All findings about the three documents together, warnings included. */
async function findingsOf(project: string, contract: string, binding: string): Promise<string[]> {
  const at = writeStrategy(project, contract, binding)
  const loaded = await loadProject({ vocabulary, workingDirectory: at })
  const { text, warnings } = loaded.project
  const source = await readStrategy(join(at, 'strategy'), at)
  const read = readStrategyDocuments(source, {
    project: text,
    vocabulary: withAdapters(vocabulary, text),
    now: new Date(),
  })
  return [...loaded.errors, ...warnings, ...read.findings].map((finding) => finding.message)
}

const unbound = (contract: string) => {
  const tables = Object.keys(contractText.parse(parse(contract)).requires.tables)
  return JSON.stringify({
    source_bindings: Object.fromEntries(tables.map((table) => [table, { fetch_mode: 'mcp' }])),
  })
}
const empty = tablesText({ rows: ['id'] })

interface Document {
  name: string
  project: string
  contract: string
  binding: string
}

function documentsOf(page: string): Document[] {
  const latest = new Map<string, string>()
  return blocksOf(page).flatMap((block): Document[] => {
    const kind = kindOf(block)
    if (kind === null) return []
    latest.set(kind, block.body)
    const name = `${page}:${block.line} (${kind}.yaml)`
    const { body } = block
    if (kind === 'contract') return [{ name, project: '{}', contract: body, binding: unbound(body) }]
    if (kind === 'huntfleet') return [{ name, project: body, contract: empty, binding: unbound(empty) }]
    const contract = contractFor(body, latest.get('contract'))
    return [{ name, project: projectFor(body, latest.get('huntfleet')), contract, binding: body }]
  })
}

interface Sample {
  name: string
  binding: string
  answer: string
  rows: string
}

function samplesOf(page: string): Sample[] {
  let binding = ''
  let answer = ''
  return blocksOf(page).flatMap((block): Sample[] => {
    if (kindOf(block) === 'binding') binding = block.body
    if (block.info === 'text answer') answer = block.body.replace(/\n$/, '')
    if (block.info !== 'text rows') return []
    return [{ name: `${page}:${block.line}`, binding, answer, rows: block.body }]
  })
}

const previewText = z.looseObject({
  columns: z.array(z.looseObject({ name: z.string() })),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
})

/** What the preview of a binding shows when its tool sends this answer, as a table of text. */
function previewed({ binding, answer, rows }: Sample): string {
  const [table, sources] = sourcesOf(binding)[0] ?? ['', []]
  const columns = (rows.split('\n')[0] ?? '').trim().split(/ {2,}/)
  const server = join(root, 'packages/testing/src/scripted-mcp/main.ts')
  const project = projectFor(binding, undefined, ['--conditions=source', server, 'server.json'])
  const at = writeStrategy(project, tablesText({ [table]: columns }), binding)
  writeFileSync(
    join(at, 'server.json'),
    JSON.stringify({ script: { [sources[0]?.mcp_tool ?? '']: [{ text: answer }] } }),
  )
  const main = join(root, 'apps/cli/src/main.ts')
  const command = ['--conditions=source', main, 'preview', 'strategy', table, '--json']
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: at, encoding: 'utf8' })
  expect(stderr).toBe('')
  const shown = previewText.parse(JSON.parse(stdout))
  const cells = shown.rows.map((row) => row.map((cell) => String(cell ?? '').replace(/\s+/g, ' ')))
  const header = shown.columns.map(({ name }) => name)
  const widths = header.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)))
  const lines = [header, widths.map((width) => '-'.repeat(width)), ...cells]
  return lines
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

describe('documents in the documentation', () => {
  test.each(pages.flatMap(documentsOf))('$name is valid, without a warning', async (document) => {
    expect(await findingsOf(document.project, document.contract, document.binding)).toEqual([])
  })
})

describe('answers in the documentation', () => {
  test.each(pages.flatMap(samplesOf))('$name shows the rows that the preview shows', (sample) => {
    expect(previewed(sample)).toBe(sample.rows.trimEnd())
  })
})

describe('links in the documentation', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
  const headings = (page: string) =>
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map((match) => slug(match[1] ?? ''))

  test.each(pages)('%s links only to what is there', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : resolve(dirname(page), path)
      return !existsSync(target) || (anchor !== undefined && !headings(target).includes(anchor))
    })
    expect(dead).toEqual([])
  })
})
