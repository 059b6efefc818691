import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../src/duration.ts'

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1w', 604_800_000],
    ['1w2d3h4m5s6ms', 788_645_006],
    [' 30s ', 30_000],
    ['0s', 0],
  ])('reads %j', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  it.each([
    '',
    '30',
    's',
    '-5m',
    '1.5h',
    '30m1h',
    '1h1h',
    '5 m',
    '30S',
    '5min',
    '1e3s',
    '99999999999999w',
    '1mss',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it('refuses a hostile length at once', () => {
    expect(parseDuration('1'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [500, '500ms'],
    [90_000, '1m30s'],
    [604_800_000, '7d'],
  ])('writes %d as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })

  it('is read back as the same duration', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds)
      }),
    )
  })
})
