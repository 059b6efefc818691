import { describe, expect, it } from 'vitest'
import { tablePrefixes } from '../src/table-prefixes.ts'

const table = {
  strategy: 'dns',
  table: 'events',
  runId: 'dns.20261130T235959Z.abcdef',
  scheduledAt: '2026-11-30T23:59:59.999Z',
}

describe('the key prefixes of a table', () => {
  it('follow the layout; rejects stand apart under the same names', () => {
    const layout = 'strategy={strategy}/table={table}/dt={date}/run={run_id}'
    const data = 'strategy=dns/table=events/dt=2026-11-30/run=dns.20261130T235959Z.abcdef'
    expect(tablePrefixes(layout, table)).toEqual({ data, rejects: `_rejects/${data}` })
  })

  it('take the scheduled day in UTC', () => {
    const scheduledAt = '2026-12-01T00:30:00+01:00'
    expect(tablePrefixes('{date}/{run_id}/{table}', { ...table, scheduledAt }).data).toMatch(/^2026-11-30\//)
  })

  it('are refused for a layout that would let files overwrite each other', () => {
    expect(() => tablePrefixes('{strategy}/{table}', table)).toThrow(
      expect.objectContaining({
        code: 'SINK_INVALID',
        message: expect.stringContaining('{run_id} is missing'),
      }),
    )
  })
})
