import { type Script, type ScriptedHttpOptions, type ScriptedMcp, startScriptedMcp } from '@huntfleet/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/mcp/server-config.ts'
import { childProcesses, failureOf, httpConfig, SessionFixture, textsOf, within } from './server-fixture.ts'

const modern = { protocol: '2026-07-28' } as const
const rows: Script = { script: { fetch: [{ text: 'rows' }] }, tools: [{ name: 'fetch' }] }

let fixture: SessionFixture
let server: ScriptedMcp | undefined
beforeEach(() => {
  fixture = new SessionFixture()
})
afterEach(async () => {
  await fixture.close()
  await server?.close()
  server = undefined
})

/** A config for the script on one of the transports. */
async function configFor(
  transport: 'stdio' | 'http',
  script: Script,
  more: Partial<ServerConfig> = {},
  options?: ScriptedHttpOptions,
): Promise<ServerConfig> {
  if (transport === 'stdio') return fixture.scripted(script, more)
  server = await startScriptedMcp(script, options)
  return httpConfig(server.url, more)
}

async function methodsSeen(transport: 'stdio' | 'http'): Promise<unknown[]> {
  const messages = transport === 'stdio' ? await fixture.messages() : (server?.messages ?? [])
  return messages.map(({ method }) => method)
}

describe.each(['stdio', 'http'] as const)('protocol over %s', (transport) => {
  it('auto speaks with a server of 2025 as v1 does, without a question more', async () => {
    const session = await fixture.open(await configFor(transport, rows, { protocol: 'auto' }))
    expect(textsOf(await session.callTool('fetch', {}, within(5000)))).toEqual(['rows'])
    expect(await methodsSeen(transport)).toEqual(['initialize', 'notifications/initialized', 'tools/call'])
  })

  it('auto goes over to v2 when the server speaks only 2026-07-28', async () => {
    const config = await configFor(transport, { ...rows, ...modern }, { protocol: 'auto' })
    const session = await fixture.open(config)
    expect(session.server).toEqual({ name: 'scripted', version: '1.0.0' })
    expect((await session.listTools(within(5000))).map(({ name }) => name)).toEqual(['fetch'])
    expect(textsOf(await session.callTool('fetch', {}, within(5000)))).toEqual(['rows'])
    expect(await methodsSeen(transport)).toEqual([
      'initialize',
      'server/discover',
      'tools/list',
      'tools/call',
    ])
    if (transport === 'stdio') expect(childProcesses()).toHaveLength(1)
  })

  it('v2 never says initialize', async () => {
    const config = await configFor(transport, { ...rows, ...modern }, { protocol: 'v2' })
    const session = await fixture.open(config)
    expect(textsOf(await session.callTool('fetch', {}, within(5000)))).toEqual(['rows'])
    expect(await methodsSeen(transport)).toEqual(['server/discover', 'tools/call'])
  })

  it.each([
    ['v1', modern],
    ['v2', {}],
  ] as const)(
    '%s says what to set when the server is of the other generation',
    async (protocol, revision) => {
      const config = await configFor(transport, { ...rows, ...revision }, { protocol }, { sessions: false })
      const error = await failureOf(fixture.open(config))
      expect(error.code).toBe('SERVER_REFUSED')
      expect(error.context.hint).toContain('set protocol of the server to auto')
      if (transport === 'stdio') expect(childProcesses()).toEqual([])
    },
  )

  it('keeps the reason when a server that refuses v1 also refuses v2', async () => {
    const refuse = { rpcError: { code: -32601, message: 'Method not found' } }
    const script: Script = { script: {}, initialize: refuse }
    const error = await failureOf(fixture.open(await configFor(transport, script, {}, { sessions: false })))
    expect(error.code).toBe('SERVER_REFUSED')
  })

  it('cancels a call at a server of 2026-07-28', async () => {
    const script: Script = { ...modern, script: { fetch: [{ hang: true }] } }
    const session = await fixture.open(await configFor(transport, script, { protocol: 'v2' }))
    expect((await failureOf(session.callTool('fetch', {}, within(200)))).code).toBe('SOURCE_TIMEOUT')
    await session.close()
    // Over HTTP the end of the request is the cancellation; over stdio there is no other way than to say so.
    const said = (await methodsSeen(transport)).includes('notifications/cancelled')
    expect(said).toBe(transport === 'stdio')
  })

  it('says that a tool which asks back cannot be fetched from', async () => {
    const result = { resultType: 'input_required', requestState: 'x', inputRequests: {} }
    const script: Script = { ...modern, script: { fetch: [{ result }] } }
    const session = await fixture.open(await configFor(transport, script, { protocol: 'v2' }))
    const error = await failureOf(session.callTool('fetch', {}, within(5000)))
    expect(error.code).toBe('TOOL_FAILED')
    expect(error.message).toContain('asks for input from a person')
  })

  it('says why a process or a connection ended in the middle of a call', async () => {
    const script: Script = { ...modern, script: { fetch: [{ stderr: 'disk full', exit: 3 }] } }
    const session = await fixture.open(await configFor(transport, script, { protocol: 'v2' }))
    const error = await failureOf(session.callTool('fetch', {}, within(5000)))
    if (transport === 'http') expect(error.code).toBe('SOURCE_UNREACHABLE')
    else {
      expect(error.code).toBe('SERVER_EXITED')
      expect(error.message).toMatch(/exited with code 3.*disk full/)
      expect(session.alive).toBe(false)
    }
  })
})

describe('protocol 2026-07-28 over HTTP', () => {
  it('repeats the arguments that a tool marks in headers', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        tenant: { type: 'string', 'x-mcp-header': 'Tenant' },
        q: { type: 'string' },
        scope: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      },
    }
    const script: Script = {
      ...modern,
      script: { fetch: [{ text: 'rows' }] },
      tools: [{ name: 'fetch', inputSchema }],
    }
    const session = await fixture.open(await configFor('http', script, { protocol: 'v2' }))
    await session.listTools(within(5000))
    await session.callTool('fetch', { tenant: 'acme', q: 'x', scope: { zone: 'Zürich' } }, within(5000))
    expect(server?.requests.at(-1)?.headers).toMatchObject({
      'mcp-method': 'tools/call',
      'mcp-name': 'fetch',
      'mcp-param-tenant': 'acme',
      'mcp-param-zone': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    })
    expect(server?.requests.at(-1)?.headers).not.toHaveProperty('mcp-param-q')
  })

  it.each([
    [{ httpStatus: 429, headers: { 'retry-after': '7' }, text: 'slow down' }, 'SOURCE_RATE_LIMITED', 7000],
    [{ httpStatus: 503, text: 'busy' }, 'SOURCE_ERROR', undefined],
    [{ httpStatus: 401, text: 'who?' }, 'SOURCE_DENIED', undefined],
    [{ fault: 'cut_body', text: 'x'.repeat(5000) }, 'SOURCE_UNREACHABLE', undefined],
    [{ rpcError: { code: -32602, message: 'Tool fetch not found' } }, 'TOOL_UNKNOWN', undefined],
  ] as const)('classifies %j as v1 does', async (step, code, retryAfterMs) => {
    const script: Script = { ...modern, script: { fetch: [step] } }
    const session = await fixture.open(await configFor('http', script, { protocol: 'v2' }))
    const error = await failureOf(session.callTool('fetch', {}, within(5000)))
    expect(error.code).toBe(code)
    expect(error.context.retryAfterMs).toBe(retryAfterMs)
  })
})
