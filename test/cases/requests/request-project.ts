import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json, JsonObject } from '@huntfleet/contract'
import { type Script, type ScriptedCall, startScriptedMcp } from '@huntfleet/testing'
import type { RequestCase } from './request-case.ts'
import { readScriptedCalls } from './scripted-calls.ts'

const scriptedMcp = fileURLToPath(
  new URL('../../../packages/testing/src/scripted-mcp/main.ts', import.meta.url),
)

/** A case on the disk, and its server. */
export interface RequestProject {
  folder: string
  args: readonly string[]
  calls(): readonly ScriptedCall[]
  close(): Promise<void>
}

/** Writes the files of a case and starts its server. JSON is YAML, too. */
export async function openProject(one: RequestCase, onCall: () => void): Promise<RequestProject> {
  const folder = mkdtempSync(join(tmpdir(), 'huntfleet-requests-'))
  const server = await openServer(one, folder, onCall)
  const written: Record<string, Json> = {
    'contract.yaml': contractOf(one),
    'binding.yaml': bindingOf(one),
    'huntfleet.yaml': projectOf(one, server.address),
    ...(one.given !== undefined && { 'params.json': one.given }),
    ...one.files,
  }
  for (const [name, content] of Object.entries(written)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 1)
    writeFileSync(
      join(folder, name),
      text.replaceAll('{{URL}}', server.url).replaceAll('{{SSE_URL}}', server.sseUrl),
    )
  }
  return { folder, args: argsOf(one, folder), calls: server.calls, close: server.close }
}

function argsOf(one: RequestCase, folder: string): string[] {
  const { command = 'run', args = [], given } = one
  const params = given === undefined ? [] : ['--params', join(folder, 'params.json')]
  const json = one.plain === true ? [] : ['--json']
  const config = ['--config', join(folder, 'huntfleet.yaml'), ...json]
  if (command === 'validate') return [command, folder, ...config, ...args]
  const table = command === 'preview' ? ['events'] : []
  return [command, folder, ...table, ...config, '--out', `file://${join(folder, 'out')}`, ...params, ...args]
}

const oneRow = [{ json: [{ id: 1 }] }]

function scriptOf({ answers = oneRow }: RequestCase): Script {
  if ('script' in answers) return answers
  return { tools: [{ name: 'search' }], script: { search: answers } }
}

interface OpenServer {
  /** `remote` or `local` of the server in huntfleet.yaml. */
  address: JsonObject
  url: string
  sseUrl: string
  calls(): readonly ScriptedCall[]
  close(): Promise<void>
}

async function openServer(one: RequestCase, folder: string, onCall: () => void): Promise<OpenServer> {
  if (one.transport === 'stdio') {
    const log = join(folder, 'calls.jsonl')
    writeFileSync(join(folder, 'server.json'), JSON.stringify(scriptOf(one)))
    const args = ['--conditions=source', scriptedMcp, 'server.json', '--log', log]
    return {
      address: { local: { command: process.execPath, args } },
      url: '',
      sseUrl: '',
      calls: () => readScriptedCalls(log),
      close: async () => undefined,
    }
  }
  const server = await startScriptedMcp(scriptOf(one), { folder, onCall, ...one.http })
  return {
    address: { remote: { url: server.url } },
    url: server.url,
    sseUrl: server.sseUrl,
    calls: () => server.calls,
    close: () => server.close(),
  }
}

function contractOf({ columns = { id: 'BIGINT' }, params = {}, tables }: RequestCase): JsonObject {
  return {
    name: 'case',
    description: 'A case.',
    tags: ['test'],
    params,
    requires: { tables: { events: { columns }, ...tables } },
  }
}

function bindingOf({ binding, bindings }: RequestCase): JsonObject {
  const events = {
    fetch_mode: 'mcp_client',
    mcp_server: 'scripted',
    mcp_tool: 'search',
    retry: { base: '5ms', max: '20ms' },
    ...binding,
  }
  return { source_bindings: bindings ?? { events } }
}

function projectOf({ server, project }: RequestCase, address: JsonObject): JsonObject {
  return { mcp_servers: { scripted: { ...address, ...server } }, ...project }
}
