import { type ErrorCode, type ErrorContext, RunError, toRunError } from '@huntfleet/contract'
import { z } from 'zod'
import { classifyText } from '../classify-text.ts'
import { visibleText } from '../visible-text.ts'
import { abortError } from './abort-error.ts'
import { retryAfterSeconds } from './retry-after-header.ts'
import { type SdkFailure, sdkFailure } from './sdk-failure.ts'
import { systemError } from './system-error.ts'
import { isRecord, unreadableAnswer } from './wire-message.ts'

/** What is known beside the thrown thing itself. */
export interface Circumstances {
  /** For messages: `server "elastic"` or `tool "search"`. */
  what: string
  server: string
  tool?: string
  /** The caller's signal: if it aborted, whatever was thrown is its doing. */
  signal: AbortSignal
  /** Why the transport can no longer be used, if it cannot. */
  failure: RunError | undefined
}

/**
 * Whatever a session's calls throw, as a `RunError` with the code that decides about retries (SPEC section 7). HTTP
 * statuses, exits and lost answers are errors of the transports already; JSON-RPC codes, socket errors and the SDK's
 * own errors are read here.
 */
export function classify(thrown: unknown, circumstances: Circumstances): RunError {
  const { server, tool, signal, failure } = circumstances
  const context = { server, ...(tool !== undefined && { tool }) }
  if (signal.aborted) return abortError(signal)
  if (thrown instanceof RunError) return thrown.with(context)
  const said = sdkFailure(thrown)
  if (failure && (said?.kind === 'closed' || said?.kind === 'revision')) return failure.with(context)
  // While v2 negotiates, it wraps what the transport threw.
  if (said?.kind === 'revision' && thrown instanceof Error && thrown.cause !== undefined)
    return classify(thrown.cause, circumstances)
  return (said ? ofSdk(said, thrown, circumstances) : classified(thrown, circumstances)).with(context)
}

const otherRevision =
  'this server speaks another revision of MCP: v1 speaks those up to 2025-11-25, v2 speaks 2026-07-28; set protocol of the server to auto'

function ofSdk(said: SdkFailure, thrown: unknown, { what, server }: Circumstances): RunError {
  switch (said.kind) {
    case 'closed':
      return new RunError('SESSION_LOST', `the session with server "${server}" is closed`)
    case 'rpc':
      return rpcError(said, what, thrown)
    case 'revision': {
      const message = `server "${server}": ${visibleText(said.message, 300)}`
      return new RunError('SERVER_REFUSED', message, { hint: otherRevision }, thrown)
    }
    case 'input':
      return new RunError('TOOL_FAILED', `${what} asks for input from a person instead of answering`, {
        hint: 'fetches are unattended: call it with arguments, or take a tool, for which nothing needs to be asked',
      })
    case 'form':
      return new RunError('ANSWER_INVALID', `${what}: ${visibleText(said.message, 300)}`, {}, thrown)
  }
}

function classified(thrown: unknown, { what, server }: Circumstances): RunError {
  if (thrown instanceof z.core.$ZodError || thrown instanceof SyntaxError) {
    return new RunError('ANSWER_INVALID', `${what}: the answer is not what MCP says it must be`, {}, thrown)
  }
  return systemError(thrown, `server "${server}"`) ?? toRunError(thrown)
}

/** Codes of JSON-RPC 2.0 section 5.1 and of MCP. Codes not in here are the tool's own failure. */
function codeOf(rpcCode: number, message: string): ErrorCode {
  switch (rpcCode) {
    case -32602:
      return /\bnot found\b|\bunknown tool\b|\bno such tool\b/i.test(message)
        ? 'TOOL_UNKNOWN'
        : 'ARGUMENT_INVALID'
    case -32601:
    case -32600:
    // "Unsupported protocol version" of revision 2026-07-28.
    case -32022:
      return 'SERVER_REFUSED'
    case unreadableAnswer:
      return 'ANSWER_INVALID'
    case -32001:
      return /\bsession\b/i.test(message) ? 'SESSION_LOST' : 'SOURCE_TIMEOUT'
    case -32603:
      return 'SOURCE_ERROR'
    default:
      return rpcCode >= -32099 && rpcCode <= -32000 && rpcCode !== -32002 ? 'SOURCE_ERROR' : 'TOOL_FAILED'
  }
}

function rpcError(
  { code: rpcCode, message, data }: Extract<SdkFailure, { kind: 'rpc' }>,
  what: string,
  thrown: unknown,
): RunError {
  const byCode = codeOf(rpcCode, message)
  const words = classifyText(message)
  // "Internal error" is what servers say when they do not know; their words often do.
  const vague = byCode === 'SOURCE_ERROR' || byCode === 'TOOL_FAILED'
  const code = vague && words.code !== 'TOOL_FAILED' ? words.code : byCode
  const retryAfter = dataRetryAfter(data) ?? words.retryAfterMs
  const context: ErrorContext = {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(rpcCode === -32022 ? { hint: otherRevision } : hintFor(code)),
  }
  const said = `${what}: ${visibleText(message, 2000)} (JSON-RPC error ${rpcCode})`
  return new RunError(code, said, context, thrown)
}

function dataRetryAfter(data: unknown): number | undefined {
  if (!isRecord(data)) return undefined
  return retryAfterSeconds(data['retry_after'] ?? data['retryAfter'])
}

function hintFor(code: ErrorCode): ErrorContext {
  switch (code) {
    case 'ARGUMENT_INVALID':
      return { hint: 'check mcp_args and the pagination parameters against the input schema of the tool' }
    case 'TOOL_UNKNOWN':
      return { hint: 'check mcp_tool; `huntfleet validate --online` lists the tools of the server' }
    default:
      return {}
  }
}
