/** What an error of either SDK says, in one form; both generations are known by the shape of their errors. */
export type SdkFailure =
  /** A JSON-RPC error of the server. */
  | { kind: 'rpc'; code: number; message: string; data: unknown }
  /** The transport ended under the call. */
  | { kind: 'closed' }
  /** Client and server share no revision of MCP. */
  | { kind: 'revision'; message: string }
  /** The tool asks for something only a person could give. */
  | { kind: 'input' }
  /** The answer does not have the form that MCP demands. */
  | { kind: 'form'; message: string }

/** Undefined for what neither SDK throws by itself. */
export function sdkFailure(thrown: unknown): SdkFailure | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { message } = thrown
  if (message === 'Not connected') return { kind: 'closed' }
  if (message.includes('protocol version is not supported')) return { kind: 'revision', message }
  const code = 'code' in thrown ? thrown.code : undefined
  const data = 'data' in thrown ? thrown.data : undefined
  // v1's McpError and v2's ProtocolError. A DOMException has a number for a code, too.
  if (typeof code === 'number' && Number.isInteger(code) && !(thrown instanceof DOMException)) {
    // v1 has a JSON-RPC code of its own for this, which servers use for other things.
    if (code === -32000 && /Connection closed$/.test(message)) return { kind: 'closed' }
    return { kind: 'rpc', code, message: message.replace(/^MCP error -?\d+: /, ''), data }
  }
  return thrown.name === 'SdkError' ? ofSdkError(String(code), message) : undefined
}

/** v2's errors that never crossed the wire. */
function ofSdkError(code: string, message: string): SdkFailure | undefined {
  switch (code) {
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
      return { kind: 'closed' }
    case 'ERA_NEGOTIATION_FAILED':
      return {
        kind: 'revision',
        message: message.replace(/^Version negotiation failed: | \(no fallback.*$/g, ''),
      }
    case 'UNSUPPORTED_RESULT_TYPE':
      return message.includes('input_required') ? { kind: 'input' } : { kind: 'form', message }
    case 'INVALID_RESULT':
      return { kind: 'form', message }
    default:
      return undefined
  }
}
