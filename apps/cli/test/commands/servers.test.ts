import { fileURLToPath } from 'node:url'
import { type Script, startScriptedMcp } from '@huntfleet/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { huntfleet, projectFolder } from '../command-line.ts'

const program = fileURLToPath(import.meta.resolve('../../../../packages/testing/src/scripted-mcp/main.ts'))
const token = 'servers-test-token-4711'

const tools: NonNullable<Script['tools']> = [
  {
    name: 'search',
    description: 'Finds events.\nMore words.',
    inputSchema: { type: 'object', properties: { query: {}, limit: {} }, required: ['query'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'purge', annotations: { readOnlyHint: false } },
  { name: 'secret_tool' },
]

/** A project whose servers are `logs`, a process, and what the YAML says besides. */
function withServers(yaml: string, script: Script = { tools, script: {} }): Promise<string> {
  const local = `local: { command: ${process.execPath}, args: [${program}, server.json] }`
  return projectFolder({
    script,
    files: {
      'huntfleet.yaml': `mcp_servers:\n  logs:\n    ${local}\n    tool_policy: { deny: [secret_tool] }\n${yaml}`,
    },
  })
}

/** A server on HTTP that wants the token. */
async function remoteServer(script: Script = { tools, script: {} }): Promise<string> {
  const authorize = (headers: { authorization?: string | undefined }) =>
    headers.authorization === `Bearer ${token}`
  const server = await startScriptedMcp(script, { authorize })
  onTestFinished(() => server.close())
  return server.url
}

const remote = (name: string, url: string, secret: string) =>
  `  ${name}:\n    remote: { url: "${url}", auth: { type: bearer, token: { value: ${secret} } } }\n`

describe('huntfleet servers list', () => {
  it('shows transports, auth and limits without connecting to anything', async () => {
    const folder = await withServers(
      `${remote('web', 'https://nowhere.invalid/mcp', token)}    limits: { concurrency: 7, calls_per_minute: 60 }\n    protocol: v2\n`,
    )
    const { code, stdout } = await huntfleet(folder, 'servers', 'list', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).servers).toEqual([
      {
        name: 'logs',
        transport: 'stdio',
        address: process.execPath,
        protocol: 'auto',
        auth: 'none',
        concurrency: 2,
        calls_per_minute: null,
        calls_per_day: null,
      },
      {
        name: 'web',
        transport: 'streamable_http',
        address: 'https://nowhere.invalid/mcp',
        protocol: 'v2',
        auth: 'bearer',
        concurrency: 7,
        calls_per_minute: 60,
        calls_per_day: null,
      },
    ])
    const text = await huntfleet(folder, 'servers', 'list')
    expect(text.stdout).toMatch(/^web\s+streamable_http\s+v2\s+bearer\s+7\s+60$/m)
    expect(text.stdout + stdout).not.toContain(token)
  })
})

describe('huntfleet servers test', () => {
  it('says which servers answer and what is wrong with the others, and exits with 3', async () => {
    const url = await remoteServer()
    const folder = await withServers(
      `${remote('good', url, token)}${remote('bad', url, 'a-wrong-token-0815')}  gone:\n    local: { command: no-such-program-here }\n`,
    )
    const { code, stdout, stderr } = await huntfleet(folder, 'servers', 'test')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^logs: ok, scripted 1\.0\.0, 3 tools, \d+ ms$/m)
    expect(stdout).toMatch(/^good: ok, scripted 1\.0\.0, 3 tools, \d+ ms$/m)
    expect(stdout).toMatch(/^bad: SOURCE_DENIED: .*HTTP 401.*\n {2}check auth and headers/m)
    expect(stdout).toMatch(
      /^gone: SERVER_START_FAILED: .*no-such-program-here.*\n {2}check mcp_servers\.gone\.local/m,
    )
    expect(stdout + stderr).not.toContain('a-wrong-token-0815')
  })

  it('tests one server, as JSON, and exits with 0 when it answers', async () => {
    const folder = await withServers('')
    const { code, stdout } = await huntfleet(folder, 'servers', 'test', 'logs', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).servers).toMatchObject([
      { server: 'logs', version: 'scripted 1.0.0', tools: 3, error: null },
    ])
  })

  it('gives the last words of a process that ends at once', async () => {
    const script: Script = { script: {}, process: { exitAtStart: 4, stderr: 'API_KEY is not set' } }
    const { code, stdout } = await huntfleet(await withServers('', script), 'servers', 'test', 'logs')
    expect(code).toBe(3)
    expect(stdout).toMatch(/SERVER_START_FAILED: .*code 4.*API_KEY is not set/)
  })

  it('names the servers there are when it does not know one', async () => {
    const { code, stderr } = await huntfleet(await withServers(''), 'servers', 'test', 'lgos')
    expect(code).toBe(2)
    expect(stderr).toContain('has no MCP server "lgos"; its servers are logs')
  })
})

describe('huntfleet servers tools', () => {
  it('lists the tools with their arguments, and which of them may be called', async () => {
    const folder = await withServers('')
    const { code, stdout } = await huntfleet(folder, 'servers', 'tools', 'logs')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'search(query, limit?)\n  Finds events.\npurge() [writes: needs allow_writes]\nsecret_tool() [forbidden by tool_policy]\n',
    })
    const json = await huntfleet(folder, 'servers', 'tools', 'logs', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({
      server: 'logs',
      tools: [
        { name: 'search', may_call: 'yes', arguments: ['query', 'limit?'], input_schema: { type: 'object' } },
        { name: 'purge', may_call: 'writes: needs allow_writes' },
        { name: 'secret_tool', may_call: 'forbidden by tool_policy' },
      ],
    })
  })

  it('lists the tools of a server that speaks only 2026-07-28', async () => {
    const script: Script = { protocol: '2026-07-28', tools: [{ name: 'fresh' }], script: {} }
    const { code, stdout } = await huntfleet(await withServers('', script), 'servers', 'tools', 'logs')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'fresh()\n' })
  })

  it('fails with the reason when the server cannot be asked', async () => {
    const url = await remoteServer()
    const folder = await withServers(remote('web', url, 'a-wrong-token-0815'))
    const { code, stderr } = await huntfleet(folder, 'servers', 'tools', 'web')
    expect(code).toBe(3)
    expect(stderr).toContain('SOURCE_DENIED')
    expect(stderr).not.toContain('a-wrong-token-0815')
  })
})
