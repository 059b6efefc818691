import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { binding, contract, huntfleet, projectFolder } from '../command-line.ts'

const columns =
  'id: BIGINT, at: TIMESTAMP, day: DATE, clock: TIME, price: "DECIMAL(9,2)", raw: BLOB, tags: "VARCHAR[]", ok: BOOLEAN, ratio: DOUBLE, name: VARCHAR'
const typed = { 'strategies/dns/contract.yaml': contract.replace('id: BIGINT, name: VARCHAR', columns) }
const row = {
  ...{
    id: 9_007_199_254_740_991,
    at: '2026-11-30T12:00:00.123456+01:00',
    day: '2026-11-30',
    clock: '01:02:03.5',
  },
  ...{ price: '12.5', raw: '0x00ff', tags: ['a', null], ok: 'yes', ratio: 1.5, name: 'n\u001b[2J' },
}
const script = { script: { search: [{ json: [row, { id: 'x' }, { id: 3 }] }] } }

describe('huntfleet preview', () => {
  it('shows the call, the answer, the mapped rows by their types and the columns; nothing is stored', async () => {
    const folder = await projectFolder({ files: typed, script })
    const { code, stdout, stderr } = await huntfleet(folder, 'preview', 'dns', 'events')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('call: logs.search {"days":7}')
    expect(stdout).toMatch(/answer: 3 items, \d+ bytes, \d+ ms, from /)
    const cells = [
      '9007199254740991',
      '2026-11-30T11:00:00.123456Z',
      '2026-11-30',
      '01:02:03.500000',
      '12.50',
      '0x00ff',
      '[a, null]',
      'true',
      '1.5',
      'n\\x1b[2J',
    ]
    expect(stdout).toMatch(
      new RegExp(`^${cells.map((cell) => cell.replace(/[[\]\\.]/g, '\\$&')).join(' +')}$`, 'm'),
    )
    expect(stdout).toMatch(/^id +BIGINT +id +1 +1$/m)
    expect(stdout).toMatch(/^reject: row 2, id: /m)
    expect(stdout).not.toContain('\u001b')
    expect(await readdir(folder)).not.toContain('staging')
  })

  it('prints typed JSON', async () => {
    const { stdout, stderr } = await huntfleet(
      await projectFolder({ files: typed, script }),
      'preview',
      'dns',
      'events',
      '--json',
      '--rows',
      '1',
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      table: 'events',
      call: { server: 'logs', tool: 'search', args: { days: 7 } },
      items: 3,
      rows: [
        [
          '9007199254740991',
          '2026-11-30T11:00:00.123456Z',
          '2026-11-30',
          '01:02:03.500000',
          '12.50',
          '0x00ff',
          ['a', null],
          true,
          1.5,
          'n\u001b[2J',
        ],
      ],
    })
  })

  it('says that a table is not fetched by the fleet', async () => {
    const files = { 'strategies/dns/binding.yaml': 'source_bindings:\n  events: {fetch_mode: mcp}\n' }
    const { code, stderr } = await huntfleet(await projectFolder({ files }), 'preview', 'dns', 'events')
    expect(code).toBe(2)
    expect(stderr).toContain(
      'error: events is not fetched by the fleet: an agent must stage it (fetch_mode: mcp)',
    )
  })

  it.each<[object, number]>([
    [{ text: 'no such index', isError: true }, 3],
    [{ text: 'not json' }, 4],
  ])('fails as a run would: %j', async (step, exit) => {
    const files = { 'strategies/dns/binding.yaml': `${binding}    retry: {attempts: 1}\n` }
    const { code, stdout, stderr } = await huntfleet(
      await projectFolder({ files, script: { script: { search: [step] } } }),
      'preview',
      'dns',
      'events',
    )
    expect(code).toBe(exit)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: /)
  })
})
