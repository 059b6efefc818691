import { describe, expect, it } from 'vitest'
import { compileDatePattern } from '../src/date-pattern.ts'
import { parseIsoInstant } from '../src/instant.ts'

function written(pattern: string, iso: string): string | undefined {
  const compiled = compileDatePattern(pattern)
  const instant = parseIsoInstant(iso)
  return 'write' in compiled && instant !== undefined ? compiled.write(instant) : undefined
}

describe('compileDatePattern', () => {
  it.each([
    ['yyyy-MM-dd', '2026-02-03'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSX", '2026-02-03T04:05:06.789Z'],
    ['d/M/yy H:m:s', '3/2/26 4:5:6'],
    ['yyyy.DDD', '2026.034'],
    ["''yyyy'' 'o''clock'", "'2026' o'clock"],
    ['SSSSSSSSS', '789000000'],
    ['', ''],
  ])('writes %j', (pattern, text) => {
    expect(written(pattern, '2026-02-03T04:05:06.789Z')).toBe(text)
  })

  it('counts the days of early and leap years', () => {
    expect(written('yyyy DDD', '2024-12-31')).toBe('2024 366')
    expect(written('yyyy DDD', '0050-01-01')).toBe('0050 001')
  })

  it.each(['YYYY', 'EEE', 'MMM', "'open", 'yyyy-QQ', 'SSSSSSSSSS'])(
    'names what is wrong with %j and what is valid',
    (pattern) => {
      const compiled = compileDatePattern(pattern)
      expect('wrong' in compiled ? compiled.wrong : '').toContain('valid: yyyy')
    },
  )
})
