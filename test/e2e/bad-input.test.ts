import { access, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { manifestSchema } from '@huntfleet/contract'
import { type Script, startRedis, startS3 } from '@huntfleet/testing'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { eventBinding, eventContract, eventRows, eventTable, eventTool } from './fixture/event-strategy.ts'
import { parquetRows } from './fixture/parquet-rows.ts'
import { s3Storage } from './fixture/s3-storage.ts'
import { testWorkspace, type Workspace } from './fixture/workspace.ts'

/** Bad input, bad sources and a storage that refuses: a clear error for who must act, and nothing lost. */

// Every command is a process of its own; on a busy machine each takes seconds to start.
vi.setConfig({ testTimeout: 60_000 })

const scripted = fileURLToPath(new URL('../../packages/testing/src/scripted-mcp/main.ts', import.meta.url))

const project = `strategies: .
storage: { url: "file://./out" }
redis: \${REDIS_URL:-redis://127.0.0.1:1}
mcp_servers:
  source:
    local: { command: node, args: [${JSON.stringify(scripted)}, script.json, --log, calls.jsonl] }
`
const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    kind: z.string(),
    message: z.string(),
    file: z.string().optional(),
    line: z.number().optional(),
    column: z.number().optional(),
    hint: z.string().optional(),
  }),
})

/** 250 events: two full pages and a half. */
const all = eventTable(250)

async function openProject(script: Script, files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const workspace = await testWorkspace()
  await workspace.write({
    'huntfleet.yaml': project,
    'hunt/contract.yaml': eventContract,
    'hunt/binding.yaml': eventBinding,
    'script.json': JSON.stringify(script),
    ...files,
  })
  return workspace
}

const healthy: Script = { tools: [eventTool], script: { list_events: [{ table: all }] } }

async function storedRows(workspace: Workspace, path: string | null | undefined): Promise<unknown[]> {
  return parquetRows(await readFile(workspace.path('out', path ?? 'none')))
}

