import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { parseExact } from '../json/parse-exact.ts'
import { toPlain } from '../json/to-plain.ts'
import type { HeldAnswer } from './held-answer.ts'

/**
 * JSON-RPC as it comes in. The SDK drops a whole message over one odd key, and the call then hangs until its timeout;
 * so messages are brought into the strict form here, and the answer is kept beside as it was.
 */

export type RequestId = string | number

/** An answer before anything was stripped from it. */
export interface WireAnswer {
  /** The `result`, with every key. */
  result: Record<string, unknown>
  /** The text that it was parsed from, and its place there if that is a batch. */
  text: string
  index: number | null
  bytes: number
  /** Set when another thread has the answer; `result` and `text` are empty then. */
  held: HeldAnswer | null
}

/** Finds the answer again by the result object that the SDK hands on. */
export type WireAnswers = WeakMap<object, WireAnswer>

/** JSON-RPC's own code for text that is not JSON; no server has a reason to send it for a request of ours. */
export const unreadableAnswer = -32700

/**
 * Reads a text as JSON-RPC messages (old servers send batches); throws `SyntaxError` when it is not JSON. What is
 * neither request, notification nor answer is left out.
 */
export function readMessages(text: string, bytes: number, answers: WireAnswers): JSONRPCMessage[] {
  const parsed = parse(text)
  const messages: JSONRPCMessage[] = []
  for (const [at, item] of (Array.isArray(parsed) ? parsed : [parsed]).entries()) {
    const index = Array.isArray(parsed) ? at : null
    const message = readMessage(item, (rest, result) =>
      answers.set(rest, { result, text, index, bytes, held: null }),
    )
    if (message) messages.push(message)
  }
  return messages
}

/** The answer at a place of a text that was read before. */
export function answerAt(text: string, index: number | null, bytes: number): WireAnswer {
  const parsed = parse(text)
  const message = index !== null && Array.isArray(parsed) ? parsed[index] : parsed
  if (!isRecord(message) || !isRecord(message['result'])) throw new Error('the text holds no answer there')
  return { result: message['result'], text, index, bytes, held: null }
}

/** Python writes `NaN` and `Infinity` where JSON has no word; they are kept as strings rather than lose the answer. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/\bNaN\b|\bInfinity\b/.test(text)) throw error
    try {
      return toPlain(parseExact(text, { lenientNumbers: true }))
    } catch {
      throw error
    }
  }
}

function readMessage(
  item: unknown,
  remember: (rest: object, result: Record<string, unknown>) => void,
): JSONRPCMessage | undefined {
  if (!isRecord(item)) return undefined
  const { id, method, params, result, error } = item
  if (typeof method === 'string') {
    const body = { jsonrpc: '2.0' as const, method, ...(isRecord(params) && { params }) }
    return isRequestId(id) ? { ...body, id } : body
  }
  if (!isRequestId(id) && id !== null) return undefined
  if (isRecord(error)) return readError(id, error)
  if (id === null) return undefined
  if (!isRecord(result)) return failedAnswer(id, 'the answer has neither a result object nor an error')
  // `_meta` has a schema in the SDK; everything else of a result passes.
  const { _meta, ...rest } = result
  remember(rest, result)
  return { jsonrpc: '2.0', id, result: rest }
}

function readError(id: string | number | null, error: Record<string, unknown>): JSONRPCMessage {
  const { code, message, data } = error
  return {
    jsonrpc: '2.0',
    ...(id !== null && { id }),
    error: {
      // Some servers send HTTP statuses or words; -32603 is "internal error", and the message says the rest.
      code: typeof code === 'number' && Number.isInteger(code) ? code : -32603,
      message: typeof message === 'string' ? message : JSON.stringify(message ?? code ?? 'no message'),
      ...(data !== undefined && { data }),
    },
  }
}

/** An answer to a request whose real answer cannot be used. */
export function failedAnswer(id: string | number, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: unreadableAnswer, message } }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
