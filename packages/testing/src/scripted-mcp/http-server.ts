import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../listen.ts'
import { LegacySse } from './legacy-sse.ts'
import { readBody } from './read-body.ts'
import { headerRefusalOf } from './revision-2026.ts'
import type { Script, ScriptedCall } from './script.ts'
import { type Incoming, ScriptedProtocol } from './scripted-protocol.ts'
import { sendAnswer } from './send-answer.ts'

export interface ScriptedHttpOptions {
  /** Only Streamable HTTP is served in-process; stdio is the program `main.ts`. */
  transport?: 'http'
  /** How answers are framed; default `json`. */
  answer?: 'json' | 'sse'
  /** Hands out session ids and refuses requests without one; default true. */
  sessions?: boolean
  /** A session is forgotten after so many tool calls. */
  expireAfterCalls?: number
  /** Says whether a request may pass, by its headers; a refused one gets 401. */
  authorize?: (headers: IncomingHttpHeaders) => boolean
  /** Serves the old two-endpoint transport (`/sse`), too; `only` refuses Streamable HTTP with 405. */
  legacySse?: 'also' | 'only'
  /** Default: any free one. */
  port?: number
  folder?: string
  /** Told of each call and message as it comes in, beside `calls` and `messages`. */
  onCall?: (call: ScriptedCall) => void
  onMessage?: (message: Incoming) => void
}

export interface ScriptedMcp {
  /** The MCP endpoint. */
  url: string
  /** Where the old HTTP+SSE transport is, if it is served. */
  sseUrl: string
  calls: ScriptedCall[]
  /** Every message that came in, notifications included. */
  messages: Incoming[]
  /** Every HTTP request, before any check. */
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[]
  /** Sessions opened and not ended. */
  sessions: ReadonlySet<string>
  /** Forgets every session, as a restarted server would. */
  forgetSessions(): void
  close(): Promise<void>
}

/** Starts a scripted MCP server on 127.0.0.1 in this process. */
export async function startScriptedMcp(
  script: Script,
  options: ScriptedHttpOptions = {},
): Promise<ScriptedMcp> {
  const server = new ScriptedHttpServer(script, options)
  await server.start()
  return server
}

class ScriptedHttpServer implements ScriptedMcp {
  url = ''
  sseUrl = ''
  readonly calls: ScriptedCall[] = []
  readonly messages: Incoming[] = []
  readonly requests: ScriptedMcp['requests'] = []
  readonly #options: ScriptedHttpOptions
  readonly #protocol: ScriptedProtocol
  readonly #ended = new AbortController()
  /** Tool calls seen per session. */
  readonly #sessions = new Map<string, number>()
  readonly #legacy: LegacySse
  #stop: () => Promise<void> = async () => undefined

  constructor(script: Script, options: ScriptedHttpOptions) {
    this.#options = options
    this.#protocol = new ScriptedProtocol(script, {
      signal: this.#ended.signal,
      ...(options.folder !== undefined && { folder: options.folder }),
      onMessage: (message) => {
        this.messages.push(message)
        options.onMessage?.(message)
      },
      onCall: (call) => {
        this.calls.push(call)
        options.onCall?.(call)
      },
    })
    this.#legacy = new LegacySse((message, notify) => this.#protocol.answer(message, notify))
  }

  get sessions(): ReadonlySet<string> {
    return new Set(this.#sessions.keys())
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy())
    })
    const { origin, close } = await listen(server, this.#options.port)
    this.url = `${origin}/mcp`
    this.sseUrl = `${origin}/sse`
    this.#stop = close
  }

  forgetSessions(): void {
    this.#sessions.clear()
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await this.#stop()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    this.requests.push({ method, path: url, headers })
    if (this.#options.authorize?.(headers) === false) {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end('who are you?')
      return
    }
    if (this.#options.legacySse !== undefined && this.#legacy.handles(url)) {
      await this.#legacy.handle(request, response)
    } else if (method === 'DELETE') {
      this.#sessions.delete(String(headers['mcp-session-id']))
      response.writeHead(200).end()
    } else if (method === 'POST' && this.#options.legacySse !== 'only') {
      await this.#post(request, response)
    } else {
      response.writeHead(405).end()
    }
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message: Incoming = JSON.parse(await readBody(request))
    const wrongHeader = this.#protocol.modern ? headerRefusalOf(message, request.headers) : undefined
    if (wrongHeader && message.id !== undefined && message.method !== 'initialize') {
      await sendAnswer(response, this.#protocol.refuse(message.id, wrongHeader), 'json')
      return
    }
    const session = this.#sessionOf(message, request.headers)
    if (session === 'unknown') {
      sessionNotFound(response)
      return
    }
    if (session !== 'none') response.setHeader('mcp-session-id', session)
    const framing = this.#options.answer ?? 'json'
    const outgoing = await this.#protocol.answer(message, (text) => notifyOver(response, text, framing))
    if (!outgoing) {
      response.writeHead(202).end()
      return
    }
    if (outgoing.step.fault === 'lose_session') {
      this.#sessions.delete(session)
      response.removeHeader('mcp-session-id')
      sessionNotFound(response)
    } else await sendAnswer(response, outgoing, framing)
  }

  #sessionOf(message: Incoming, headers: IncomingHttpHeaders): string {
    if (this.#options.sessions === false || this.#protocol.modern) return 'none'
    if (message.method === 'initialize') {
      const session = randomUUID()
      this.#sessions.set(session, 0)
      return session
    }
    const session = String(headers['mcp-session-id'])
    const calls = this.#sessions.get(session)
    if (calls === undefined) return 'unknown'
    if (message.method === 'tools/call') {
      if (calls >= (this.#options.expireAfterCalls ?? Number.POSITIVE_INFINITY)) {
        this.#sessions.delete(session)
        return 'unknown'
      }
      this.#sessions.set(session, calls + 1)
    }
    return session
  }
}

/** Notifications before the answer need an event stream; a JSON answer has no room for them. */
function notifyOver(response: ServerResponse, text: string, framing: 'json' | 'sse'): void {
  if (framing !== 'sse') return
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`event: message\ndata: ${text}\n\n`)
}

function sessionNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' })
  response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
}
