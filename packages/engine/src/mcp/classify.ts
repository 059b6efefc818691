import { type ErrorCode, type ErrorContext, RunError, toRunError } from '@huntfleet/contract'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { classifyText } from '../classify-text.ts'
import { visibleText } from '../visible-text.ts'
import { abortError } from './abort-error.ts'
import { retryAfterSeconds } from './retry-after-header.ts'
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
  if (failure && isClosed(thrown)) return failure.with(context)
  return classified(thrown, circumstances).with(context)
}

function classified(thrown: unknown, { what, server }: Circumstances): RunError {
  if (isClosed(thrown)) return new RunError('SESSION_LOST', `the session with server "${server}" is closed`)
  if (thrown instanceof McpError) return rpcError(thrown, what)
  if (thrown instanceof z.core.$ZodError || thrown instanceof SyntaxError) {
    return new RunError('ANSWER_INVALID', `${what}: the answer is not what MCP says it must be`, {}, thrown)
  }
  const system = systemError(thrown, `server "${server}"`)
  if (system) return system
  const text = thrown instanceof Error ? thrown.message : ''
  if (text.includes('protocol version is not supported')) {
    return new RunError('SERVER_REFUSED', `server "${server}": ${visibleText(text, 200)}`, {
      hint: 'this server speaks another revision of MCP; look for a release of it that also speaks 2025-11-25',
    })
  }
  return toRunError(thrown)
}

function isClosed(thrown: unknown): boolean {
  if (thrown instanceof McpError) return thrown.code === -32000 && /Connection closed$/.test(thrown.message)
  return thrown instanceof Error && thrown.message === 'Not connected'
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

function rpcError(error: McpError, what: string): RunError {
  const message = error.message.replace(/^MCP error -?\d+: /, '')
  const byCode = codeOf(error.code, message)
  const words = classifyText(message)
  // "Internal error" is what servers say when they do not know; their words often do.
  const vague = byCode === 'SOURCE_ERROR' || byCode === 'TOOL_FAILED'
  const code = vague && words.code !== 'TOOL_FAILED' ? words.code : byCode
  const retryAfter = dataRetryAfter(error.data) ?? words.retryAfterMs
  const context: ErrorContext = {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...hintFor(code),
  }
  return new RunError(code, `${what}: ${visibleText(message, 2000)} (JSON-RPC error ${error.code})`, context)
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
