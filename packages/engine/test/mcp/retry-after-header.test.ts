import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '../../src/mcp/retry-after-header.ts'

const now = Date.UTC(2026, 0, 1)

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    [' 1.5 ', 1500],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['99999999', 86_400_000],
    ['soon', undefined],
    ['-5x', undefined],
    ['', undefined],
  ])('reads %j as %s', (value, expected) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(expected)
  })

  it('gives nothing without the header', () => {
    expect(retryAfterMs(new Headers(), now)).toBeUndefined()
  })
})
