import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { Writable } from 'node:stream'

/**
 * What happens to a request: `drop` closes the connection before the server hears of it; `answer` replies in the
 * server's stead; `hang` never replies; `cutRequest` sends the server that many bytes of the body and then closes both
 * connections (a shorter body at its end); `cutAnswer` likewise for the reply; `loseAnswer` lets the server do its work
 * and closes the connection; `slow` lets the request through after `ms` milliseconds; `late` does so too, but even when
 * the client has given up by then.
 */
export type HttpFault =
  | { kind: 'drop' }
  | { kind: 'answer'; status: number; body: string }
  | { kind: 'hang' }
  | { kind: 'cutRequest'; afterBytes: number }
  | { kind: 'cutAnswer'; afterBytes: number }
  | { kind: 'loseAnswer' }
  | { kind: 'slow'; ms: number }
  | { kind: 'late'; ms: number }

/** Which requests meet a fault. */
export interface FaultRule {
  method?: string
  /** Matched against path and query. */
  path?: RegExp
  /** How many matching requests pass before; default: none. */
  after?: number
  /** How many requests meet it; default: all. */
  times?: number
  fault: HttpFault
}

/** S3's answer to a client that asks too much. */
export const slowDown: HttpFault = {
  kind: 'answer',
  status: 503,
  body: '<Error><Code>SlowDown</Code></Error>',
}

/** An HTTP proxy in front of a server that a test wants to see failing. */
export interface FaultProxy {
  url: string
  /** `METHOD path` of every request so far. */
  readonly requests: readonly string[]
  /** How many late requests the server has not answered yet. */
  readonly lateRequests: number
  /** Adds a rule; the first rule that matches and is not used up decides. */
  inject(rule: FaultRule): void
  /** Takes back all rules. */
  heal(): void
  close(): Promise<void>
}

/** Starts a proxy before the HTTP server at `target` (its URL). The `Host` header is kept, since signatures cover it. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: true })
  const rules: { rule: FaultRule; passing: number; left: number }[] = []
  const timers = new Set<NodeJS.Timeout>()
  const lateOnes = new Set<IncomingMessage>()
  const requests: string[] = []

  const faultFor = (incoming: IncomingMessage): HttpFault | null => {
    for (const entry of rules) {
      if (entry.left === 0 || !matches(entry.rule, incoming)) continue
      if (entry.passing > 0) entry.passing -= 1
      else {
        entry.left -= 1
        return entry.rule.fault
      }
    }
    return null
  }

  const server = createServer((incoming, answer) => {
    requests.push(`${incoming.method} ${incoming.url}`)
    const fault = faultFor(incoming)
    if (fault !== null && actAlone(fault, incoming, answer)) return
    if (fault?.kind === 'late') handOnLate(fault.ms, incoming, answer)
    else if (fault?.kind === 'slow') later(fault.ms, () => pass(fault, incoming, answer))
    else pass(fault, incoming, answer)
  })
  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }
  /** The request to the server, without its body. */
  const open = (
    fault: HttpFault | null,
    incoming: IncomingMessage,
    answer: ServerResponse,
  ): ClientRequest => {
    const { method, headers, url: path } = incoming
    const outgoing = request({ hostname, port, method, path, headers, agent, setHost: false }, (reply) =>
      passAnswer(fault, reply, incoming, answer),
    )
    outgoing.on('error', () => incoming.socket.destroy())
    return outgoing
  }
  /** Takes the whole body now: the client may be gone later. */
  const handOnLate = (ms: number, incoming: IncomingMessage, answer: ServerResponse): void => {
    lateOnes.add(incoming)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => lateOnes.delete(incoming))
    const handOn = (): void => {
      const outgoing = open(null, incoming, answer)
      outgoing.on('close', () => lateOnes.delete(incoming))
      outgoing.end(Buffer.concat(chunks))
    }
    incoming.on('end', () => later(ms, handOn))
  }
  const pass = (fault: HttpFault | null, incoming: IncomingMessage, answer: ServerResponse): void => {
    // Whoever asked may have gone while the request was held up.
    if (incoming.destroyed) return
    const outgoing = open(fault, incoming, answer)
    incoming.on('error', () => outgoing.destroy())
    if (fault?.kind === 'cutRequest') {
      pipeUntil(incoming, fault.afterBytes, outgoing, () => {
        outgoing.destroy()
        incoming.socket.destroy()
      })
    } else incoming.pipe(outgoing)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the fault proxy has no port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    get lateRequests() {
      return lateOnes.size
    },
    inject: (rule) => {
      rules.push({ rule, passing: rule.after ?? 0, left: rule.times ?? Number.POSITIVE_INFINITY })
    },
    heal: () => void rules.splice(0),
    close: async () => {
      for (const timer of timers) clearTimeout(timer)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

function matches(rule: FaultRule, { method, url = '' }: IncomingMessage): boolean {
  return (
    (rule.method === undefined || rule.method === method) && (rule.path === undefined || rule.path.test(url))
  )
}

/** Faults that need no server; false for the others. */
function actAlone(fault: HttpFault, incoming: IncomingMessage, answer: ServerResponse): boolean {
  switch (fault.kind) {
    case 'drop':
      incoming.socket.destroy()
      return true
    case 'hang':
      incoming.resume()
      return true
    case 'answer':
      incoming.resume()
      incoming.on('end', () => {
        answer.writeHead(fault.status, { 'content-type': 'application/xml' })
        answer.end(fault.body)
      })
      return true
    default:
      return false
  }
}

function passAnswer(
  fault: HttpFault | null,
  reply: IncomingMessage,
  incoming: IncomingMessage,
  answer: ServerResponse,
): void {
  if (fault?.kind === 'loseAnswer') {
    reply.resume()
    reply.on('end', () => incoming.socket.destroy())
    return
  }
  // Nobody reads it any more, but the server must be able to end.
  const drain = (): unknown => reply.unpipe(answer).resume()
  if (answer.destroyed) {
    drain()
    return
  }
  answer.on('close', drain)
  answer.writeHead(reply.statusCode ?? 502, reply.headers)
  if (fault?.kind === 'cutAnswer') {
    pipeUntil(reply, fault.afterBytes, answer, () => incoming.socket.destroy())
  } else reply.pipe(answer)
}

/** Writes the first `limit` bytes, or all where there are fewer, and calls `cut` when they have left the process. */
function pipeUntil(source: IncomingMessage, limit: number, sink: Writable, cut: () => void): void {
  let left = limit
  source.on('data', (chunk: Buffer) => {
    if (left <= 0) return
    const piece = chunk.subarray(0, left)
    left -= piece.length
    if (left > 0) sink.write(piece)
    else sink.write(piece, cut)
  })
  source.on('end', () => {
    if (left > 0) cut()
  })
}
