import { RunError } from '@huntfleet/contract'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Circumstances, classify } from '../../src/mcp/classify.ts'

const calm: Circumstances = {
  what: 'tool "search"',
  server: 'elastic',
  tool: 'search',
  signal: new AbortController().signal,
  failure: undefined,
}

function rpc(code: number, message: string, data?: unknown): McpError {
  return new McpError(code, message, data)
}

/** An error in the form of SDK v2, which is not loaded for it. */
function v2(code: number | string, message: string): Error {
  const error = Object.assign(new Error(message), { code })
  error.name = typeof code === 'number' ? 'ProtocolError' : 'SdkError'
  return error
}

function system(code: string, message = `connect ${code}`): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}

describe('classify', () => {
  it.each<[string, unknown, string]>([
    [
      '-32602 about arguments',
      rpc(-32602, 'Input validation error: from must be a number'),
      'ARGUMENT_INVALID',
    ],
    ['-32602 about the tool', rpc(-32602, 'Tool nope not found'), 'TOOL_UNKNOWN'],
    ['-32602, Unknown tool', rpc(-32602, 'Unknown tool: nope'), 'TOOL_UNKNOWN'],
    ['-32601', rpc(-32601, 'Method not found'), 'SERVER_REFUSED'],
    ['-32600', rpc(-32600, 'Invalid request'), 'SERVER_REFUSED'],
    ['-32022', rpc(-32022, 'unsupported'), 'SERVER_REFUSED'],
    ['-32603', rpc(-32603, 'it broke'), 'SOURCE_ERROR'],
    ['-32603 with the words of a rate limit', rpc(-32603, 'Rate limit exceeded'), 'SOURCE_RATE_LIMITED'],
    ['-32603 with the words of a refusal', rpc(-32603, 'Error: 403 Forbidden'), 'SOURCE_DENIED'],
    ['-32001 as a timeout', rpc(-32001, 'Request timed out'), 'SOURCE_TIMEOUT'],
    ['-32001 as a lost session', rpc(-32001, 'Session not found'), 'SESSION_LOST'],
    ['-32002', rpc(-32002, 'no such index'), 'TOOL_FAILED'],
    ["a server's own -320xx", rpc(-32050, 'odd'), 'SOURCE_ERROR'],
    ["a tool's own code", rpc(42, 'odd'), 'TOOL_FAILED'],
    ['-32700', rpc(-32700, 'not JSON'), 'ANSWER_INVALID'],
    ['-32000 Connection closed', rpc(-32000, 'Connection closed'), 'SESSION_LOST'],
    ['-32000 of the server', rpc(-32000, 'upstream is down'), 'SOURCE_ERROR'],
    ['Not connected', new Error('Not connected'), 'SESSION_LOST'],
    ['a refused connection', system('ECONNREFUSED'), 'SOURCE_UNREACHABLE'],
    ['a reset', system('ECONNRESET'), 'SOURCE_UNREACHABLE'],
    ['an unknown name', system('ENOTFOUND'), 'SOURCE_UNREACHABLE'],
    ['a resolver in trouble', system('EAI_AGAIN'), 'SOURCE_UNREACHABLE'],
    ['a closed socket', system('UND_ERR_SOCKET'), 'SOURCE_UNREACHABLE'],
    ['a slow connect', system('UND_ERR_CONNECT_TIMEOUT'), 'SOURCE_UNREACHABLE'],
    ['no headers in time', system('UND_ERR_HEADERS_TIMEOUT'), 'SOURCE_TIMEOUT'],
    ['no body in time', system('UND_ERR_BODY_TIMEOUT'), 'SOURCE_TIMEOUT'],
    ['an expired certificate', system('CERT_HAS_EXPIRED'), 'SERVER_REFUSED'],
    ['a private authority', system('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'SERVER_REFUSED'],
    ['a self-signed certificate', system('DEPTH_ZERO_SELF_SIGNED_CERT'), 'SERVER_REFUSED'],
    ['a name that is not in the certificate', system('ERR_TLS_CERT_ALTNAME_INVALID'), 'SERVER_REFUSED'],
    ['something that is not HTTP', system('HPE_INVALID_CONSTANT'), 'SERVER_REFUSED'],
    [
      'fetch failed without a reason',
      new TypeError('fetch failed', { cause: new Error('bad port') }),
      'SOURCE_UNREACHABLE',
    ],
    [
      'a cut body',
      new TypeError('terminated', {
        cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      }),
      'SOURCE_UNREACHABLE',
    ],
    ['a broken compression', system('Z_DATA_ERROR'), 'SOURCE_UNREACHABLE'],
    ["a failure of Node's own", system('ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'), 'INTERNAL'],
    ['a schema error', z.string().safeParse(1).error, 'ANSWER_INVALID'],
    ['a syntax error', new SyntaxError('Unexpected token'), 'ANSWER_INVALID'],
    ["v2's -32602 about the tool", v2(-32602, 'Tool nope not found'), 'TOOL_UNKNOWN'],
    ["v2's -32603", v2(-32603, 'it broke'), 'SOURCE_ERROR'],
    ['v2 when the connection closed', v2('CONNECTION_CLOSED', 'Connection closed'), 'SESSION_LOST'],
    ['v2 when the revisions differ', v2('ERA_NEGOTIATION_FAILED', 'no'), 'SERVER_REFUSED'],
    ['v2 when the tool asks back', v2('UNSUPPORTED_RESULT_TYPE', "type 'input_required'"), 'TOOL_FAILED'],
    ['v2 when the result is of no known type', v2('UNSUPPORTED_RESULT_TYPE', "type 'x'"), 'ANSWER_INVALID'],
    ['v2 when the result has the wrong form', v2('INVALID_RESULT', 'not an object'), 'ANSWER_INVALID'],
    ["v2's other failures", v2('ALREADY_CONNECTED', 'twice'), 'INTERNAL'],
    ['an abort of the platform', new DOMException('aborted', 'AbortError'), 'INTERNAL'],
    ['anything else', new Error('surprise'), 'INTERNAL'],
    ['no error at all', 'surprise', 'INTERNAL'],
  ])('makes %s', (_, thrown, code) => {
    const error = classify(thrown, calm)
    expect(error.code).toBe(code)
    expect(error.context).toMatchObject({ server: 'elastic', tool: 'search' })
  })

  it('blames the caller when his signal aborted, whatever was thrown', () => {
    const stopped = new RunError('SHUTDOWN', 'the worker stops')
    expect(classify(rpc(-32001, 'aborted'), { ...calm, signal: AbortSignal.abort(stopped) })).toBe(stopped)
    expect(classify(system('ECONNRESET'), { ...calm, signal: AbortSignal.abort() }).code).toBe('CANCELLED')
  })

  it('says why the transport ended when the SDK only says that it did', () => {
    const failure = new RunError('SERVER_EXITED', 'exited with code 3')
    expect(classify(rpc(-32000, 'Connection closed'), { ...calm, failure }).message).toBe(
      'exited with code 3',
    )
    expect(classify(new Error('Not connected'), { ...calm, failure }).code).toBe('SERVER_EXITED')
    expect(classify(rpc(-32602, 'bad'), { ...calm, failure }).code).toBe('ARGUMENT_INVALID')
  })

  it('unwraps what the transport threw while v2 negotiated', () => {
    const wrapped = Object.assign(v2('ERA_NEGOTIATION_FAILED', 'probe failed'), {
      cause: system('ECONNREFUSED'),
    })
    expect(classify(wrapped, calm).code).toBe('SOURCE_UNREACHABLE')
    const denied = new RunError('SOURCE_DENIED', 'HTTP 401')
    expect(classify(Object.assign(wrapped, { cause: denied }), calm).code).toBe('SOURCE_DENIED')
  })

  it('takes the time to wait from the data or the words of an error', () => {
    expect(classify(rpc(-32603, 'rate limited', { retry_after: 2.5 }), calm).context.retryAfterMs).toBe(2500)
    expect(classify(rpc(-32000, 'Too many requests, retry after 3 seconds'), calm).context.retryAfterMs).toBe(
      3000,
    )
  })

  it('escapes what could steer a terminal', () => {
    expect(classify(rpc(42, 'red \u001b[31m alert'), calm).message).not.toContain('\u001b')
  })
})
