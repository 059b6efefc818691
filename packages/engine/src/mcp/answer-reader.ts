import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { RequestId } from './wire-message.ts'

/** Delivers messages and notices the answer that is waited for. */
export class AnswerReader {
  answered = false
  readonly #id: RequestId
  readonly #deliver: (message: JSONRPCMessage) => void

  constructor(id: RequestId, deliver: (message: JSONRPCMessage) => void) {
    this.#id = id
    this.#deliver = deliver
  }

  deliver(messages: readonly JSONRPCMessage[]): void {
    for (const message of messages) {
      if ('method' in message) this.#deliver(message)
      // A server that could not read the request answers with the id null; on this connection that is ours.
      else if (message.id === undefined) this.#answer({ ...message, id: this.#id })
      else if (String(message.id) === String(this.#id)) this.#answer(message)
    }
  }

  #answer(message: JSONRPCMessage): void {
    this.answered = true
    this.#deliver(message)
  }
}
