import type { PageCall } from './page-log.ts'
import { pageSize, sourceRow, tableSize, tables } from './source-table.ts'

/** A JSON-RPC message as it came in. */
export interface Incoming {
  id?: unknown
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown>; protocolVersion?: unknown }
}

/** What a call asks for; null: nothing that this source has. */
export type AskedPage = Pick<PageCall, 'run' | 'table' | 'at'>

export const toolName = 'list_rows'

/** The result of every method but `tools/call`; undefined: no answer is due. */
export function standardResult({ method, params }: Incoming): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'chaos', version: '1.0.0' },
      }
    case 'tools/list':
      return {
        tools: [{ name: toolName, annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
      }
    case 'ping':
      return {}
    default:
      return undefined
  }
}

export function askedPage({ params }: Incoming): AskedPage | null {
  const { run, table, offset, cursor } = params?.arguments ?? {}
  if (typeof run !== 'string' || typeof table !== 'string') return null
  const paging = tables[table]?.paging
  if (paging === 'offset') return { run, table, at: Number(offset ?? 0) }
  if (paging === undefined) return null
  if (cursor === undefined) return { run, table, at: 0 }
  const [ofRun, ofTable, at] = Buffer.from(String(cursor), 'base64url').toString().split('\n')
  return ofRun === run && ofTable === table ? { run, table, at: Number(at) } : null
}

/** The `CallToolResult` of a page. */
export function pageResult({ run, table, at }: AskedPage): object {
  const size = tableSize(run, table)
  const end = Math.min(size, at + pageSize)
  const rows = Array.from({ length: Math.max(0, end - at) }, (_, n) => sourceRow(run, table, at + n))
  const next = end < size ? Buffer.from([run, table, end].join('\n')).toString('base64url') : null
  const document = {
    rows,
    ...(tables[table]?.paging === 'cursor' && { next }),
    ...(tables[table]?.total && { total: size }),
  }
  return { content: [{ type: 'text', text: JSON.stringify(document) }] }
}

export const toolError = (text: string): object => ({ content: [{ type: 'text', text }], isError: true })
