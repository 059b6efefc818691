import { describe } from 'vitest'
import { rejected, testRules } from './coercion-table.ts'

describe('dates', () => {
  testRules('DATE', [
    ['"1970-01-01"', 0],
    ['"1969-12-31"', -1],
    ['"2026-02-03"', 20_487],
    ['"0001-01-01"', -719_162],
    ['"9999-12-31"', 2_932_896],
    ['"2026-02-03 23:59:59.999"', 20_487],
    ['"2026-02-03T23:30:00-08:00"', 20_488],
    ['"2026-02-03T00:30:00+01:00"', 20_486],
    ['"2016-12-31T23:59:60Z"', 17_167],
    ['1770091506', 20_487],
    ['"1770091506789"', 20_487],
    ['-1000000000', -11_575],
    ['""', null],
    ['null', null],
    ['"2026-02-30"', rejected('names a day that does not exist')],
    ['"04:05:06"', rejected('is a time without a date')],
    ['20260203', rejected('too small')],
    ['"02/03/2026"', rejected('is not a time')],
    ['false', rejected()],
  ])
  testRules('DATE', [['86400', 1]], { format: 's' })
  testRules('DATE', [['"2026-02-03 00:30:00"', 20_487]], { timezone: 'Europe/Berlin' })
})
