import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunError } from '@huntfleet/contract'
import type { Script } from '@huntfleet/testing'
import { openSession } from '../../src/mcp/open-session.ts'
import type { HttpTransportConfig, ServerConfig, StdioTransportConfig } from '../../src/mcp/server-config.ts'
import type { SdkSession } from '../../src/mcp/session.ts'
import type { CallOptions, Logger, ToolResult } from '../../src/ports.ts'
import { realClock } from './real-clock.ts'

/** Logs into an array. */
export function recordingLogger(): Logger & { lines: string[] } {
  const lines: string[] = []
  const log = (message: string, fields?: Record<string, unknown>) => {
    lines.push(`${message} ${JSON.stringify(fields ?? {})}`)
  }
  return { lines, debug: log, info: log, warn: log, error: log }
}

/** Call options with a signal that never aborts. */
export function within(timeoutMs: number, signal = new AbortController().signal): CallOptions {
  return { timeoutMs, signal }
}

const defaults: Omit<ServerConfig, 'name' | 'transport'> = {
  protocol: 'auto',
  auth: { type: 'none' },
  limits: { concurrency: 2, callsPerMinute: null },
  connectTimeoutMs: 15_000,
  maxMessageBytes: 64 * 1024 * 1024,
  maxClients: 2,
  idleMs: 300_000,
  maxAgeMs: 3_600_000,
  maxCalls: 1000,
  isolation: 'pool',
  allowWrites: [],
  progressExtends: false,
}

export function stdioConfig(
  transport: Partial<StdioTransportConfig>,
  more: Partial<ServerConfig> = {},
): ServerConfig {
  const base = {
    kind: 'stdio' as const,
    command: process.execPath,
    args: [],
    env: {},
    envPassthrough: [],
    cwd: tmpdir(),
  }
  return { name: 'files', ...defaults, transport: { ...base, ...transport }, ...more }
}

export function httpConfig(
  url: string,
  more: Partial<ServerConfig> = {},
  transport: Partial<HttpTransportConfig> = {},
): ServerConfig {
  const base = { kind: 'http' as const, url, headers: {}, legacySse: 'never' as const }
  return { name: 'web', ...defaults, transport: { ...base, ...transport }, ...more }
}

const program = fileURLToPath(new URL('../../../testing/src/scripted-mcp/main.ts', import.meta.url))

/** Opens sessions for a test and closes them behind it. */
export class SessionFixture {
  readonly logger = recordingLogger()
  #folder: string | undefined
  #sessions: SdkSession[] = []
  #scripts = 0

  async open(config: ServerConfig, signal = new AbortController().signal): Promise<SdkSession> {
    const session = await openSession(config, { clock: realClock, logger: this.logger, signal })
    this.#sessions.push(session)
    return session
  }

  /** The config of a scripted server on stdio. */
  async scripted(script: Script, more: Partial<ServerConfig> = {}): Promise<ServerConfig> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'mcp-session-'))
    this.#scripts += 1
    const path = join(this.#folder, `script-${this.#scripts}.json`)
    await writeFile(path, JSON.stringify(script))
    return stdioConfig({ args: [program, path, '--messages', this.messagesPath] }, more)
  }

  /** Where the scripted stdio servers write what they receive. */
  get messagesPath(): string {
    return join(this.#folder ?? tmpdir(), 'messages.jsonl')
  }

  async messages(): Promise<Record<string, unknown>[]> {
    const text = await readFile(this.messagesPath, 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.splice(0).map((session) => session.close()))
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true })
    this.#folder = undefined
  }
}

/** The error that a promise rejects with; a promise that resolves is an error itself. */
export async function failureOf(promise: Promise<unknown>): Promise<RunError> {
  try {
    await promise
  } catch (error) {
    if (isRunError(error)) return error
    throw new Error(`not a RunError: ${String(error)}`, { cause: error })
  }
  throw new Error('nothing failed')
}

function isRunError(error: unknown): error is RunError {
  return error instanceof Error && error.name === 'RunError'
}

/** The texts of an answer. */
export function textsOf(result: ToolResult): (string | undefined)[] {
  return result.content.map(({ text }) => text)
}

/** Process ids below this process, from /proc; empty where there is none. */
export function childProcesses(pid: number = process.pid): number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return listed === '' ? [] : listed.split(' ').map(Number)
  } catch {
    return []
  }
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
