import { RunError } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n

describe('the time zone of a column', () => {
  testRules(
    'TIMESTAMP',
    [
      ['"2026-02-03 04:05:06"', at('2026-02-03T03:05:06Z')],
      ['"2026-07-03 04:05:06.5"', at('2026-07-03T02:05:06.500Z')],
      ['"2026-07-03"', at('2026-07-02T22:00:00Z')],
      ['"2026-07-03T04:05:06Z"', at('2026-07-03T04:05:06Z')],
      ['"2026-07-03T04:05:06-08:00"', at('2026-07-03T12:05:06Z')],
      ['1770091506', 1_770_091_506_000_000n],
      // Clocks go forward at 02:00 on 29 March and back at 03:00 on 25 October 2026.
      ['"2026-03-29 01:59:59"', at('2026-03-29T00:59:59Z')],
      ['"2026-03-29 03:00:00"', at('2026-03-29T01:00:00Z')],
      ['"2026-03-29 02:30:00"', rejected('does not exist in the time zone of the column')],
      ['"2026-10-25 02:30:00"', at('2026-10-25T00:30:00Z')],
      ['"2026-10-25 03:00:00"', at('2026-10-25T02:00:00Z')],
      // Before 1893 Berlin had the mean time of its meridian.
      ['"1880-01-01 00:53:28"', at('1880-01-01T00:00:00Z')],
    ],
    { timezone: 'Europe/Berlin' },
  )
  testRules(
    'TIMESTAMPTZ',
    [
      ['"2026-02-03 04:05:06"', at('2026-02-02T22:35:06Z')],
      ['"0001-01-01 00:00:00"', rejected('outside the years')],
    ],
    { timezone: '+05:30' },
  )
  testRules('TIMESTAMP', [['"2026-02-03 04:05:06"', at('2026-02-03T12:05:06Z')]], { timezone: '-0800' })
  testRules('TIMESTAMP', [['"2026-02-03 04:05:06"', at('2026-02-03T04:05:06Z')]], { timezone: 'UTC' })
  testRules(
    'TIMESTAMP',
    [
      ['"2026-02-03 00:00:00"', at('2026-02-03T05:00:00Z')],
      ['"2026-11-01 01:30:00"', at('2026-11-01T05:30:00Z')],
      ['"2026-03-08 02:30:00"', rejected('does not exist')],
    ],
    { timezone: 'America/New_York' },
  )

  test.each(['Mars/Olympus', '+25:00', 'CETTT', ''])(
    '%j is no time zone and a contract error',
    (timezone) => {
      expect(() => compileCoercer(columnSpec('TIMESTAMP', { timezone }))).toThrow(
        expect.objectContaining({
          code: 'CONTRACT_INVALID',
          message: expect.stringContaining(JSON.stringify(timezone)),
        }),
      )
      expect(() => compileCoercer(columnSpec('TIMESTAMP', { timezone }))).toThrow(RunError)
    },
  )
})
