import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { RunError } from '@huntfleet/contract'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { excerpt } from '../visible-text.ts'
import { childEnvironment } from './child-environment.ts'
import { LineSplitter, LineTooLong } from './line-splitter.ts'
import type { McpTransport } from './mcp-transport.ts'
import type { MessageBytes } from './message-bytes.ts'
import { type AwaitedAnswer, MessageReader, UnreadableMessage } from './message-reader.ts'
import type { StdioTransportConfig } from './server-config.ts'
import { StderrTail } from './stderr-tail.ts'
import { failedAnswer, type WireAnswer } from './wire-message.ts'

export interface StdioTransportOptions {
  server: string
  config: StdioTransportConfig
  maxMessageBytes: number
  /** How long the process may take to end once its stdin has, and again once it got SIGTERM; default 500 ms. */
  graceMs?: number
}

/** The answers that JSON cannot hold (Python's `NaN`) still say at their start which request they are for. */
const answerStart = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,/

/** How much of a server's stderr an error quotes. */
const longestWords = 1_000

/** One MCP server as a child process, one JSON-RPC message per line. */
export class StdioTransport implements McpTransport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: StdioTransportOptions
  decoder: McpTransport['decoder']
  readonly #messages = new MessageReader()
  #awaited: AwaitedAnswer | undefined
  /** Set while a message is decoded elsewhere: ends with the last line that came. */
  #decoding: Promise<void> | undefined
  readonly #stderr = new StderrTail()
  readonly #ended = Promise.withResolvers<void>()
  #child: ChildProcessWithoutNullStreams | undefined
  #failure: RunError | undefined
  /** Nothing more is read: the stream is out of step. */
  #deaf = false
  #closing = false
  #lastResort: NodeJS.Timeout | undefined
  #finished = false

  constructor(options: StdioTransportOptions) {
    this.#options = options
  }

  get failure(): RunError | undefined {
    return this.#failure
  }

  lastWords(): string {
    const words = this.#stderr.text().trim()
    // The mark tells the masker that a secret may be cut there.
    return words.length > longestWords ? `…${words.slice(-longestWords)}` : words
  }

  answerOf(result: object): WireAnswer | undefined {
    return this.#messages.answerOf(result)
  }

  /** Starts the process; throws `SERVER_START_FAILED` when the system cannot. */
  async start(): Promise<void> {
    const { command, args, cwd, env, envPassthrough } = this.#options.config
    const child = spawn(command, [...args], {
      cwd,
      env: childEnvironment(process.env, envPassthrough, env),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own: `npx` and `sh -c` leave the real server behind when only they are killed.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.#child = child
    this.#read(child)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error) => {
        this.#failure = startFailure(this.#options, error)
        this.#finish()
        reject(this.#failure)
      })
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child
    if (!child || this.#finished || this.#failure) {
      throw this.#failure ?? new RunError('SESSION_LOST', `server "${this.#options.server}" is not running`)
    }
    if ('method' in message && 'id' in message) this.#awaited = { id: message.id, decoder: this.decoder }
    await new Promise<void>((resolve, reject) => {
      // A broken pipe is only the symptom: the `close` event brings the exit code and the last words.
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) =>
        error ? void this.#ended.promise.then(() => reject(this.#failure ?? error)) : resolve(),
      )
    })
  }

  /** Ends stdin, then asks, then kills the whole process group. Quick when the server ends with its stdin. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child || this.#finished) return
    this.#closing = true
    const grace = this.#options.graceMs ?? 500
    child.stdin.end()
    if (!(await this.#endsWithin(grace))) {
      this.#signal('SIGTERM')
      if (!(await this.#endsWithin(grace))) {
        this.#signal('SIGKILL')
        await this.#endsWithin(grace)
      }
    }
    this.#finish()
  }

  #read(child: ChildProcessWithoutNullStreams): void {
    const lines = new LineSplitter(this.#options.maxMessageBytes)
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#deaf) return
      try {
        for (const line of lines.push(chunk)) this.#readLine(line)
      } catch (error) {
        if (error instanceof LineTooLong) this.#tooLarge()
        else this.onerror?.(new Error('a message could not be handled', { cause: error }))
      }
    })
    // Always read: a server whose stderr nobody reads blocks after 64 kB of log.
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk))
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.once('exit', (code, signal) => {
      if (!this.#closing) this.#failure ??= exitFailure(this.#options.server, code, signal)
      // What the leader left behind holds our pipes open, and `close` would never come.
      this.#signal('SIGKILL')
      this.#lastResort = setTimeout(() => this.#finishOnceRead(), 1000).unref()
    })
    child.once('close', () => this.#finishOnceRead())
  }

  /** Lines are handled in their order: those behind a message that is decoded elsewhere wait for it. */
  #readLine(line: MessageBytes): void {
    const handled = this.#decoding?.then(() => this.#handleLine(line)) ?? this.#handleLine(line)
    if (handled === undefined) return
    const decoding = handled.finally(() => {
      if (this.#decoding === decoding) this.#decoding = undefined
    })
    this.#decoding = decoding
  }

  /** Returns a promise, which never rejects, only if the line is decoded elsewhere. */
  #handleLine(line: MessageBytes): Promise<void> | undefined {
    if (line.length < 1024 && line.toString().trim() === '') return undefined
    try {
      const messages = this.#messages.read(line, this.#awaited)
      if (!(messages instanceof Promise)) this.#deliver(messages)
      else
        return messages.then((read) => this.#deliver(read)).catch((error: unknown) => this.#unreadable(error))
    } catch (error) {
      this.#unreadable(error)
    }
    return undefined
  }

  #deliver(messages: readonly JSONRPCMessage[]): void {
    for (const message of messages) this.onmessage?.(message)
  }

  #unreadable(error: unknown): void {
    if (error instanceof UnreadableMessage) {
      const id = answerStart.exec(error.start.slice(0, 200))?.[1]
      if (id !== undefined)
        this.onmessage?.(failedAnswer(Number(id), `not valid JSON: ${excerpt(error.start, 200)}`))
      else this.onerror?.(new Error('a line on stdout is not JSON-RPC', { cause: error.cause }))
    } else if (error instanceof RunError && this.#awaited !== undefined) {
      // The thread that decoded it is lost; its table knows why.
      this.onmessage?.(failedAnswer(this.#awaited.id, error.message))
    } else this.onerror?.(new Error('a message could not be handled', { cause: error }))
  }

  #tooLarge(): void {
    const { server, maxMessageBytes } = this.#options
    this.#deaf = true
    this.#failure = new RunError(
      'ANSWER_TOO_LARGE',
      `server "${server}" sent a message larger than ${maxMessageBytes} bytes`,
      { hint: 'ask for smaller pages (page_size), or raise max_message_bytes of the server' },
    )
    this.#signal('SIGKILL')
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#child
    if (child?.pid === undefined) return
    try {
      if (process.platform === 'win32') child.kill(signal)
      else process.kill(-child.pid, signal)
    } catch {
      // ESRCH: nobody is left.
    }
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    await Promise.race([this.#ended.promise, promise])
    clearTimeout(timer)
    return this.#finished
  }

  /** The process is gone; what it said before may still be on its way through another thread. */
  #finishOnceRead(): void {
    if (this.#decoding === undefined || this.#closing) this.#finish()
    else void this.#decoding.then(() => this.#finish())
  }

  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    clearTimeout(this.#lastResort)
    if (this.#failure?.code === 'SERVER_EXITED')
      this.#failure = withLastWords(this.#failure, this.lastWords())
    this.#child?.stdout.destroy()
    this.#child?.stderr.destroy()
    this.#ended.resolve()
    this.onclose?.()
  }
}

function startFailure({ server, config }: StdioTransportOptions, error: NodeJS.ErrnoException): RunError {
  const { command, cwd } = config
  const reasons: Record<string, string> = {
    ENOENT: `command "${command}" not found, or its working directory ${cwd} does not exist`,
    EACCES: `command "${command}" is not executable, or ${cwd} may not be entered`,
  }
  const reason = reasons[error.code ?? ''] ?? `command "${command}" cannot be started: ${error.message}`
  return new RunError('SERVER_START_FAILED', `server "${server}": ${reason}`, {
    hint: `check mcp_servers.${server}.local: command must be on the PATH of this process or a path from the project file's folder`,
  })
}

function exitFailure(server: string, code: number | null, signal: NodeJS.Signals | null): RunError {
  const how = code === null ? `was ended by ${signal}` : `exited with code ${code}`
  return new RunError('SERVER_EXITED', `server "${server}" ${how}`)
}

/** The error with what the process said last: the reason usually stands there. */
export function withLastWords(failure: RunError, words: string): RunError {
  const end = words === '' ? 'it said nothing on stderr' : `its last words on stderr: ${excerpt(words, 1000)}`
  const message = `${failure.message}; ${end}`
  return new RunError(failure.code, message, failure.context)
}
