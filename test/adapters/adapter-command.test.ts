import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../cases/answers/cli-run.ts'

let folder: string
const file = (name: string) => join(folder, name)
const cli = (...args: string[]) => runCli([...args, '--config', file('huntfleet.yaml')])
const json = async (...args: string[]) => {
  const { exit, stdout } = await cli(...args, '--json')
  return { exit, document: JSON.parse(stdout) }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'huntfleet-adapter-'))
  const files = {
    'pairs.ts': `
      interface Field { source: string }
      export default (text: string, fields: Field[]) =>
        text.split('\\n').filter((line) => line !== '').map((line) => {
          const [host, hits] = line.split('=')
          if (host === 'bad') throw new Error('cannot read ' + line)
          return { host, hits, wanted: fields.map((field) => field.source).join() }
        })`,
    'broken.ts': 'export const rows = []',
    'sample.txt': 'alpha=17\nbeta=many\n',
    'bad.txt': 'bad=1\n',
    'pipe.txt': 'Columns: a | b\n---\n1 | 2\n',
    'huntfleet.yaml': JSON.stringify({
      adapters: { pairs: './pairs.ts' },
      mcp_servers: { s: { local: { command: 'none' } } },
    }),
    'broken.yaml': 'adapters:\n  pairs: ./pairs.ts\n  broken: ./broken.ts\n  gone: ./gone.ts\n',
    'contract.yaml': JSON.stringify({
      name: 'hosts',
      description: 'd',
      tags: ['t'],
      requires: { tables: { hosts: { columns: { host: { type: 'VARCHAR' }, hits: { type: 'INTEGER' } } } } },
    }),
    'binding.yaml': JSON.stringify({
      source_bindings: {
        hosts: { fetch_mode: 'mcp_client', mcp_server: 's', mcp_tool: 't', response_adapter: 'pairs' },
      },
    }),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(file(name), content)
})
afterAll(() => rm(folder, { recursive: true }))

describe('huntfleet adapter test', () => {
  test.each([['pairs'], ['./pairs.ts']])('shows the rows of %s', async (adapter) => {
    const named = adapter.startsWith('.') ? file(adapter) : adapter
    const { exit, document } = await json('adapter', 'test', named, file('sample.txt'))
    expect(exit).toBe(0)
    expect(document).toMatchObject({
      items: 2,
      rejects: [],
      rows: [
        { host: 'alpha', hits: '17', wanted: '' },
        { host: 'beta', hits: 'many', wanted: '' },
      ],
      table: null,
    })
  })

  test('shows them as a table for people', async () => {
    const { stdout } = await cli('adapter', 'test', 'pairs', file('sample.txt'))
    expect(stdout).toContain('2 rows, 0 rejects')
    expect(stdout).toMatch(/host +hits +wanted\n-+ +-+ +-+\nalpha +17/)
  })

  test('shows what a table makes of them, and what did not fit', async () => {
    const args = ['adapter', 'test', 'pairs', file('sample.txt'), '--strategy', folder, '--table', 'hosts']
    const { document } = await json(...args)
    expect(document.rows[0].wanted).toBe('host,hits')
    expect(document.table).toMatchObject({
      columns: [
        { name: 'host', type: 'VARCHAR' },
        { name: 'hits', type: 'INTEGER' },
      ],
      rows: [
        ['alpha', 17],
        ['beta', null],
      ],
      rejects: [{ row: 2, column: 'hits' }],
    })
    expect((await cli(...args)).stdout).toMatch(/reject: row 2, hits: /)
  })

  test('takes built-in adapters too', async () => {
    const { document } = await json('adapter', 'test', 'tabular_text', file('pipe.txt'))
    expect(document.rows).toEqual([{ a: '1', b: '2' }])
  })

  test.each<[string, string[], number, object]>([
    [
      'an error of the adapter with file and line',
      ['pairs', 'bad.txt'],
      4,
      { code: 'PARSE_FAILED', message: 'adapter pairs: cannot read bad=1', line: 6 },
    ],
    [
      'an unknown name with the known ones',
      ['pears', 'sample.txt'],
      2,
      { message: expect.stringContaining('known are pairs, tabular_text') },
    ],
    ['a missing sample', ['pairs', 'none.txt'], 2, { code: 'USAGE_INVALID' }],
    [
      '--table without --strategy',
      ['pairs', 'sample.txt', '--table', 'hosts'],
      2,
      { message: '--strategy and --table go together' },
    ],
  ])('tells %s', async (_, [adapter = '', sample = '', ...rest], exit, error) => {
    const result = await json('adapter', 'test', adapter, file(sample), ...rest)
    expect(result).toMatchObject({ exit, document: { error } })
  })
})

describe('a module that cannot be used', () => {
  test('is a finding of validate at its line of the project file', async () => {
    const { exit, stdout } = await runCli(['validate', folder, '--config', file('broken.yaml'), '--json'])
    const { findings } = JSON.parse(stdout)
    const faults = findings.filter(({ message }: { message: string }) => message.startsWith('adapters.'))
    expect(exit).toBe(2)
    expect(faults).toMatchObject([
      {
        severity: 'error',
        code: 'PROJECT_INVALID',
        line: 3,
        message: expect.stringContaining('./broken.ts cannot be used: the module exports no adapter'),
      },
      { severity: 'error', code: 'PROJECT_INVALID', line: 4, message: expect.stringContaining('./gone.ts') },
    ])
  })

  test('keeps a run from starting', async () => {
    await writeFile(
      file('one.yaml'),
      JSON.stringify({
        adapters: { pairs: './gone.ts' },
        mcp_servers: { s: { local: { command: 'none' } } },
      }),
    )
    const { exit, stdout } = await runCli([
      'run',
      folder,
      '--config',
      file('one.yaml'),
      '--out',
      `file://${file('out')}`,
      '--json',
    ])
    expect(exit).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'PROJECT_INVALID',
      message: expect.stringContaining('adapters.pairs: ./gone.ts'),
    })
  })
})
