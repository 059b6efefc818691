import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from './wire-message.ts'

/** The key under which revision 2026-07-28 puts its own name into every request. */
const revisionKey = 'io.modelcontextprotocol/protocolVersion'

/** Which parameter names what a request is about, for the header `Mcp-Name`. */
const nameParams: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['resources/read', 'uri'],
])

/**
 * The headers with which revision 2026-07-28 repeats a request's revision, method and name (Streamable HTTP, "Standard
 * request headers"), so that gateways need not read bodies. Undefined for requests of earlier revisions.
 */
export function modernHeaders(message: JSONRPCMessage): Record<string, string> | undefined {
  if (!('method' in message) || !('id' in message)) return undefined
  const { method, params = {} } = message
  const meta = params['_meta']
  const revision = isRecord(meta) ? meta[revisionKey] : undefined
  if (typeof revision !== 'string') return undefined
  const name = params[nameParams.get(method) ?? '']
  return {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  }
}

/**
 * The headers `Mcp-Param-…` for the arguments that a tool's schema marks with `x-mcp-header`: servers of revision
 * 2026-07-28 refuse a call without them. Only properties of properties may carry the mark; others are passed over.
 */
export function argumentHeaders(
  inputSchema: Record<string, unknown>,
  args: Record<string, unknown>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  const open: { schema: unknown; value: unknown }[] = [{ schema: inputSchema, value: args }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { schema, value } = next
    if (!isRecord(schema) || value === undefined || value === null) continue
    const mark = schema['x-mcp-header']
    const text = scalarText(value)
    if (typeof mark === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(mark) && text !== undefined)
      headers[`mcp-param-${mark.toLowerCase()}`] = headerText(text)
    const { properties } = schema
    if (!isRecord(properties) || !isRecord(value)) continue
    for (const [key, child] of Object.entries(properties)) {
      if (Object.hasOwn(value, key)) open.push({ schema: child, value: value[key] })
    }
  }
  return headers
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** A text as a header can carry it: as it is, or as base64 between the marks that the revision chose for that. */
function headerText(text: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
