import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from './dot-path.ts'
import type { Incoming } from './scripted-protocol.ts'

/**
 * What revision 2026-07-28 of MCP adds, for scripts that speak only that: there is no `initialize`; every request names
 * its revision, every result its type, and over HTTP every request repeats its method and name in headers.
 */
const revision2026 = '2026-07-28'
const revisionKey = 'io.modelcontextprotocol/protocolVersion'

/** HTTP statuses of the JSON-RPC errors that have one. */
const statuses: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [-32602, 400],
  [-32020, 400],
  [-32022, 400],
])

export interface Refusal {
  code: number
  message: string
  data?: unknown
}

/** Why a server of that revision would not even look at a request. */
export function refusalOf({ method, params }: Incoming): Refusal | undefined {
  const meta = isRecord(params) ? params['_meta'] : undefined
  const claimed = isRecord(meta) ? meta[revisionKey] : undefined
  if (claimed === revision2026) return undefined
  if (method !== 'initialize' && claimed === undefined)
    return { code: -32602, message: `missing ${revisionKey} in _meta` }
  const data = { supported: [revision2026], requested: claimed ?? '2025-11-25' }
  return { code: -32022, message: 'Unsupported protocol version', data }
}

/** Why its HTTP endpoint would not: the headers must say what the body says. */
export function headerRefusalOf(
  { method, params }: Incoming,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  const { name, uri } = isRecord(params) ? params : {}
  const expected: Record<string, unknown> = {
    'mcp-protocol-version': revision2026,
    'mcp-method': method,
    ...(method === 'tools/call' && { 'mcp-name': name }),
    ...(method === 'resources/read' && { 'mcp-name': uri }),
  }
  const wrong = Object.keys(expected).find((header) => headers[header] !== expected[header])
  return wrong === undefined
    ? undefined
    : { code: -32020, message: `header ${wrong} is not what the body says` }
}

/** A result as that revision writes it. */
export function typedResult(result: string): string {
  if (!result.startsWith('{') || result.startsWith('{"resultType"')) return result
  return `{"resultType":"complete"${result === '{}' ? '' : ','}${result.slice(1)}`
}

/** What lists and resources must say beside it. */
export const cacheFields = { ttlMs: 0, cacheScope: 'private' }

/** The HTTP status of a JSON-RPC error; 200 for the others. */
export function statusOf(code: unknown): number {
  return statuses.get(Number(code)) ?? 200
}

/** The answer to `server/discover`. */
export function discovery(serverInfo: unknown): object {
  return {
    supportedVersions: [revision2026],
    capabilities: { tools: {}, resources: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }
}
