import { describe } from 'vitest'
import { rejected, testRules } from './coercion-table.ts'

describe('times of day', () => {
  testRules('TIME', [
    ['"00:00:00"', 0n],
    ['"04:05"', 14_700_000_000n],
    ['"04:05:06"', 14_706_000_000n],
    ['"04:05:06.789012999"', 14_706_789_012n],
    ['"23:59:59.999999"', 86_399_999_999n],
    ['"04:05:06Z"', 14_706_000_000n],
    ['"04:05:06+05:00"', 83_106_000_000n],
    ['"23:00:00-02:00"', 3_600_000_000n],
    ['"2026-02-03T04:05:06.5Z"', 14_706_500_000n],
    ['"2026-02-03 04:05:06+01:00"', 11_106_000_000n],
    ['1770091506', 14_706_000_000n],
    ['""', null],
    ['null', null],
    ['"24:00:00"', rejected('names a time that does not exist')],
    ['"23:59:60"', rejected('no leap second')],
    ['"4:05"', rejected('is not a time')],
    ['"2026-02-03"', rejected('is a date without a time')],
    ['3600', rejected('too small')],
    ['[]', rejected()],
  ])
  testRules('TIME', [['3600', 3_600_000_000n]], { format: 's' })
})
