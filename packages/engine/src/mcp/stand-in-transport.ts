import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { McpTransport, SendOptions } from './mcp-transport.ts'
import { isRecord, type WireAnswer } from './wire-message.ts'

/**
 * Satisfies SDK v2's schema of every result that a session asks for. The SDK refuses an answer over one block of an
 * unknown type; so it gets this in its place, and the answer itself is read by us.
 */
const acceptable = {
  resultType: 'complete',
  content: [],
  tools: [],
  contents: [],
  ttlMs: 0,
  cacheScope: 'private',
}

/** One of our transports in the form that SDK v2 takes, with every complete result replaced by a stand-in. */
export class StandInTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  /** Where every request has a stream of its own, the SDK ends that instead of sending a cancellation. */
  readonly hasPerRequestStream: boolean
  readonly #inner: McpTransport
  /** Ids of the `server/discover` requests on their way: the SDK itself reads their answers. */
  readonly #discoveries = new Set<unknown>()

  constructor(inner: McpTransport) {
    this.#inner = inner
    this.hasPerRequestStream = inner.hasPerRequestStream === true
    inner.onmessage = (message) => this.onmessage?.(this.#standIn(message))
    inner.onclose = () => this.onclose?.()
    inner.onerror = (error) => this.onerror?.(error)
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if ('method' in message && message.method === 'server/discover' && 'id' in message)
      this.#discoveries.add(message.id)
    return this.#inner.send(message, options)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version)
  }

  /** The answer behind a result that the SDK handed on. */
  answerOf(result: object): WireAnswer | undefined {
    return 'standsFor' in result && isWireAnswer(result.standsFor) ? result.standsFor : undefined
  }

  #standIn(message: JSONRPCMessage): JSONRPCMessage {
    if (!('result' in message)) return message
    const answer = this.#inner.answerOf(message.result)
    if (answer === undefined) return message
    const { resultType = 'complete' } = answer.result
    // Whatever is not a plain answer (`input_required`) is the SDK's to judge.
    const asItCame = this.#discoveries.delete(message.id) || resultType !== 'complete'
    return { ...message, result: asItCame ? answer.result : { ...acceptable, standsFor: answer } }
  }
}

function isWireAnswer(value: unknown): value is WireAnswer {
  return isRecord(value) && isRecord(value['result']) && typeof value['text'] === 'string'
}
