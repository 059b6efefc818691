import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LayoutValues, layoutDate, renderLayout, validateLayout } from '../src/layout.ts'
import { isKey } from '../src/object-key.ts'

const standard = 'strategy={strategy}/table={table}/dt={date}/run={run_id}'
const values: LayoutValues = {
  strategy: 'suspicious-dns',
  table: 'events',
  date: '2026-11-30',
  run_id: 'dns.20261130T120000Z',
}

describe('a storage layout', () => {
  it('is filled in', () => {
    expect(renderLayout(standard, values)).toBe(
      'strategy=suspicious-dns/table=events/dt=2026-11-30/run=dns.20261130T120000Z',
    )
    expect(renderLayout('{table}-{run_id}/{table}', values)).toBe('events-dns.20261130T120000Z/events')
  })

  it.each([
    ['a/b', 'a%2Fb'],
    ['..', '%2E%2E'],
    ['.', '%2E'],
    ['a=b&c', 'a%3Db%26c'],
    ['100%', '100%25'],
    ['é', '%C3%A9'],
    ['a\\b\0', 'a%5Cb%00'],
    ['{table}', '%7Btable%7D'],
  ])('escapes the value %j as %s', (value, escaped) => {
    expect(renderLayout('{table}/{strategy}/{run_id}', { ...values, strategy: value })).toBe(
      `events/${escaped}/dns.20261130T120000Z`,
    )
  })

  it.each([
    ['_runs', '%5Fruns/events'],
    ['.tmp', '%2Etmp/events'],
    ['..', '%2E%2E/events'],
  ])('lets the value %j in front make none of our own folders', (run_id, expected) => {
    expect(renderLayout('{run_id}/{table}', { ...values, run_id })).toBe(expected)
  })

  it('gives a key with as many folders as it has itself, whatever the values are', async () => {
    const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
    const law = fc.property(value, value, value, value, (strategy, table, date, run_id) => {
      const key = renderLayout(standard, { strategy, table, date, run_id })
      return isKey(key) && key.split('/').length === 4
    })
    await fc.assert(law)
  })

  it('refuses an empty value, which would make an empty folder', () => {
    expect(() => renderLayout('{strategy}/{table}/{run_id}', { ...values, strategy: '' })).toThrow(
      '{strategy} is empty',
    )
  })

  it.each([
    ['{table}/{run}', 'unknown placeholder {run}; valid are {strategy}, {table}, {date}, {run_id}'],
    ['{table}/{constructor}/{run_id}', 'unknown placeholder {constructor}'],
    ['{table}', '{run_id} is missing'],
    ['{run_id}', '{table} is missing'],
    ['{table}/{run_id', '{run_id} is missing'],
    ['{table}/{run_id}/{', 'a brace is not closed'],
    ['{table}/{run_id}}', 'a brace is not closed'],
    ['/{table}/{run_id}', 'must not begin or end with "/"'],
    ['{table}/{run_id}/', 'must not begin or end with "/"'],
    ['{table}//{run_id}', 'must not begin or end with "/"'],
    ['../{table}/{run_id}', '"." and ".." are no folders'],
    ['{table}/./{run_id}', '"." and ".." are no folders'],
    ['_runs/{table}/{run_id}', 'must not begin with "." or "_"'],
    ['.tmp/{table}/{run_id}', 'must not begin with "." or "_"'],
    ['a b/{table}/{run_id}', 'only letters, digits'],
    ['a\\b/{table}/{run_id}', 'only letters, digits'],
  ])('%s is refused: %s', (layout, fault) => {
    expect(validateLayout(layout)).toContain(fault)
    expect(() => renderLayout(layout, values)).toThrow(expect.objectContaining({ code: 'SINK_INVALID' }))
  })

  it.each([standard, '{table}/{run_id}', 'a/b=c,d@e+f/{run_id}{table}'])('%s is valid', (layout) => {
    expect(validateLayout(layout)).toBeUndefined()
  })
})

describe('the date of a layout', () => {
  it('is the day in UTC', () => {
    expect(layoutDate('2026-11-30T23:30:00-05:00')).toBe('2026-12-01')
    expect(layoutDate('2026-11-30T00:00:00Z')).toBe('2026-11-30')
  })
})