describe('files that are wrong', () => {
  test.for([
    {
      name: 'a typo in a key of the project file, where it must not fail open',
      files: { 'huntfleet.yaml': project.replace('command:', 'comand:') },
      code: 'PROJECT_INVALID',
      place: { file: 'huntfleet.yaml', line: 6 },
      words: ['comand', 'command'],
    },
    {
      name: 'a server that the project file lacks',
      files: { 'hunt/binding.yaml': eventBinding.replace('mcp_server: source', 'mcp_server: sourse') },
      code: 'BINDING_INVALID',
      place: { file: 'hunt/binding.yaml', line: 4 },
      words: ['sourse', 'source'],
    },
    {
      name: 'cursor pagination of CSV',
      files: {
        'hunt/binding.yaml': `${eventBinding.replace(/ {4}pagination:.*\n/, '')}    response_format: csv
    pagination: { mode: cursor, cursor_param: cursor, next_cursor_path: next }
`,
      },
      code: 'BINDING_INVALID',
      place: { file: 'hunt/binding.yaml', line: 7 },
      words: ['cursor', 'csv'],
    },
    {
      name: 'a parameter that is missing',
      files: {
        'hunt/contract.yaml': `${eventContract}params: { tenant: { type: str, required: true } }\n`,
        'hunt/binding.yaml': eventBinding.replace(
          'list_events',
          'list_events\n    mcp_args: { t: "{{tenant}}" }',
        ),
      },
      code: 'PARAM_INVALID',
      place: {},
      words: ['tenant'],
    },
    {
      name: 'a placeholder that no parameter fills',
      files: {
        'hunt/binding.yaml': eventBinding.replace(
          'list_events',
          'list_events\n    mcp_args: { t: "{{tenant}}" }',
        ),
      },
      code: 'BINDING_INVALID',
      place: { file: 'hunt/binding.yaml', line: 6 },
      words: ['tenant'],
    },
    {
      name: 'a column of field_map that the contract lacks',
      files: { 'hunt/binding.yaml': `${eventBinding}    field_map: { hots: hostname }\n` },
      code: 'BINDING_INVALID',
      place: { file: 'hunt/binding.yaml', line: 7 },
      words: ['hots', 'host'],
    },
  ])('$name: exit 2 with the place, before any call', async ({ files, code, place, words }) => {
    const workspace = await openProject(healthy, files)
    const { code: exit, stdout, json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { error } = errorSchema.parse(json())
    expect(error, stdout).toMatchObject({ code, kind: 'config', ...place })
    for (const word of words) expect(stdout).toContain(word)
    expect(exit).toBe(2)
    const plain = await workspace.huntfleet('run', 'hunt')
    expect(plain).toMatchObject({ code: 2, stdout: '' })
    for (const word of words) expect(plain.stderr).toContain(word)
    await expect(access(workspace.path('calls.jsonl'))).rejects.toThrow('ENOENT')
  })

  test('a typo in a key of the binding is a warning with a suggestion, and the run goes on', async () => {
    const workspace = await openProject(healthy, {
      'hunt/binding.yaml': `${eventBinding}    max_row: 100\n`,
    })
    const { code, stderr } = await workspace.huntfleet('run', 'hunt')
    expect(stderr).toMatch(/warning: hunt\/binding\.yaml:7:\d+: .*max_row.*max_rows/)
    expect(code).toBe(0)
  })
})

describe('sources that misbehave', () => {
  test('a second page that is not JSON: the first page is kept and the table is not called whole', async () => {
    const workspace = await openProject({
      tools: [eventTool],
      script: {
        list_events: [{ when: { offset: 100 }, text: 'Something went sideways.' }, { table: all }],
      },
    })
    const { code, json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { status, tables } = manifestSchema.parse(json())
    expect(tables['events']).toMatchObject({
      outcome: 'page_error',
      whole: false,
      rows: 100,
      error: { kind: 'data', table: 'events', page: 2, tool: 'list_events' },
    })
    expect(tables['events']?.error?.message).toContain('Something went sideways.')
    expect({ status, code }).toEqual({ status: 'partial', code: 5 })
    expect(await storedRows(workspace, tables['events']?.path)).toEqual(eventRows(100))
  })

  test('a first page that is not JSON: the table has failed, exit 4, and the answer is quoted', async () => {
    const workspace = await openProject({
      tools: [eventTool],
      script: { list_events: [{ text: '<html>maintenance</html>' }] },
    })
    const { code, json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { status, tables } = manifestSchema.parse(json())
    expect(tables['events']).toMatchObject({ outcome: 'failed', path: null, error: { kind: 'data' } })
    expect(tables['events']?.error?.message).toContain('maintenance')
    expect({ status, code }).toEqual({ status: 'failed', code: 4 })
  })

  test('a server that dies in the middle of a call, once: it is started again and no row is missing', async () => {
    const dying: Script = {
      tools: [eventTool],
      script: { list_events: [{ when: { offset: 100 }, exit: 9 }, { table: all }] },
    }
    // The first process dies, the next ones do not.
    const start = `if mkdir died 2>/dev/null; then exec node "$0" dying.json; else exec node "$0" script.json; fi`
    const workspace = await openProject(healthy, {
      'dying.json': JSON.stringify(dying),
      'huntfleet.yaml': project.replace(
        /command: node, args: .*\]/,
        `command: sh, args: ${JSON.stringify(['-c', start, scripted])}`,
      ),
    })
    const { code, json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { tables } = manifestSchema.parse(json())
    await access(workspace.path('died'))
    expect(tables['events']).toMatchObject({ outcome: 'complete', rows: 250, pages: 3, calls: 4 })
    expect(code).toBe(0)
    expect(await storedRows(workspace, tables['events']?.path)).toEqual(eventRows(250))
  })

  test('a server that dies at the second page every time: the first page is kept, the error says how', async () => {
    const workspace = await openProject(
      {
        tools: [eventTool],
        script: {
          list_events: [{ when: { offset: 100 }, stderr: 'panic: out of cheese\n', exit: 9 }, { table: all }],
        },
      },
      {
        'hunt/binding.yaml': `${eventBinding}    retry: { attempts: 2, base: 10ms }\n`,
      },
    )
    const { code, json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { tables } = manifestSchema.parse(json())
    expect(tables['events']).toMatchObject({
      outcome: 'page_error',
      whole: false,
      rows: 100,
      error: { code: 'SERVER_EXITED', kind: 'transient' },
    })
    expect(tables['events']?.error?.message).toContain('out of cheese')
    expect(code).toBe(5)
    expect(await storedRows(workspace, tables['events']?.path)).toEqual(eventRows(100))
  })

  test('values and rows that do not fit are counted and kept beside the table', async () => {
    const workspace = await openProject({
      tools: [eventTool],
      script: { list_events: [{ json: [{ id: 1, host: 'a' }, { id: 'one', host: 'b' }, 'no row'] }] },
    })
    const { json } = await workspace.huntfleet('run', 'hunt', '--json')
    const { events } = manifestSchema.parse(json()).tables
    expect(events).toMatchObject({ rows: 2, rows_dropped: 1, columns: { id: { rejects: 1 } } })
    const rejects = await storedRows(workspace, events?.rejects_path)
    expect(JSON.stringify(rejects)).toContain('one')
    expect(JSON.stringify(rejects)).toContain('no row')
  })
})

describe('storage that refuses', () => {
  test('a folder that is a file: exit 6, the path is named, and nothing is left', async () => {
    const workspace = await openProject(healthy, { out: 'a file is in the way' })
    const { code, stdout, stderr } = await workspace.huntfleet('run', 'hunt')
    expect(stdout + stderr).toContain(workspace.path('out'))
    expect(code).toBe(6)
  })

  const redis = startRedis()
  const s3 = startS3()
  afterAll(async () => {
    for (const server of await Promise.all([redis, s3])) if ('stop' in server) await server.stop()
  })

  test('an S3 server that knows no such key: exit 6 in one process and through the fleet', async ({
    skip,
  }) => {
    const [queue, server] = await Promise.all([redis, s3])
    if (queue.skipped !== undefined || 'skipped' in server) return skip('needs Redis and an S3 server')
    const storage = await s3Storage(server)
    const workspace = await openProject(healthy, {
      'huntfleet.yaml': project.replace(
        'url: "file://./out"',
        `url: "${storage.url}", endpoint: "${server.endpoint}"`,
      ),
    })
    workspace.atEnd(storage.close)
    Object.assign(workspace.env, storage.env, { AWS_SECRET_ACCESS_KEY: 'wrong', REDIS_URL: queue.url })
    const alone = await workspace.huntfleet('run', 'hunt')
    expect(alone.stdout + alone.stderr).toMatch(/403|SignatureDoesNotMatch|denied/i)
    expect(alone.code).toBe(6)
    await workspace.worker()
    const fleet = await workspace.huntfleet('enqueue', 'hunt', '--wait', '--json')
    expect(fleet.stdout).toContain('SINK_DENIED')
    expect(fleet.code).toBe(6)
    expect(await storage.keys()).toEqual([])
  })
})
