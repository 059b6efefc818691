import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { MessageBytes } from './message-bytes.ts'
import type { Decoded, MessageDecoder } from './message-decoder.ts'
import { type RequestId, readMessages, type WireAnswer, type WireAnswers } from './wire-message.ts'

/** Longer messages are decoded elsewhere, if there is an elsewhere: one of this length takes about two milliseconds. */
const longestDecodedHere = 256 * 1024

/** The request whose answer is waited for. */
export interface AwaitedAnswer {
  id: RequestId
  /** Decodes it if it is big; undefined: nobody else does. */
  decoder: MessageDecoder | undefined
}

/** Turns the bytes of a transport's messages into messages, and keeps the answers as they were. */
export class MessageReader {
  readonly #answers: WireAnswers = new WeakMap()

  /** The answer behind a result object that the SDK handed on. */
  answerOf(result: object): WireAnswer | undefined {
    return this.#answers.get(result)
  }

  /** The messages, at once unless they are decoded elsewhere. Throws, or rejects with, `UnreadableMessage`. */
  read(
    bytes: MessageBytes,
    awaited: AwaitedAnswer | undefined,
  ): JSONRPCMessage[] | Promise<JSONRPCMessage[]> {
    if (awaited?.decoder !== undefined && bytes.length > longestDecodedHere)
      return awaited.decoder.decode(bytes, awaited.id).then((decoded) => this.#take(decoded))
    const text = bytes.toString()
    try {
      return readMessages(text, bytes.length, this.#answers)
    } catch (error) {
      throw new UnreadableMessage(text, error)
    }
  }

  #take(decoded: Decoded): JSONRPCMessage[] {
    if (decoded.kind === 'unreadable')
      throw new UnreadableMessage(decoded.start, new SyntaxError(decoded.reason))
    return decoded.messages.map(({ message, answer }) => {
      if (answer !== null && 'result' in message) this.#answers.set(message.result, answer)
      return message
    })
  }
}

/** A message that is not JSON. The transports turn it into what that means for them. */
export class UnreadableMessage extends Error {
  /** How it begins. */
  readonly start: string
  constructor(start: string, cause: unknown) {
    super('a message is not JSON', { cause })
    this.start = start
  }
}
