import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchTable, testFolder } from './fixture/fetch-table.ts'
import { serverProgram, startHttpSource } from './fixture/http-source.ts'
import { startPostgres } from './fixture/postgres.ts'

const program = serverProgram('@bytebase/dbhub', 'dist/index.js')
const alerts = 2_500
const token = 'dbhub-test-token-4711'
const postgres = await startPostgres()

/** One row per alert; `big` is beyond 2^53, `score` has digits that a double would lose. */
const schema = `
CREATE TABLE alerts (id bigint PRIMARY KEY, host text, score numeric(20,6), at timestamptz, big bigint, note text);
INSERT INTO alerts SELECT i, 'host-' || i % 7, i + 0.123457, '2026-03-01T00:00:00Z'::timestamptz + i * interval '1 minute',
  9007199254740993 + i, CASE WHEN i % 2 = 0 THEN NULL ELSE E'line\\n"' || i || '"' END FROM generate_series(1, ${alerts}) AS i;
`

const config = (url: string) => `
[[sources]]
id = "lab"
dsn = "${url}/postgres?sslmode=disable"
[[tools]]
name = "list_alerts"
source = "lab"
description = "Alerts, a page at a time"
statement = "SELECT id, host, score, at, big, note FROM alerts ORDER BY id LIMIT $1 OFFSET $2"
[[tools.parameters]]
name = "limit"
type = "integer"
description = "page size"
default = 10
[[tools.parameters]]
name = "offset"
type = "integer"
description = "offset"
default = 0
[[tools]]
name = "execute_sql"
source = "lab"
max_rows = 5
`

describe.skipIf('skipped' in postgres && postgres.skipped !== undefined)(
  'dbhub with PostgreSQL',
  async () => {
    if (postgres.skipped !== undefined) return
    await postgres.sql(schema)
    afterAll(() => postgres.stop())

    /** The entry of the project file for dbhub over one of its transports. */
    async function serverOver(transport: string, protocol: string, secret = token): Promise<object> {
      const folder = await testFolder()
      const toml = join(folder, 'dbhub.toml')
      await writeFile(toml, config(postgres.skipped === undefined ? postgres.url : ''))
      const args = [program, '--config', toml, '--transport']
      if (transport === 'stdio')
        return { local: { command: process.execPath, args: [...args, 'stdio'] }, protocol }
      const port = await startHttpSource(
        (at) => [...args, 'http', '--port', String(at), '--auth-token', token],
        () => ({}),
        folder,
      )
      const auth = { type: 'bearer', token: { value: secret } }
      return { remote: { url: `http://127.0.0.1:${port}/mcp`, auth }, protocol }
    }

    const columns = {
      id: 'BIGINT',
      host: 'VARCHAR',
      score: 'DECIMAL(20,6)',
      at: 'TIMESTAMPTZ',
      big: 'BIGINT',
      note: 'VARCHAR',
    }
    const binding = {
      mcp_tool: 'list_alerts',
      items_path: 'data.statements[0].rows',
      pagination: { mode: 'offset', page_size: 500, offset_param: 'offset', limit_param: 'limit' },
    }

    it.each([
      ['stdio', 'v1'],
      ['http', 'v1'],
      ['stdio', 'v2'],
      ['http', 'v2'],
    ])('gives every value as it is over %s with protocol %s', async (transport, protocol) => {
      const source = { server: await serverOver(transport, protocol), columns, binding }
      const query = `SELECT count(DISTINCT id)::INT AS n, sum(score)::VARCHAR AS score, min(big) AS big, count(note)::INT AS notes,
      min(note) AS note, max("at")::VARCHAR AS last FROM rows`
      const { table, rows } = await fetchTable(source, query)
      expect(table).toMatchObject({ outcome: 'complete', rows: alerts, rejects: 0 })
      expect(rows).toEqual([
        {
          n: alerts,
          score: '3126558.642500',
          big: '9007199254740994',
          notes: alerts / 2,
          note: 'line\n"1"',
          last: '2026-03-02 17:40:00+00',
        },
      ])
    })

    it('may run SQL of its own only where the project file allows writes, and says that the server cut the rows', async () => {
      const server = await serverOver('stdio', 'auto')
      const table = (entry: object) => ({
        server: entry,
        columns: { id: 'BIGINT' },
        binding: {
          mcp_tool: 'execute_sql',
          mcp_args: { sql: 'SELECT id FROM alerts ORDER BY id' },
          items_path: 'data.statements[0].rows',
          truncated_when: [{ path: 'data.statements[0].truncated' }],
        },
      })
      const refused = await fetchTable(table(server))
      expect(refused.table.error).toMatchObject({ code: 'TOOL_REFUSED', tool: 'execute_sql' })
      expect(refused.exit).toBe(2)
      const allowed = await fetchTable(table({ ...server, allow_writes: ['execute_sql'] }))
      expect(allowed.table).toMatchObject({ outcome: 'source_capped', rows: 5 })
      expect(allowed.exit).toBe(5)
    })

    it('says who must act when the token is wrong, without showing it', async () => {
      const wrong = 'a-wrong-token-0815'
      const { table, exit, stderr } = await fetchTable({
        server: await serverOver('http', 'auto', wrong),
        columns,
        binding,
      })
      expect(exit).toBe(3)
      expect(table.error).toMatchObject({ code: 'SOURCE_DENIED' })
      expect(JSON.stringify(table.error)).toContain('check auth and headers')
      expect(JSON.stringify(table) + stderr).not.toContain(wrong)
    })
  },
)
