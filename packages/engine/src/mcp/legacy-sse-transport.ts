import { RunError } from '@huntfleet/contract'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { readStart } from './capped-body.ts'
import type { StreamEvent } from './event-stream-reader.ts'
import { EventStreamReader } from './event-stream-reader.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { LineTooLong } from './line-splitter.ts'
import type { McpTransport } from './mcp-transport.ts'
import { type AwaitedAnswer, MessageReader, UnreadableMessage } from './message-reader.ts'
import { statusError } from './status-error.ts'
import type { WireAnswer } from './wire-message.ts'

/**
 * MCP over HTTP+SSE (protocol version 2024-11-05), client side: one event stream brings everything the server says,
 * messages are POSTed to the endpoint that its first event names. When the stream ends the session is lost; the
 * `eventsource` package of the SDK would reconnect to a new session and every call would hang.
 */
export class LegacySseTransport implements McpTransport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: HttpTransportOptions
  decoder: McpTransport['decoder']
  readonly #messages = new MessageReader()
  #awaited: AwaitedAnswer | undefined
  readonly #closed = new AbortController()
  readonly #opened = Promise.withResolvers<URL>()
  #failure: RunError | undefined
  #finished = false

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  get failure(): RunError | undefined {
    return this.#failure
  }

  answerOf(result: object): WireAnswer | undefined {
    return this.#messages.answerOf(result)
  }

  /** Opens the event stream and waits for the endpoint. */
  async start(): Promise<void> {
    const { url, requester, server } = this.#options
    const request = {
      method: 'GET' as const,
      headers: { accept: 'text/event-stream' },
      signal: this.#closed.signal,
    }
    const response = await requester.send(url, request)
    if (!response.ok) throw statusError(server, response, await readStart(response, 4096), false)
    const type = response.headers.get('content-type') ?? ''
    if (!type.toLowerCase().startsWith('text/event-stream')) {
      await response.body?.cancel()
      throw new RunError(
        'SERVER_REFUSED',
        `server "${server}" offers no event stream at ${url.origin}${url.pathname}`,
      )
    }
    void this.#read(response)
    await this.#opened.promise
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#failure) throw this.#failure
    if ('method' in message && 'id' in message) this.#awaited = { id: message.id, decoder: this.decoder }
    const { server } = this.#options
    const response = await this.#post(JSON.stringify(message)).catch((error: unknown) => {
      // The stream ended meanwhile: that is the reason, not the aborted request.
      throw this.#closed.signal.aborted ? this.#reason() : error
    })
    if (!response.ok) throw statusError(server, response, await readStart(response, 4096), true)
    await response.body?.cancel()
  }

  async #post(body: string): Promise<Response> {
    return this.#options.requester.send(await this.#opened.promise, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: this.#closed.signal,
    })
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#finish()
  }

  /** Reads the stream to its end; never rejects. */
  async #read(response: Response): Promise<void> {
    const events = new EventStreamReader(this.#options.maxMessageBytes)
    try {
      for await (const chunk of response.body ?? []) {
        for (const event of events.push(Buffer.from(chunk))) await this.#handle(event)
      }
      this.#fail(new RunError('SESSION_LOST', `server "${this.#options.server}" ended its event stream`))
    } catch (error) {
      this.#fail(this.#streamError(error))
    }
  }

  #streamError(error: unknown): RunError {
    const { server, maxMessageBytes } = this.#options
    if (error instanceof RunError) return error
    if (error instanceof LineTooLong) {
      const message = `server "${server}" sent a message larger than ${maxMessageBytes} bytes`
      return new RunError('ANSWER_TOO_LARGE', message, { hint: 'ask for smaller pages (page_size)' })
    }
    return new RunError('SESSION_LOST', `the event stream of server "${server}" broke`, {}, error)
  }

  async #handle({ type, data }: StreamEvent): Promise<void> {
    if (type === 'endpoint') this.#open(data.toString())
    if (type !== 'message') return
    let messages: JSONRPCMessage[]
    try {
      messages = await this.#messages.read(data, this.#awaited)
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error
      // Which call it was for cannot be known: all of them fail.
      throw new RunError('ANSWER_INVALID', 'an event of the stream is not valid JSON', {}, error.cause)
    }
    for (const message of messages) this.onmessage?.(message)
  }

  #open(data: string): void {
    const { url, server } = this.#options
    const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined
    if (endpoint?.origin !== url.origin) {
      throw new RunError('SERVER_REFUSED', `server "${server}" wants its messages sent to another origin`)
    }
    this.#opened.resolve(endpoint)
  }

  #reason(): RunError {
    return this.#failure ?? new RunError('SESSION_LOST', 'the session was closed')
  }

  #fail(error: RunError): void {
    this.#failure ??= error
    this.#finish()
  }

  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    this.#opened.promise.catch(() => undefined)
    this.#opened.reject(this.#reason())
    this.#closed.abort()
    this.onclose?.()
  }
}
