import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fetchTable, testFolder } from './fixture/fetch-table.ts'
import { serverProgram } from './fixture/http-source.ts'

const program = serverProgram('fast-filesystem-mcp', 'dist/index.js')
const files = 9_000

/** A folder with so many files; the server gives at most 1,000 names at once, whatever is asked for. */
async function manyFiles(): Promise<string> {
  const folder = await testFolder()
  for (let start = 0; start < files; start += 500) {
    const names = Array.from({ length: 500 }, (_, i) => `file-${String(start + i).padStart(5, '0')}.txt`)
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')))
  }
  return folder
}

describe('fast-filesystem-mcp', () => {
  it.each([
    [
      'page',
      {
        mode: 'page',
        page_size: 2_000,
        page_param: 'page',
        limit_param: 'page_size',
        total_path: 'total_count',
      },
    ],
    [
      'cursor',
      {
        mode: 'cursor',
        page_size: 2_000,
        limit_param: 'page_size',
        cursor_param: 'continuation_token',
        next_cursor_path: 'chunking.continuation_token',
      },
    ],
  ])(
    'gives all 9,000 rows by %s, although it gives 1,000 where 2,000 are asked for',
    async (_, pagination) => {
      const folder = await manyFiles()
      const { exit, table, rows } = await fetchTable(
        {
          server: { local: { command: process.execPath, args: [program, '--allow', folder] } },
          columns: { name: 'VARCHAR', size: 'BIGINT' },
          binding: {
            mcp_tool: 'fast_list_directory',
            mcp_args: { path: folder },
            items_path: 'items',
            pagination,
          },
        },
        'SELECT count(*)::INT AS n, count(DISTINCT name)::INT AS names, min(name) AS first, max(name) AS last FROM rows',
      )
      expect(table).toMatchObject({ outcome: 'complete', rows: files, whole: true })
      expect(exit).toBe(0)
      expect(rows).toEqual([{ n: files, names: files, first: 'file-00000.txt', last: 'file-08999.txt' }])
    },
  )
})
