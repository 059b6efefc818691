import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from './read-body.ts'
import type { Incoming, Outgoing } from './scripted-protocol.ts'

/**
 * The transport of protocol version 2024-11-05: one event stream per session for everything the server says, and a
 * second endpoint for everything the client says. Old servers still speak it.
 */
export class LegacySse {
  readonly #answer: (message: Incoming, notify: (text: string) => void) => Promise<Outgoing | undefined>
  readonly #streams = new Map<string, ServerResponse>()

  constructor(answer: (message: Incoming, notify: (text: string) => void) => Promise<Outgoing | undefined>) {
    this.#answer = answer
  }

  handles(url: string): boolean {
    return url.startsWith('/sse') || url.startsWith('/messages')
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (request.method === 'GET' && pathname === '/sse') this.#open(response)
    else if (request.method === 'POST' && pathname === '/messages') {
      await this.#receive(searchParams.get('session') ?? '', request, response)
    } else response.writeHead(405).end()
  }

  #open(response: ServerResponse): void {
    const session = randomUUID()
    this.#streams.set(session, response)
    response.on('close', () => this.#streams.delete(session))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`)
  }

  async #receive(session: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stream = this.#streams.get(session)
    if (!stream) {
      response.writeHead(404).end('no such session')
      return
    }
    const message: Incoming = JSON.parse(await readBody(request))
    const say = (text: string) => void stream.write(`event: message\ndata: ${text}\n\n`)
    const answered = this.#answer(message, say)
    if (message.method !== 'tools/call') response.writeHead(202).end()
    const outgoing = await answered
    const step = outgoing?.step ?? {}
    if (step.httpStatus !== undefined) {
      response.writeHead(step.httpStatus, step.headers).end(typeof step.text === 'string' ? step.text : '')
      return
    }
    if (!response.writableEnded) response.writeHead(202).end()
    if (step.fault === 'drop_socket' || step.exit !== undefined) stream.destroy()
    else if (outgoing) say(outgoing.text)
  }
}
