import { spawn } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, manifestSchema } from '@huntfleet/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { binding, contract, huntfleet, projectFolder } from '../command-line.ts'

const twoTables = {
  'strategies/dns/contract.yaml': contract.replace(
    '    events:',
    '    extra:\n      optional: true\n      columns: {x: BIGINT}\n    events:',
  ),
  'strategies/dns/binding.yaml': `${binding}  extra: {fetch_mode: fleet, mcp_server: logs, mcp_tool: extra}\n`,
}

/** The one document that `--json` prints. */
function manifestOf(stdout: string): Manifest {
  return manifestSchema.parse(JSON.parse(stdout))
}

describe('huntfleet run', () => {
  it('stages every table, publishes the manifest last and exits with 0', async () => {
    const folder = await projectFolder()
    const { code, stdout, stderr } = await huntfleet(folder, 'run', 'dns', '--json')
    const manifest = manifestOf(stdout)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^events: 2 rows, 1 page\nevents: complete: 2 rows; .+\n$/)
    expect(manifest).toMatchObject({
      ...{ status: 'complete', strategy: 'dns', hunt: null, params: { days: 7 } },
      tables: {
        events: {
          outcome: 'complete',
          rows: 2,
          error: null,
          columns: { name: { type: 'VARCHAR', nulls: 1 } },
        },
      },
    })
    const file = await readFile(join(folder, 'staging', manifest.tables['events']?.path ?? ''))
    expect(file.subarray(0, 4).toString()).toBe('PAR1')
    const key = `_runs/strategy=dns/run=${manifest.run_id}/manifest.json`
    expect(JSON.parse(await readFile(join(folder, 'staging', key), 'utf8'))).toEqual(manifest)
  })

  it('sums up for people', async () => {
    const { code, stdout } = await huntfleet(await projectFolder(), 'run', 'dns')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^run dns\.\S+: complete\n/)
    expect(stdout).toMatch(/^events +complete +2 +0 +1 /m)
    expect(stdout).toMatch(
      /^manifest: file:\/\/\/.*\/staging\/_runs\/strategy=dns\/run=\S+\/manifest\.json$/m,
    )
  })

  it('writes where --out says, readable by its owner only', async () => {
    const folder = await projectFolder()
    expect((await huntfleet(folder, 'run', 'dns', '--out', 'elsewhere')).code).toBe(0)
    expect(await readdir(folder)).not.toContain('staging')
    expect((await stat(join(folder, 'elsewhere'))).mode & 0o777).toBe(0o700)
  })

  it('fetches only the tables of --table and at most --max-rows', async () => {
    const folder = await projectFolder({ files: twoTables })
    const { code, stdout } = await huntfleet(
      folder,
      'run',
      'dns',
      '--json',
      '--table',
      'events',
      '--max-rows',
      '1',
    )
    expect(code).toBe(5)
    expect(manifestOf(stdout).tables).toEqual({
      events: expect.objectContaining({ outcome: 'row_cap', rows: 1 }),
    })
  })

  it('lists tables in the contract’s order, whichever ended first', async () => {
    const script = {
      script: { search: [{ json: [{ id: 1 }] }], extra: [{ json: [{ x: 1 }], delayMs: 100 }] },
    }
    const { stdout } = await huntfleet(
      await projectFolder({ files: twoTables, script }),
      'run',
      'dns',
      '--json',
    )
    expect(Object.keys(manifestOf(stdout).tables)).toEqual(['extra', 'events'])
  })

  it('runs without a project file when every table is someone else’s', async () => {
    const files = {
      'strategies/dns/binding.yaml': 'source_bindings:\n  events: {fetch_mode: native}\n',
      'huntfleet.yaml': '',
    }
    const { code, stdout } = await huntfleet(await projectFolder({ files }), 'run', 'dns', '--json')
    expect(code).toBe(0)
    expect(manifestOf(stdout)).toMatchObject({
      status: 'complete',
      tables: { events: { outcome: 'native', path: null } },
    })
  })

  it('cannot wait for agents', async () => {
    const files = { 'strategies/dns/binding.yaml': 'source_bindings:\n  events: {fetch_mode: mcp}\n' }
    const { code, stdout } = await huntfleet(await projectFolder({ files }), 'run', 'dns', '--json')
    expect(code).toBe(5)
    expect(manifestOf(stdout)).toMatchObject({
      status: 'partial',
      tables: { events: { outcome: 'awaiting_agent' } },
    })
  })
})

