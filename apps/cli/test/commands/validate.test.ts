import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { binding, contract, huntfleet, projectFolder } from '../command-line.ts'

const examples = fileURLToPath(import.meta.resolve('../../../../examples'))

describe('huntfleet validate', () => {
  it('is content with what is in order', async () => {
    const folder = await projectFolder()
    for (const args of [[], ['dns'], ['strategies/dns'], ['strategies']])
      expect(await huntfleet(folder, 'validate', ...args)).toEqual({
        code: 0,
        stdout: '1 strategy: 0 errors, 0 warnings\n',
        stderr: '',
      })
  })

  it('is content with the examples', async () => {
    const { code, stdout } = await huntfleet(examples, 'validate')
    expect(stdout).toMatch(/^\d+ strategies: 0 errors, 0 warnings\n$/)
    expect(code).toBe(0)
  })

  it('refuses columns that storage.parquet_engine cannot write, where they stand', async () => {
    const files = {
      'strategies/dns/contract.yaml': contract.replace('name: VARCHAR', 'name: UUID'),
    }
    const folder = await projectFolder({ files })
    expect((await huntfleet(folder, 'validate')).code).toBe(0)
    const project = await readFile(join(folder, 'huntfleet.yaml'), 'utf8')
    const storage = 'storage: {parquet_engine: parquetjs-lite, compression: snappy}\n'
    await writeFile(join(folder, 'huntfleet.yaml'), project + storage)
    const { code, stdout } = await huntfleet(folder, 'validate')
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^error: strategies\/dns\/contract\.yaml:8:\d+: requires\.tables\.events\.columns\.name: column name is UUID, which storage\.parquet_engine: parquetjs-lite cannot write/m,
    )
    expect((await huntfleet(folder, 'run', 'dns')).code).toBe(2)
  })

  it('prints all findings of all files, sorted by place, and exits with 2', async () => {
    const files = {
      'strategies/dns/contract.yaml': `${contract}descripton: x\n`,
      'strategies/dns/binding.yaml': `${binding}    max_row: 5\n    timeout: 30\n    field_map: {nmae: x}\n`,
    }
    const { code, stdout, stderr } = await huntfleet(await projectFolder({ files }), 'validate')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 70)),
    ).toEqual([
      'warning: strategies/dns/contract.yaml:9:1: unknown key "descripton"; d',
      'warning: strategies/dns/binding.yaml:7:5: unknown key "source_bindings',
      'error: strategies/dns/binding.yaml:8:14: source_bindings.events.timeou',
      'error: strategies/dns/binding.yaml:9:17: source_bindings.events: field',
      '1 strategy: 2 errors, 2 warnings',
    ])
  })

  it('exits with 0 when there are only warnings', async () => {
    const files = { 'strategies/dns/binding.yaml': `${binding}    max_row: 5\n` }
    expect((await huntfleet(await projectFolder({ files }), 'validate')).code).toBe(0)
  })

  it('prints one JSON document', async () => {
    const files = { 'strategies/dns/binding.yaml': `${binding}    max_rows: x\n` }
    const { code, stdout, stderr } = await huntfleet(await projectFolder({ files }), 'validate', '--json')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      ...{ valid: false, strategies: 1, errors: 1, warnings: 0 },
      findings: [
        expect.objectContaining({
          severity: 'error',
          code: 'BINDING_INVALID',
          line: 7,
          column: 15,
          path: 'source_bindings.events.max_rows',
        }),
      ],
    })
  })

  it('goes on behind a file that is not YAML', async () => {
    const files = {
      'strategies/a/contract.yaml': 'a: [',
      'strategies/dns/binding.yaml': `${binding}    max_rows: x\n`,
    }
    const { stdout } = await huntfleet(await projectFolder({ files }), 'validate')
    expect(stdout).toMatch(/error: strategies\/a\/contract\.yaml:\d+:\d+: not valid YAML/)
    expect(stdout).toMatch(/error: strategies\/dns\/binding\.yaml:7:15: /)
  })

  it.each([
    ['storage: {ulr: x}\n', /error: huntfleet\.yaml:1:11: unknown key "storage\.ulr"; did you mean "url"\?/],
    [
      'storage: {layout: "{table}/{day}"}\n',
      /error: huntfleet\.yaml:1:19: storage\.layout: .*unknown placeholder \{day\}/,
    ],
    [
      'storage: {layout: "{table}"}\n',
      /error: huntfleet\.yaml:1:19: storage\.layout: .*\{run_id\} is missing/,
    ],
  ])('checks the project file: %j', async (text, words) => {
    const folder = await projectFolder({ files: { 'huntfleet.yaml': text } })
    const { code, stdout } = await huntfleet(folder, 'validate')
    expect(code).toBe(2)
    expect(stdout).toMatch(words)
    expect(await huntfleet(folder, 'plan', 'dns')).toMatchObject({ code: 2, stdout: '' })
  })

  it.each([
    ['{type: TIMESTAMP, format: "%Q"}', /columns\.id/],
    ['{type: TIMESTAMP, timezone: Mars/Olympus}', /columns\.id.*Mars\/Olympus/],
  ])('checks what the engine makes of a column: %s', async (column, words) => {
    const files = { 'strategies/dns/contract.yaml': contract.replace('id: BIGINT', `id: ${column}`) }
    const { code, stdout } = await huntfleet(await projectFolder({ files }), 'validate')
    expect(code).toBe(2)
    expect(stdout).toMatch(words)
  })

  it('says that a path is no strategy', async () => {
    const { code, stderr } = await huntfleet(
      await projectFolder({ files: { 'empty/x': '' } }),
      'validate',
      'empty',
    )
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: no strategy "empty"/)
  })

  it('asks the server with --online', async () => {
    const folder = await projectFolder({
      script: { tools: [{ name: 'serach', inputSchema: { type: 'object', properties: {} } }], script: {} },
    })
    const { code, stdout } = await huntfleet(folder, 'validate', '--online')
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /error: strategies\/dns\/binding\.yaml:5:15: .*no tool "search"; its tools are serach; did you mean serach\?/,
    )
  })

  it('--online is content with a tool that takes the arguments', async () => {
    expect(await huntfleet(await projectFolder(), 'validate', '--online')).toMatchObject({ code: 0 })
  })
})
