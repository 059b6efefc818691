import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SessionPool } from '../../src/mcp/session-pool.ts'
import { realClock } from './real-clock.ts'
import {
  childProcesses,
  failureOf,
  httpConfig,
  recordingLogger,
  SessionFixture,
  stdioConfig,
  textsOf,
  within,
} from './server-fixture.ts'

/** The program of a server from npm. */
function program(name: string, bin: string): string {
  return fileURLToPath(new URL(`../../../../node_modules/${name}/${bin}`, import.meta.url))
}

const everything = program('@modelcontextprotocol/server-everything', 'dist/index.js')
const fastFilesystem = program('fast-filesystem-mcp', 'dist/index.js')
const git = program('@cyanheads/git-mcp-server', 'dist/index.js')

let folder: string
let fixture: SessionFixture
let child: ChildProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'real-mcp-'))
  fixture = new SessionFixture()
})
afterEach(async () => {
  await fixture.close()
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  child = undefined
  expect(childProcesses()).toEqual([])
  await rm(folder, { recursive: true })
})

/** Starts a server of its own process on a free port and waits until it listens. */
async function startHttp(
  args: (port: number) => string[],
  env: (port: number) => Record<string, string>,
): Promise<number> {
  const port = await freePort()
  child = spawn(process.execPath, args(port), {
    env: { ...process.env, ...env(port) },
    stdio: 'ignore',
    cwd: folder,
  })
  await expect.poll(() => listens(port)).toBe(true)
  return port
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

function listens(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) }).then(
    async (response) => {
      await response.body?.cancel()
      return true
    },
    () => false,
  )
}

describe('server-everything', () => {
  it.each(['stdio', 'streamableHttp', 'sse'])('answers over %s', async (mode) => {
    const config =
      mode === 'stdio'
        ? stdioConfig({ args: [everything, 'stdio'] })
        : await startHttp(
            () => [everything, mode],
            (port) => ({ PORT: String(port) }),
          ).then((port) => {
            const path = mode === 'sse' ? 'sse' : 'mcp'
            return httpConfig(`http://127.0.0.1:${port}/${path}`, {}, { legacySse: 'auto' })
          })
    const session = await fixture.open(config)
    const tools = await session.listTools(within(10_000))
    expect(tools.map(({ name }) => name)).toContain('echo')
    expect(textsOf(await session.callTool('echo', { message: 'hello' }, within(10_000)))).toEqual([
      'Echo: hello',
    ])
    const structured = await session.callTool(
      'get-structured-content',
      { location: 'Chicago' },
      within(10_000),
    )
    expect(structured.structuredContent).toBeInstanceOf(Map)
    const unknown = await session.callTool('nope', {}, within(10_000))
    expect(unknown.isError).toBe(true)
    const links = await session.callTool('get-resource-links', { count: 2 }, within(10_000))
    const link = links.content.find(({ type }) => type === 'resource_link')
    expect(await session.readResource(link?.uri ?? '', within(10_000))).toMatch(/./)
    await session.close()
  })

  it('is stopped in the middle of a long operation', async () => {
    const session = await fixture.open(stdioConfig({ args: [everything, 'stdio'] }))
    const controller = new AbortController()
    const call = failureOf(
      session.callTool(
        'trigger-long-running-operation',
        { duration: 60, steps: 60 },
        within(60_000, controller.signal),
      ),
    )
    controller.abort()
    expect((await call).code).toBe('CANCELLED')
  })

  it('is kept by the pool between two fetches and ended with it', async () => {
    const pool = new SessionPool({
      clock: realClock,
      logger: recordingLogger(),
      resolve: async () => stdioConfig({ args: [everything, 'stdio'] }),
    })
    const { signal } = new AbortController()
    const first = await pool.lease('everything', null, signal)
    await first.release(true)
    const second = await pool.lease('everything', null, signal)
    expect(second.session).toBe(first.session)
    expect(childProcesses()).toHaveLength(1)
    await second.release(true)
    await pool.close()
    expect(childProcesses()).toEqual([])
  })
})

describe('fast-filesystem-mcp', () => {
  it('lists a folder', async () => {
    await writeFile(join(folder, 'one.txt'), '1')
    const session = await fixture.open(stdioConfig({ args: [fastFilesystem], cwd: folder }))
    const tool = (await session.listTools(within(10_000))).find(({ name }) => name === 'fast_list_directory')
    expect(tool?.inputSchema).toMatchObject({ type: 'object' })
    const answer = await session.callTool('fast_list_directory', { path: folder }, within(10_000))
    expect(textsOf(answer).join('')).toContain('one.txt')
  })
})

describe('git-mcp-server', () => {
  const quiet = { MCP_LOG_LEVEL: 'error', LOGS_DIR: '' }

  it.each(['stdio', 'http'])('answers over %s', async (mode) => {
    const env = { ...quiet, LOGS_DIR: join(folder, 'logs'), MCP_TRANSPORT_TYPE: mode, MCP_AUTH_MODE: 'none' }
    const config =
      mode === 'stdio'
        ? stdioConfig({ args: [git], env, cwd: folder })
        : httpConfig(
            `http://127.0.0.1:${await startHttp(
              () => [git],
              (port) => ({ ...env, MCP_HTTP_PORT: String(port), MCP_HTTP_HOST: '127.0.0.1' }),
            )}/mcp`,
          )
    const session = await fixture.open(config)
    const tools = await session.listTools(within(10_000))
    expect(tools.map(({ name }) => name)).toContain('git_log')
    const answer = await session.callTool('git_log', { path: folder }, within(10_000))
    // Not a repository: the tool says so itself, and the session lives on.
    expect(answer.isError).toBe(true)
    expect(session.alive).toBe(true)
  })
})
