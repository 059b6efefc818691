import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, manifestSchema } from '@huntfleet/contract'
import { runCli } from '../cases/answers/cli-run.ts'

const scriptedMcp = fileURLToPath(new URL('../../packages/testing/src/scripted-mcp/main.ts', import.meta.url))

/** The value of `{{secret.PASS}}`. */
export const secret = 'hunter-secret-4711'

const columns = { id: { type: 'BIGINT' }, host: { type: 'VARCHAR' }, at: { type: 'TIMESTAMP' } }

const contract = {
  name: 'recorded',
  description: 'Tables whose calls depend on the answers before.',
  tags: ['test'],
  params: { since: { type: 'timestamp', default: '-7d' } },
  requires: {
    tables: {
      cursors: { columns },
      texts: { columns: { host: { type: 'VARCHAR' }, hits: { type: 'INTEGER' } } },
      lines: { columns: { line: { type: 'VARCHAR' } } },
      people: { columns: { name: { type: 'VARCHAR', sensitive: 'mask' } } },
    },
  },
}

const source = (tool: string, rest: object) => ({
  fetch_mode: 'mcp_client',
  mcp_server: 'scripted',
  mcp_tool: tool,
  retry: { base: '1ms', max: '2ms' },
  ...rest,
})

const binding = {
  source_bindings: {
    cursors: source('events', {
      mcp_args: { since: '{{since}}', run: 'of {{run.id}}', pass: '{{secret.PASS}}' },
      items_path: 'hits',
      pagination: {
        mode: 'cursor',
        cursor_param: 'after',
        next_cursor_path: 'next',
        page_size: 2,
        total_path: 'total',
      },
    }),
    texts: source('texts', { response_adapter: 'tabular_text' }),
    lines: source('lines', { response_adapter: 'line_reader' }),
    people: source('people', {}),
  },
}

const event = (id: number) => ({ id, host: `srv-${id}.corp.example`, at: `2026-11-${10 + id}T12:00:00Z` })

const script = {
  tools: ['events', 'texts', 'lines', 'people'].map((name) => ({ name })),
  script: {
    events: [
      {
        when: { after: { $absent: true } },
        json: { total: 5, hits: [event(11), event(12)], next: 'c-Alpha-1' },
      },
      { when: { after: 'c-Alpha-1' }, times: 1, isError: true, text: 'rate limit exceeded' },
      {
        when: { after: 'c-Alpha-1' },
        json: { total: 5, hits: [event(13), event(14)], next: 'c-Beta-2', echo: secret },
      },
      { when: { after: 'c-Beta-2' }, json: { total: 5, hits: [event(15)], next: null } },
    ],
    texts: [{ text: 'Match Count: 2\nColumns: host | hits\n---\nalpha.corp | 17\nbeta.corp | 23\n' }],
    lines: [{ text: 'first line\nsecond line' }],
    people: [{ json: [{ name: 'Grace Hopper', nested: ['9007199254740993'] }] }],
  },
}

/** A project with a scripted server, and ways to run and replay it. */
export interface RecordedProject {
  folder: string
  file(name: string): string
  /** Runs a command line of this project, `--out` given. */
  cli(...args: string[]): ReturnType<typeof runCli>
  /** `run` with `--json`: its manifest. */
  run(...args: string[]): Promise<Manifest>
  /** Takes the server and the secret away. */
  goOffline(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function recordedProject(): Promise<RecordedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-recorded-'))
  const file = (name: string) => join(folder, name)
  const write = (name: string, content: unknown) => writeFile(file(name), JSON.stringify(content, null, 1))
  const project = (command: string, args: string[], pass: object) => ({
    mcp_servers: { scripted: { local: { command, args } } },
    adapters: { line_reader: './line-reader.ts' },
    secrets: { PASS: pass },
  })
  await write('contract.yaml', contract)
  await write('binding.yaml', binding)
  await write('server.json', script)
  await writeFile(
    file('line-reader.ts'),
    "export default (text: string) => text.split('\\n').map((line) => ({ line }))\n",
  )
  await write(
    'huntfleet.yaml',
    project(process.execPath, ['--conditions=source', scriptedMcp, 'server.json'], { value: secret }),
  )
  const cli = (...args: string[]) =>
    runCli([...args, '--config', file('huntfleet.yaml'), '--out', `file://${file('out')}`])
  return {
    folder,
    file,
    cli,
    async run(...args) {
      const { stdout, stderr } = await cli('run', folder, '--json', ...args)
      const document: unknown = JSON.parse(stdout)
      const parsed = manifestSchema.safeParse(document)
      if (!parsed.success) throw new Error(`no manifest: ${stdout}\n${stderr}`)
      return parsed.data
    },
    async goOffline() {
      await write('huntfleet.yaml', project('/nonexistent', [], { env: 'HUNTFLEET_TEST_UNSET' }))
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
    },
  }
}
