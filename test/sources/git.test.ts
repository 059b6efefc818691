import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { firstCommitAt, gitHistory } from '../e2e/fixture/git-history.ts'
import { fetchTable, testFolder } from './fixture/fetch-table.ts'
import { serverProgram, startHttpSource } from './fixture/http-source.ts'

const program = serverProgram('@cyanheads/git-mcp-server', 'dist/index.js')
const commits = 60

describe('git-mcp-server', () => {
  it.each(['stdio', 'http'])('gives every commit once over %s', async (transport) => {
    const folder = await testFolder()
    await gitHistory(folder, commits)
    const env = {
      MCP_TRANSPORT_TYPE: transport,
      MCP_LOG_LEVEL: 'error',
      MCP_AUTH_MODE: 'none',
      LOGS_DIR: join(folder, 'logs'),
    }
    const http = async () => {
      const port = await startHttpSource(
        () => [program],
        (at) => ({ ...env, MCP_HTTP_PORT: String(at), MCP_HTTP_HOST: '127.0.0.1' }),
        folder,
      )
      return { remote: { url: `http://127.0.0.1:${port}/mcp` } }
    }
    const local = { local: { command: process.execPath, args: [program], env } }
    const { table, rows } = await fetchTable(
      {
        server: transport === 'stdio' ? local : await http(),
        columns: { subject: 'VARCHAR', at: 'TIMESTAMP' },
        binding: {
          mcp_tool: 'git_log',
          mcp_args: { path: folder },
          items_path: 'commits',
          field_map: { at: 'timestamp' },
          pagination: { mode: 'offset', page_size: 25, offset_param: 'skip', limit_param: 'maxCount' },
        },
      },
      'SELECT count(DISTINCT subject)::INT AS n, epoch(min("at"))::BIGINT AS first, epoch(max("at"))::BIGINT AS last FROM rows',
    )
    expect(table).toMatchObject({ outcome: 'complete', rows: commits, server: 'source' })
    expect(rows).toEqual([
      { n: commits, first: String(firstCommitAt), last: String(firstCommitAt + (commits - 1) * 60) },
    ])
  })

  it('says which argument it refused', async () => {
    const folder = await testFolder()
    await gitHistory(folder, 1)
    const { table, exit } = await fetchTable({
      server: {
        local: {
          command: process.execPath,
          args: [program],
          env: { MCP_LOG_LEVEL: 'error', LOGS_DIR: folder },
        },
      },
      columns: { subject: 'VARCHAR' },
      binding: { mcp_tool: 'git_log', mcp_args: { path: folder, maxCuont: 3 }, items_path: 'commits' },
    })
    expect(exit).toBe(2)
    expect(table.error).toMatchObject({ code: 'ARGUMENT_INVALID' })
    expect(JSON.stringify(table.error)).toContain('maxCuont')
  })
})
