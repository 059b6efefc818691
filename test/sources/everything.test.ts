import { describe, expect, it } from 'vitest'
import { fetchTable, testFolder } from './fixture/fetch-table.ts'
import { serverProgram, startHttpSource } from './fixture/http-source.ts'

const program = serverProgram('@modelcontextprotocol/server-everything', 'dist/index.js')

/** The entry of the project file for the server over one of its transports. */
async function serverOver(transport: string): Promise<object> {
  if (transport === 'stdio') return { local: { command: process.execPath, args: [program, 'stdio'] } }
  const folder = await testFolder()
  const port = await startHttpSource(
    () => [program, transport],
    (at) => ({ PORT: String(at) }),
    folder,
  )
  return transport === 'sse'
    ? { remote: { url: `http://127.0.0.1:${port}/sse`, transport: 'sse' } }
    : { remote: { url: `http://127.0.0.1:${port}/mcp` } }
}

describe.each(['stdio', 'streamableHttp', 'sse'])('server-everything over %s', (transport) => {
  it('gives a row of structured content', async () => {
    const { table, rows } = await fetchTable({
      server: await serverOver(transport),
      columns: { temperature: 'DOUBLE', conditions: 'VARCHAR', humidity: 'DOUBLE' },
      binding: { mcp_tool: 'get-structured-content', mcp_args: { location: 'Chicago' }, single_item: true },
    })
    expect(table).toMatchObject({ outcome: 'complete', rows: 1 })
    expect(rows).toEqual([
      { temperature: expect.any(Number), conditions: expect.any(String), humidity: expect.any(Number) },
    ])
  })

  it('says that it has no such tool', async () => {
    const { table, exit } = await fetchTable({
      server: await serverOver(transport),
      columns: { a: 'VARCHAR' },
      binding: { mcp_tool: 'get-structured-contnet' },
    })
    expect(exit).toBe(2)
    expect(table.error).toMatchObject({ code: 'TOOL_UNKNOWN' })
    expect(JSON.stringify(table.error)).toContain('get-structured-content')
  })
})