describe('a run whose table fails', () => {
  const failing = (step: object) => ({ script: { search: [step] } })
  const oneAttempt = {
    'strategies/dns/binding.yaml': `${binding}    retry: {attempts: 1}\n    timeout: 300ms\n`,
  }

  it.each<[string, object, number, string]>([
    ['by the tool', { text: 'no such index', isError: true }, 3, 'TOOL_FAILED'],
    ['because it is denied', { text: '403 Forbidden', isError: true }, 3, 'SOURCE_DENIED'],
    ['by a timeout', { hang: true }, 3, 'SOURCE_TIMEOUT'],
    ['for its data', { text: 'not json' }, 4, 'PARSE_FAILED'],
    ['for an object instead of rows', { json: { data: [] } }, 4, 'ITEMS_NOT_FOUND'],
  ])('%s still prints its manifest', async (_, step, exit, error) => {
    const folder = await projectFolder({ files: oneAttempt, script: failing(step) })
    const { code, stdout } = await huntfleet(folder, 'run', 'dns', '--json')
    const manifest = manifestOf(stdout)
    expect(manifest).toMatchObject({
      status: 'failed',
      tables: { events: { outcome: 'failed', path: null, error: { code: error } } },
    })
    expect(code).toBe(exit)
  })

  it('says why to people too', async () => {
    const folder = await projectFolder({
      files: oneAttempt,
      script: failing({ text: 'no such index \u001b[31m', isError: true }),
    })
    const { code, stdout, stderr } = await huntfleet(folder, 'run', 'dns')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^run dns\.\S+: failed\n/)
    expect(stdout).toMatch(/^events: .*no such index/m)
    expect(stdout + stderr).not.toContain('\u001b')
  })

  it('because its program cannot be started is a mistake in the configuration', async () => {
    const files = { 'huntfleet.yaml': 'mcp_servers: {logs: {local: {command: ./no-such-program}}}\n' }
    const { code, stdout } = await huntfleet(await projectFolder({ files }), 'run', 'dns', '--json')
    expect(code).toBe(2)
    expect(manifestOf(stdout)).toMatchObject({
      tables: { events: { error: { code: 'SERVER_START_FAILED' } } },
    })
  })

  it('beside one that has a file is partial', async () => {
    const script = { script: { search: [{ json: [{ id: 1 }] }], extra: [{ text: 'no', isError: true }] } }
    const { code, stdout } = await huntfleet(
      await projectFolder({ files: twoTables, script }),
      'run',
      'dns',
      '--json',
    )
    expect(code).toBe(5)
    expect(manifestOf(stdout)).toMatchObject({
      status: 'partial',
      tables: { events: { outcome: 'complete' }, extra: { outcome: 'failed' } },
    })
  })

  it('for a storage that cannot be written exits with 6', async () => {
    const folder = await projectFolder({ files: { staging: 'a file, no folder' } })
    const { code, stdout } = await huntfleet(folder, 'run', 'dns', '--json')
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toEqual({ error: expect.objectContaining({ kind: 'sink' }) })
  })
})

describe('secrets of a run', () => {
  it('are masked in everything that is printed and kept', async () => {
    vi.stubEnv('LOGS_TOKEN', 'hunter2-hunter2')
    onTestFinished(() => void vi.unstubAllEnvs())
    const folder = await projectFolder({
      script: { script: { search: [{ text: 'bad token hunter2-hunter2', isError: true }] } },
    })
    const projectFile = await readFile(join(folder, 'huntfleet.yaml'), 'utf8')
    await writeFile(join(folder, 'huntfleet.yaml'), `${projectFile}      env: {TOKEN: {env: LOGS_TOKEN}}\n`)
    for (const args of [
      ['run', 'dns', '--json'],
      ['run', 'dns'],
      ['preview', 'dns', 'events'],
      ['preview', 'dns', 'events', '--json'],
    ]) {
      const { stdout, stderr, code } = await huntfleet(folder, ...args)
      expect(code).toBe(3)
      expect(stdout + stderr).toContain('bad token ***')
      expect(stdout + stderr).not.toContain('hunter2')
    }
  })

  it('that are unset are a mistake in the configuration', async () => {
    const url = ['$', '{NO_SUCH_VARIABLE}'].join('')
    const files = { 'huntfleet.yaml': `mcp_servers: {logs: {remote: {url: "${url}"}}}\n` }
    const { code, stdout } = await huntfleet(await projectFolder({ files }), 'run', 'dns', '--json')
    expect(code).toBe(2)
    expect(manifestOf(stdout)).toMatchObject({
      tables: {
        events: {
          error: {
            code: 'SECRET_UNSET',
            message: expect.stringContaining(
              'mcp_servers.logs.server.remote.url: the environment variable NO_SUCH_VARIABLE is not set',
            ),
          },
        },
      },
    })
  })
})

describe('Ctrl-C', () => {
  it('keeps what there is, publishes a cancelled manifest and exits with 130', async () => {
    const pages = [
      { when: { from: 0 }, json: Array.from({ length: 2 }, (_, id) => ({ id })) },
      { when: { from: 2 }, hang: true },
    ]
    const files = {
      'strategies/dns/binding.yaml': `${binding}    pagination: {mode: offset, offset_param: from, limit_param: size, page_size: 2}\n`,
    }
    const folder = await projectFolder({ files, script: { script: { search: pages } } })
    const main = fileURLToPath(import.meta.resolve('../../src/main.ts'))
    const log = join(folder, 'calls.jsonl')
    const child = spawn(process.execPath, ['--conditions=source', main, 'run', 'dns', '--json'], {
      cwd: folder,
      env: { ...process.env, SCRIPTED_MCP_LOG: log },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    const waiting = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        stderr += chunk
        if (stderr.includes('1 page')) resolve()
      })
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await waiting
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    const manifest = manifestOf(stdout)
    expect(manifest).toMatchObject({
      status: 'cancelled',
      tables: { events: { outcome: 'cancelled', rows: 2 } },
    })
    expect(await readdir(join(folder, 'staging/_runs/strategy=dns', `run=${manifest.run_id}`))).toEqual([
      'manifest.json',
    ])
  })
})
