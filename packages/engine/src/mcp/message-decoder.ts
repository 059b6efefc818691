import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { HeldAnswer } from './held-answer.ts'
import type { MessageBytes } from './message-bytes.ts'
import { type RequestId, readMessages, type WireAnswer, type WireAnswers } from './wire-message.ts'

/** Decodes messages elsewhere than in the thread that moves their bytes. */
export interface MessageDecoder {
  /**
   * Takes the bytes over. Of the results only that of request `wanted` is kept, and it stays where it was decoded.
   * Rejects when that thread is lost.
   */
  decode(bytes: MessageBytes, wanted: RequestId): Promise<Decoded>
}

/** What a text held. */
export type Decoded =
  | { kind: 'messages'; messages: readonly DecodedMessage[] }
  /** It is not JSON; `start` is how it begins. */
  | { kind: 'unreadable'; start: string; reason: string }

export interface DecodedMessage {
  message: JSONRPCMessage
  /** The answer behind a result that is wanted; null for any other message. */
  answer: WireAnswer | null
}

/** As much of an unreadable text as an error may need. */
const startLength = 4_096

/** Decodes a text; `keep` takes over the wanted answer and gives what stands for it. */
export function decodeMessages(
  text: string,
  bytes: number,
  wanted: RequestId,
  keep: (answer: WireAnswer) => HeldAnswer,
): Decoded {
  const answers: WireAnswers = new WeakMap()
  let messages: JSONRPCMessage[]
  try {
    messages = readMessages(text, bytes, answers)
  } catch (error) {
    return { kind: 'unreadable', start: text.slice(0, startLength), reason: String(error) }
  }
  return { kind: 'messages', messages: messages.map((message) => decodedMessage(message)) }

  function decodedMessage(message: JSONRPCMessage): DecodedMessage {
    if (!('result' in message)) return { message, answer: null }
    const answer = answers.get(message.result)
    const empty = { ...message, result: {} }
    if (answer === undefined || String(message.id) !== String(wanted)) return { message: empty, answer: null }
    // A result that is not complete is the SDK's to judge.
    if ((answer.result['resultType'] ?? 'complete') !== 'complete') return { message, answer }
    const held = keep(answer)
    return { message: empty, answer: { result: {}, text: '', index: null, bytes, held } }
  }
}
