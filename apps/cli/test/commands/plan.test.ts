import { describe, expect, it } from 'vitest'
import { binding, contract, huntfleet, projectFolder } from '../command-line.ts'

const paged = `${binding}    pagination: {mode: offset, offset_param: from, limit_param: size, page_size: 50}\n`

describe('huntfleet plan', () => {
  it('shows the exact call, the paging, the columns and where files go', async () => {
    const folder = await projectFolder({ files: { 'strategies/dns/binding.yaml': paged } })
    const { code, stdout, stderr } = await huntfleet(folder, 'plan', 'dns', '--param', 'days=3')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('parameters: {"days":3}')
    expect(stdout).toContain('events: at most 10000 rows within 300 s')
    expect(stdout).toContain('  logs.search {"days":3,"from":0,"size":50}')
    expect(stdout).toContain('  then: pages by offset, 50 rows each')
    expect(stdout).toContain('  id BIGINT <- id')
    expect(stdout).toMatch(/files: file:\/\/.*\/staging/)
  })

  it('is one JSON document with --json', async () => {
    const { stdout, stderr } = await huntfleet(
      await projectFolder(),
      'plan',
      'dns',
      '--json',
      '--max-rows',
      '5',
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      run_id: expect.stringMatching(/^dns\.\d{8}T\d{6}Z\.[a-z0-9]{6}$/),
      params: { days: 7 },
      tables: [
        { table: 'events', max_rows: 5, calls: [{ server: 'logs', tool: 'search', args: { days: 7 } }] },
      ],
      not_fetched: [],
    })
  })

  it.each<[string[], unknown]>([
    [['--param', 'days=3'], { days: 3 }],
    [['--param', 'days=3', '--param', 'days=4'], { days: 4 }],
    [['--param', 'who=a=b'], { days: 7, who: 'a=b' }],
    [['--param', 'who=007'], { days: 7, who: '007' }],
    [['--param', 'who="7"'], { days: 7, who: '7' }],
    [['--param', 'who='], { days: 7, who: '' }],
    [['--params', 'p.json'], { days: 1, who: 'file' }],
    [['--params', 'p.json', '--param', 'who=line'], { days: 1, who: 'line' }],
  ])('takes the parameters of %j', async (args, params) => {
    const folder = await projectFolder({ files: { 'p.json': '{"days": "1", "who": "file"}' } })
    const { stdout } = await huntfleet(folder, 'plan', 'dns', '--json', ...args)
    expect(JSON.parse(stdout)).toMatchObject({ params })
  })

  it('takes lists as JSON', async () => {
    const files = {
      'strategies/dns/contract.yaml': contract.replace('who: {}', 'hosts: {type: list}'),
      'strategies/dns/binding.yaml': binding.replace('{days: "{{days}}"}', '{hosts: "{{hosts}}"}'),
    }
    const { stdout } = await huntfleet(
      await projectFolder({ files }),
      'plan',
      'dns',
      '--json',
      '--param',
      'hosts=["a", "b,c"]',
    )
    expect(JSON.parse(stdout)).toMatchObject({ tables: [{ calls: [{ args: { hosts: ['a', 'b,c'] } }] }] })
  })

  it.each<[string[], RegExp]>([
    [['--param', 'dyas=3'], /unknown parameter "dyas"; did you mean "days"\?/],
    [['--param', '__proto__=x'], /unknown parameter "__proto__"/],
    [['--param', 'days=7.9'], /parameter "days": "7\.9" is not of type int/],
    [['--param', '=x'], /not of the form name=value/],
    [['--params', 'list.json'], /must hold one JSON object/],
    [['--params', 'bad.json'], /bad\.json is not JSON/],
  ])('refuses the parameters of %j', async (args, words) => {
    const folder = await projectFolder({ files: { 'list.json': '[]', 'bad.json': '{' } })
    const { code, stderr } = await huntfleet(folder, 'plan', 'dns', ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(words)
  })

  it('sets the window with --from and --to', async () => {
    const files = {
      'strategies/dns/binding.yaml': binding.replace(
        '{days: "{{days}}"}',
        '{from: "{{window.start}}", to: "{{window.end}}"}',
      ),
    }
    const folder = await projectFolder({ files })
    const { stdout } = await huntfleet(
      folder,
      'plan',
      'dns',
      '--json',
      '--from',
      '2026-01-01',
      '--to',
      '1767312000',
    )
    expect(JSON.parse(stdout)).toMatchObject({
      tables: [{ calls: [{ args: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } }] }],
    })
    const { code, stderr } = await huntfleet(folder, 'plan', 'dns')
    expect(code).toBe(2)
    expect(stderr).toContain('strategies/dns/binding.yaml:6:22: source_bindings.events.mcp_args.from: ')
  })

  it('finds a strategy by folder and by name, and refuses two of one name', async () => {
    const folder = await projectFolder({
      files: { 'strategies/copy/contract.yaml': contract, 'strategies/copy/binding.yaml': binding },
    })
    expect(await huntfleet(folder, 'plan', 'strategies/dns')).toMatchObject({ code: 0 })
    expect(await huntfleet(folder, 'plan', `${folder}/strategies/copy`)).toMatchObject({ code: 0 })
    const { code, stderr } = await huntfleet(folder, 'plan', 'dns')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: two strategies are named dns: .*copy and .*dns\n/)
  })

  it('says warnings on stderr', async () => {
    const folder = await projectFolder({
      files: { 'strategies/dns/binding.yaml': `${binding}    max_row: 5\n` },
    })
    const { code, stderr } = await huntfleet(folder, 'plan', 'dns')
    expect(code).toBe(0)
    expect(stderr).toBe(
      'warning: strategies/dns/binding.yaml:7:5: unknown key "source_bindings.events.max_row"; did you mean "max_rows"?\n',
    )
  })

  it('lays overlays over the project and the binding with --env', async () => {
    const files = {
      'huntfleet.prod.yaml': 'storage: {url: s3://prod}\n',
      'strategies/dns/binding.prod.yaml': 'source_bindings: {events: {max_rows: 3}}\n',
    }
    const { stdout } = await huntfleet(
      await projectFolder({ files }),
      'plan',
      'dns',
      '--env',
      'prod',
      '--json',
    )
    expect(JSON.parse(stdout)).toMatchObject({ storage: 's3://prod', tables: [{ max_rows: 3 }] })
  })

  it('starts --out from the current folder and storage.url from that of the project file', async () => {
    const folder = await projectFolder({ files: { 'sub/x': '' } })
    const storageOf = async (...args: string[]) =>
      JSON.parse(
        (
          await huntfleet(
            `${folder}/sub`,
            'plan',
            '../strategies/dns',
            '--config',
            '../huntfleet.yaml',
            '--json',
            ...args,
          )
        ).stdout,
      ).storage
    expect(await storageOf()).toBe(`file://${folder}/staging`)
    expect(await storageOf('--out', './here')).toBe(`file://${folder}/sub/here`)
  })
})
