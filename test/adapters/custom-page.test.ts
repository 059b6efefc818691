import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Adapter, adapterSuite } from '@huntfleet/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { runCli } from '../cases/answers/cli-run.ts'

/** The adapter of docs/adapters/custom.md and its sample, as they stand there. */
const page = readFileSync('docs/adapters/custom.md', 'utf8')
const block = (info: string) => new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? ''

const folder = mkdtempSync(join(tmpdir(), 'huntfleet-custom-page-'))
afterAll(() => rmSync(folder, { recursive: true }))
const module = join(folder, 'session-log.ts')
const sample = join(folder, 'sessions.txt')
writeFileSync(module, block('ts'))
writeFileSync(sample, block('text'))

const { default: sessionLog }: { default: Adapter } = await import(pathToFileURL(module).href)
const samples = [
  {
    name: 'three sessions',
    text: block('text'),
    rows: [
      { user: 'alice', host: 'web-1', seconds: 95, outcome: 'ok', reason: null },
      { user: 'bob', host: 'db-1', seconds: 1800, outcome: 'ok', reason: null },
      { user: 'carol', host: 'web-2', seconds: 3, outcome: 'denied', reason: 'bad key' },
    ],
  },
  { name: 'none', text: '0 sessions\n', rows: [] },
]
const grow = (rows: number) => `${rows} sessions\n${'[alice@web-1] 95s ok\n'.repeat(rows)}`

describe('the adapter of the documentation', () => {
  for (const { name, check } of adapterSuite(sessionLog, { samples, grow })) test(name, check)

  test('is tried with the command that stands there', async () => {
    const { stdout } = await runCli(['adapter', 'test', module, sample, '--json'])
    expect(JSON.parse(stdout).rows).toEqual(samples[0]?.rows)
  })
})
