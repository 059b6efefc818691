import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fetchTable } from './fixture/fetch-table.ts'
import { serverProgram } from './fixture/http-source.ts'

const program = serverProgram('@elastic/mcp-server-elasticsearch', 'dist/index.js')
const hits = 23_456

/** As much of Elasticsearch's HTTP API as the server asks for: one index that honours `from` and `size`. */
async function startElasticsearch(): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const asked = parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString('utf8'))
    const answer = request.url?.includes('_search')
      ? searched(asked)
      : { 'logs-dns': { mappings: { properties: {} } } }
    // Its client refuses whatever does not name itself so.
    response.writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

function searched({ from = 0, size = 10 }: { from?: number; size?: number }): object {
  const count = Math.max(0, Math.min(size, hits - from))
  const found = Array.from({ length: count }, (_, i) => ({
    _index: 'logs-dns',
    _id: String(from + i),
    _score: 1,
    _source: {
      '@timestamp': new Date(Date.UTC(2026, 1, 3) + (from + i) * 1000).toISOString(),
      dnsprovider: { QueryName: `host-${from + i}.example` },
      user: { email: 'ada@corp.example' },
    },
  }))
  return { took: 1, timed_out: false, hits: { total: { value: hits, relation: 'eq' }, hits: found } }
}

describe('the npm server of Elasticsearch', () => {
  it("fetches distinct rows with the seeds' binding, whose from and size stand beside the body", async () => {
    const url = await startElasticsearch()
    const { table, rows } = await fetchTable(
      {
        server: {
          local: {
            command: process.execPath,
            args: [program],
            env: { ES_URL: url, ES_API_KEY: 'key-of-the-stub', OTEL_SDK_DISABLED: 'true' },
          },
        },
        params: { categories: { type: 'list', default: ['malware', 'phishing'] } },
        columns: { domain: 'VARCHAR', user_email: 'VARCHAR', timestamp: 'TIMESTAMPTZ' },
        // The seeds' example for the Rust server; this one calls the body queryBody and writes lines, not JSON.
        binding: {
          backend: 'dnsprovider_gateway',
          mcp_tool: 'search',
          mcp_args: {
            index: 'logs-dns',
            queryBody: {
              size: 10_000,
              query: {
                bool: { filter: [{ terms: { 'dnsprovider.QueryCategoryNames': '{{categories}}' } }] },
              },
            },
          },
          response_format: 'key_value',
          field_map: { domain: 'dnsprovider.QueryName', user_email: 'user.email', timestamp: '@timestamp' },
          max_rows: 50_000,
          timeout: '120s',
          pagination: { mode: 'offset', page_size: 10_000, offset_param: 'from', limit_param: 'size' },
        },
      },
      'SELECT count(*)::INT AS n, count(DISTINCT domain)::INT AS domains, max("timestamp")::VARCHAR AS last FROM rows',
    )
    expect(table.error).toBeNull()
    expect(table).toMatchObject({ outcome: 'complete', rows: hits, rejects: 0 })
    expect(rows).toEqual([{ n: hits, domains: hits, last: '2026-02-03 06:30:55+00' }])
    // The manifest says where the two arguments went.
    expect(JSON.stringify(table.notes)).toContain('queryBody')
  })
})
