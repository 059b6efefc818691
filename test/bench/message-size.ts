import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMasker, loadProject } from '@huntfleet/contract'
import { openSources, systemClock, vocabulary } from '@huntfleet/engine'
import { freePort } from '../sources/fixture/free-port.ts'
import { type Contestant, type Measurement, measureInTurns } from './measure.ts'

const scriptedMcp = fileURLToPath(import.meta.resolve('../../packages/testing/src/scripted-mcp/main.ts'))
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const program = (script: string, ...args: string[]) => ['--conditions=source', scriptedMcp, script, ...args]

export interface MessageSizeBench {
  /** Size of the answer's text. */
  bytes: number
  contestants: Record<string, Measurement>
  /** Our CPU time against that of the least that could be done: gather the chunks, join them once, `JSON.parse`. */
  ratios: { stdio_vs_plain_buffer: number; http_vs_plain_buffer: number }
}

/** One big answer through a session, over stdio and Streamable HTTP, against a plain linear buffer on the same servers. */
export async function messageSizeBench({ small }: { small: boolean }): Promise<MessageSizeBench> {
  const bytes = small ? 1_000_000 : 50_000_000
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-bench-'))
  const script = join(folder, 'script.json')
  await writeFile(
    script,
    JSON.stringify({ tools: [{ name: 'fetch' }], script: { fetch: [{ padBytes: bytes }] } }),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const server = spawn(process.execPath, program(script, '--http', String(port)), {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const plain = spawn(process.execPath, program(script), { stdio: ['pipe', 'pipe', 'pipe'] })
  try {
    // It says so once it listens.
    await once(server.stderr, 'data')
    await using sessions = await openSessions(folder, script, url)
    const contestants: Contestant[] = [
      { name: 'plain buffer, stdio', run: await plainStdio(plain) },
      { name: 'session, stdio', run: () => sessions.fetch('stdio') },
      { name: 'plain buffer, HTTP', run: await plainHttp(url) },
      { name: 'session, HTTP', run: () => sessions.fetch('http') },
    ]
    const measured = await measureInTurns(contestants, small ? 1 : 5)
    const cpu = (index: number) => measured.get(contestants[index]?.name ?? '')?.cpuMs ?? Number.NaN
    return {
      bytes,
      contestants: Object.fromEntries(measured),
      ratios: { stdio_vs_plain_buffer: cpu(1) / cpu(0), http_vs_plain_buffer: cpu(3) / cpu(2) },
    }
  } finally {
    await Promise.all([server, plain].map(end))
    await rm(folder, { recursive: true, force: true })
  }
}

/** The result as lines for a person. */
export function messageSizeReport({ bytes, contestants, ratios }: MessageSizeBench): string {
  const lines = Object.entries(contestants).map(
    ([name, { cpuMs }]) => `  ${name.padEnd(22)} ${cpuMs.toFixed(0).padStart(7)} ms CPU`,
  )
  return [
    `message-size: one answer of ${(bytes / 1e6).toFixed(0)} MB`,
    ...lines,
    `  ratios: stdio ${ratios.stdio_vs_plain_buffer.toFixed(2)}, HTTP ${ratios.http_vs_plain_buffer.toFixed(2)}`,
  ].join('\n')
}

/** Our sessions to both servers, through the pool as a worker leases them. */
async function openSessions(folder: string, script: string, url: string) {
  const servers = {
    stdio: { local: { command: process.execPath, args: program(script) } },
    http: { remote: { url } },
  }
  await writeFile(join(folder, 'huntfleet.yaml'), JSON.stringify({ mcp_servers: servers }))
  const { project } = await loadProject({ vocabulary, workingDirectory: folder })
  const masker = createMasker([])
  const sources = openSources({ project, env: process.env, masker, clock: systemClock, logger: silent })
  const { signal } = new AbortController()
  return {
    fetch: async (name: keyof typeof servers): Promise<number> => {
      const lease = await sources.sessions.lease(name, null, signal)
      const { content } = await lease.session.callTool('fetch', {}, { timeoutMs: 60_000, signal })
      await lease.release(true)
      return content[0]?.text?.length ?? 0
    },
    [Symbol.asyncDispose]: () => sources.close(),
  }
}

const message = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const initialize = message(0, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
})
const call = message(1, 'tools/call', { name: 'fetch', arguments: {} })

/** Every chunk is kept, and joined once the line has ended. */
async function plainStdio(child: ChildProcessWithoutNullStreams): Promise<() => Promise<number>> {
  const ask = async (text: string): Promise<string> => {
    const chunks: Buffer[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      if (chunk.includes(10)) resolve()
    }
    child.stdout.on('data', take)
    child.stdin.write(`${text}\n`)
    await promise
    child.stdout.off('data', take)
    return Buffer.concat(chunks).toString('utf8')
  }
  await ask(initialize)
  return async () => textLength(JSON.parse(await ask(call)))
}

async function plainHttp(url: string): Promise<() => Promise<number>> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const hello = await fetch(url, { method: 'POST', headers, body: initialize })
  await hello.body?.cancel()
  const session = hello.headers.get('mcp-session-id') ?? ''
  return async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': session },
      body: call,
    })
    return textLength(JSON.parse(await response.text()))
  }
}

function textLength(answer: { result: { content: { text: string }[] } }): number {
  return answer.result.content[0]?.text.length ?? 0
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
