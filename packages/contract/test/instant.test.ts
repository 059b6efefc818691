import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatInstant, parseInstant, parseIsoInstant, shiftInstant } from '../src/instant.ts'

const base = new Date('2026-03-10T12:00:00Z')

describe('parseInstant', () => {
  it.each([
    // ISO 8601
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01', '2026-01-01T00:00:00Z'],
    ['2026-01-01 10:20', '2026-01-01T10:20:00Z'],
    ['2026-01-01T10:20:30', '2026-01-01T10:20:30Z'],
    ['2026-01-01t10:20:30z', '2026-01-01T10:20:30Z'],
    ['2026-01-01T00:30:00+05:30', '2025-12-31T19:00:00Z'],
    ['2026-01-01T00:30:00-0800', '2026-01-01T08:30:00Z'],
    ['2026-01-01 00:30:00 +01', '2025-12-31T23:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    // fractions keep their digits
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.5+01:00', '2025-12-31T23:00:00.5Z'],
    ['2026-01-01T00:00:00,123456789Z', '2026-01-01T00:00:00.123456789Z'],
    // epoch numbers by magnitude
    [1_767_225_600, '2026-01-01T00:00:00Z'],
    ['1767225600', '2026-01-01T00:00:00Z'],
    [1_767_225_600_123, '2026-01-01T00:00:00.123Z'],
    [1_767_225_600_000, '2026-01-01T00:00:00Z'],
    [1_767_225_600_123_456, '2026-01-01T00:00:00.123456Z'],
    ['1767225600123456789', '2026-01-01T00:00:00.123456789Z'],
    [1_767_225_600.5, '2026-01-01T00:00:00.5Z'],
    ['1767225600.123456', '2026-01-01T00:00:00.123456Z'],
    [100_000_000, '1973-03-03T09:46:40Z'],
    // relative to the scheduled time
    ['now', '2026-03-10T12:00:00Z'],
    ['-7d', '2026-03-03T12:00:00Z'],
    ['-90m', '2026-03-10T10:30:00Z'],
    ['-1w', '2026-03-03T12:00:00Z'],
    ['-1h30m', '2026-03-10T10:30:00Z'],
    ['+2d', '2026-03-12T12:00:00Z'],
    ['now-7d', '2026-03-03T12:00:00Z'],
    ['-500ms', '2026-03-10T11:59:59.500Z'],
  ])('reads %j', (value, iso) => {
    expect(parseInstant(value, base)).toBe(iso)
  })

  it.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10:00:00+24:00',
    '2026-01-01T00:00:00.1234567890Z',
    '0000-12-31',
    '9999-12-31T23:59:59-01:00',
    '20260101',
    '7d',
    '-7',
    '-',
    '-999999w',
    12,
    99_999_999,
    -1_767_225_600,
    Number('1767225600123456789'),
    Number.NaN,
    '1767225600123456789.5',
    '9'.repeat(100_000),
  ])('refuses %j', (value) => {
    expect(parseInstant(value, base)).toBeUndefined()
  })

  it('reads its own result as the same', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(-6e13), max: new Date(2e14), noInvalidDate: true }), (date) => {
        const iso = parseInstant(date.toISOString(), base)
        expect(iso).toBe(date.toISOString())
        expect(parseInstant(iso ?? '', base)).toBe(iso)
      }),
    )
  })
})

describe('shiftInstant', () => {
  it.each([
    ['2026-01-01T00:00:00Z', -600_000, '2025-12-31T23:50:00Z'],
    ['2026-01-01T00:00:00.25Z', -1_000, '2025-12-31T23:59:59.25Z'],
    ['2026-01-01T00:00:00Z', -1, '2025-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.5Z', 1_000, '1970-01-01T00:00:00.5Z'],
    ['1960-01-01T00:00:00.123456789Z', -500, '1959-12-31T23:59:59.623456789Z'],
  ])('moves %s by %d ms', (iso, milliseconds, moved) => {
    const instant = parseIsoInstant(iso)
    const shifted = instant && shiftInstant(instant, milliseconds)
    expect(shifted && formatInstant(shifted)).toBe(moved)
  })

  it('stays within the years that have four digits', () => {
    expect(shiftInstant({ seconds: 0, fraction: '' }, 9e15)).toBeUndefined()
  })
})
