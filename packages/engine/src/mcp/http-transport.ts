import { RunError } from '@huntfleet/contract'
import type { JSONRPCErrorResponse, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { excerpt } from '../visible-text.ts'
import { AnswerReader } from './answer-reader.ts'
import { cappedChunks, readCapped, readStart } from './capped-body.ts'
import { EventStreamReader } from './event-stream-reader.ts'
import type { HttpRequester } from './http-requester.ts'
import type { McpTransport, SendOptions } from './mcp-transport.ts'
import type { MessageBytes } from './message-bytes.ts'
import { type AwaitedAnswer, MessageReader, UnreadableMessage } from './message-reader.ts'
import { modernHeaders } from './modern-headers.ts'
import { statusError } from './status-error.ts'
import { type RequestId, readMessages, type WireAnswer } from './wire-message.ts'

export interface HttpTransportOptions {
  server: string
  url: URL
  requester: HttpRequester
  maxMessageBytes: number
}

/** After its answer an event stream may take so long to end, so that its connection can be used again. */
const streamEndMs = 1000
/** Farewells (cancellations on their way, DELETE) may hold up `close` for so long. */
const farewellMs = 1000

/**
 * MCP over Streamable HTTP (protocol version 2025-03-26 and later), client side: every message is a POST, its answer
 * comes as JSON or as an event stream. Written anew because the SDK's transport hangs until the timeout when a stream
 * ends without the answer, loses `Retry-After`, has no size limit and goes on downloading what was cancelled.
 *
 * No standing GET stream is opened: servers have nothing to tell a fetcher between calls.
 */
export class HttpTransport implements McpTransport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  sessionId?: string | undefined
  readonly hasPerRequestStream = true
  readonly #options: HttpTransportOptions
  decoder: McpTransport['decoder']
  readonly #messages = new MessageReader()
  readonly #transfers = new Map<RequestId, AbortController>()
  readonly #notifications = new Set<Promise<unknown>>()
  readonly #closed = new AbortController()
  #protocolVersion: string | undefined
  #failure: RunError | undefined

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  get failure(): RunError | undefined {
    return this.#failure
  }

  answerOf(result: object): WireAnswer | undefined {
    return this.#messages.answerOf(result)
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version
  }

  /** Resolves once the answer was delivered; throws a `RunError` or what `fetch` threw when there will be none. */
  async send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined
    if (id !== undefined) return this.#request(id, message, options)
    const cancelled = cancelledRequest(message)
    const sent = this.#notify(message)
    this.#notifications.add(sent)
    // Only an abort ends the transfer; the notification may be ignored.
    if (cancelled !== undefined) this.#transfers.get(cancelled)?.abort()
    try {
      await sent
    } finally {
      this.#notifications.delete(sent)
    }
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return
    for (const transfer of this.#transfers.values()) transfer.abort()
    await this.#farewell()
    this.#closed.abort()
    this.onclose?.()
  }

  async #request(
    id: RequestId,
    message: JSONRPCMessage,
    { requestSignal, headers }: SendOptions,
  ): Promise<void> {
    const awaited = { id, decoder: this.decoder }
    const transfer = new AbortController()
    const stop = () => transfer.abort()
    requestSignal?.addEventListener('abort', stop)
    this.#transfers.set(id, transfer)
    const reader = new AnswerReader(id, (received) => this.onmessage?.(received))
    let lingering: NodeJS.Timeout | undefined
    try {
      const response = await this.#post(message, transfer.signal, headers)
      if (!response.ok) return reader.deliver([await this.#refusal(message, response)])
      for await (const messages of this.#messagesOf(response, awaited)) {
        reader.deliver(messages)
        if (reader.answered) lingering ??= setTimeout(() => transfer.abort(), streamEndMs)
      }
    } catch (error) {
      if (reader.answered) return
      throw transfer.signal.aborted ? new RunError('SESSION_LOST', 'the session was closed') : error
    } finally {
      clearTimeout(lingering)
      requestSignal?.removeEventListener('abort', stop)
      this.#transfers.delete(id)
    }
    if (!reader.answered) {
      throw new RunError('SOURCE_UNREACHABLE', 'the response ended without the answer', {
        hint: 'a proxy or the server cut the connection; if it happens again, ask for smaller pages',
      })
    }
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    const response = await this.#post(message, this.#closed.signal)
    if (!response.ok) await this.#refusal(message, response)
    await response.body?.cancel()
  }

  async #post(
    message: JSONRPCMessage,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { url, requester } = this.#options
    const response = await requester.send(url, {
      method: 'POST',
      headers: {
        ...this.#sessionHeaders(),
        ...modernHeaders(message),
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal,
    })
    this.sessionId = response.headers.get('mcp-session-id') ?? this.sessionId
    return response
  }

  /** The JSON-RPC error in the body of a response that is not 2xx, where that says more than the status; else throws. */
  async #refusal(message: JSONRPCMessage, response: Response): Promise<JSONRPCMessage> {
    const body = await readStart(response, 4096)
    const said = [400, 404].includes(response.status) ? readRpcError(body) : undefined
    // Revision 2026-07-28 gives every JSON-RPC error a status; before it, the status was the proper error.
    if (said && (modernHeaders(message) !== undefined || said.error.code === unsupportedRevision)) return said
    const error = statusError(this.#options.server, response, body, this.sessionId !== undefined)
    if (error.code === 'SESSION_LOST') {
      this.#failure = error
      this.sessionId = undefined
    }
    throw error
  }

  async *#messagesOf(response: Response, awaited: AwaitedAnswer): AsyncGenerator<JSONRPCMessage[]> {
    const { maxMessageBytes } = this.#options
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (type === 'application/json') {
      const body = await readCapped(response, maxMessageBytes)
      if (body.length > 0) yield await this.#read(body, awaited)
    } else if (type === 'text/event-stream') {
      const events = new EventStreamReader(maxMessageBytes)
      for await (const chunk of cappedChunks(response, maxMessageBytes)) {
        for (const event of events.push(chunk)) yield await this.#read(event.data, awaited)
      }
      for (const event of events.end()) yield await this.#read(event.data, awaited)
    } else if (response.status !== 202) {
      const start = excerpt(await readStart(response, 4096), 200)
      throw new RunError('SERVER_REFUSED', `the answer is of type "${type ?? ''}", not JSON: ${start}`, {
        hint: 'a login page or a proxy seems to stand at this address; check url and auth of the server',
      })
    }
  }

  async #read(bytes: MessageBytes, awaited: AwaitedAnswer): Promise<JSONRPCMessage[]> {
    try {
      return await this.#messages.read(bytes, awaited)
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error
      const message = `the answer is not valid JSON: ${excerpt(error.start, 200)}`
      throw new RunError('ANSWER_INVALID', message, {}, error.cause)
    }
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
      ...(this.#protocolVersion !== undefined && { 'mcp-protocol-version': this.#protocolVersion }),
    }
  }

  /** Lets cancellations get out and ends the session at the server, within a second. */
  async #farewell(): Promise<void> {
    const timer = setTimeout(() => this.#closed.abort(), farewellMs)
    try {
      await Promise.allSettled(this.#notifications)
      if (this.sessionId === undefined) return
      const { url, requester } = this.#options
      const signal = this.#closed.signal
      const response = await requester.send(url, {
        method: 'DELETE',
        headers: this.#sessionHeaders(),
        signal,
      })
      await response.body?.cancel()
    } catch {
      // 405 and the like: the server keeps its sessions to itself, or is gone.
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The code with which a server of revision 2026-07-28 says that it speaks none of the client's revisions. */
const unsupportedRevision = -32022

function readRpcError(body: string): JSONRPCErrorResponse | undefined {
  try {
    const [message] = readMessages(body, body.length, new WeakMap())
    return message && 'error' in message ? message : undefined
  } catch {
    return undefined
  }
}

function cancelledRequest(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
