import { describe, expect, test } from 'vitest'
import { compileCoercer } from '../../src/coerce/coercer.ts'
import { coerced, rejected, testRules } from './coercion-table.ts'
import { columnSpec } from './column-spec.ts'

const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n
const moment = at('2026-02-03T04:05:06Z')

describe('the format of a column', () => {
  test.each([
    ['yyyy-MM-dd HH:mm:ss.SSS', '2026-02-03 04:05:06.789', moment + 789_000n],
    ['yyyy-MM-dd HH:mm:ss.SSS', '2026-02-03 04:05:06.789012', moment + 789_012n],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-02-03T04:05:06+05:30', at('2026-02-02T22:35:06Z')],
    ['yyyy-MM-ddTHH:mm:ssZ', '2026-02-03T04:05:06Z', moment],
    ['YYYY-MM-DD HH:mm:ss', '2026-02-03 04:05:06', moment],
    ['dd/MMM/yyyy:HH:mm:ss Z', '03/Feb/2026:04:05:06 +0000', moment],
    ['EEE MMM d HH:mm:ss yyyy', 'Tue Feb  3 04:05:06 2026', moment],
    ['EEEE, d MMMM yyyy HH:mm:ss z', 'Tuesday, 3 February 2026 04:05:06 GMT', moment],
    ['M/d/yyyy h:mm:ss a', '2/3/2026 4:05:06 AM', moment],
    ['MM/dd/yyyy hh:mm:ss a', '02/03/2026 04:05:06 pm', moment + 43_200_000_000n],
    ['MM/dd/yyyy hh:mm:ss a', '02/03/2026 12:05:06 AM', at('2026-02-03T00:05:06Z')],
    ['MM/dd/yyyy hh:mm:ss a', '02/03/2026 12:05:06 PM', at('2026-02-03T12:05:06Z')],
    ['yyyyMMddHHmmss', '20260203040506', moment],
    ['yyyyMMdd', '20260203', at('2026-02-03T00:00:00Z')],
    ['dd.MM.yy HH:mm', '03.02.26 04:05', at('2026-02-03T04:05:00Z')],
    ['dd.MM.yy', '03.02.69', at('1969-02-03T00:00:00Z')],
    ["yyyy-MM-dd 'at' HH 'o''clock'", "2026-02-03 at 04 o'clock", at('2026-02-03T04:00:00Z')],
    ['%Y-%m-%d %H:%M:%S', '2026-02-03 04:05:06', moment],
    ['%Y-%m-%dT%H:%M:%S.%f%z', '2026-02-03T04:05:06.789-0800', at('2026-02-03T12:05:06.789Z')],
    ['%d/%b/%Y:%H:%M:%S %z', '03/Feb/2026:04:05:06 +0000', moment],
    ['%m/%d/%Y %I:%M:%S %p', '02/03/2026 04:05:06 PM', moment + 43_200_000_000n],
    ['%a %b %e %T %Y', 'Tue Feb  3 04:05:06 2026', moment],
    ['%F %T.%3N %Z', '2026-02-03 04:05:06.789 UTC', moment + 789_000n],
    ['%D %R', '02/03/26 04:05', at('2026-02-03T04:05:00Z')],
    ['100%% %Y-%m-%d', '100% 2026-02-03', at('2026-02-03T00:00:00Z')],
  ])('%s reads %j', (format, text, expected) => {
    expect(coerced(columnSpec('TIMESTAMP', { format }), text)).toBe(expected)
  })

  testRules(
    'TIMESTAMP',
    [
      ['"03.02.2026 04:05:06"', at('2026-02-03T03:05:06Z')],
      ['" 3.2.2026 4:5:6 "', at('2026-02-03T03:05:06Z')],
      ['""', null],
      ['"31.02.2026 04:05:06"', rejected('names a day that does not exist')],
      ['"03.02.2026 24:05:06"', rejected('names a time that does not exist')],
      ['"29.03.2026 02:30:00"', rejected('does not exist in the time zone')],
      ['"03.02.2026"', rejected(`is not a time: expected in the column's format "dd.MM.yyyy HH:mm:ss"`)],
      ['"03.02.2026 04:05:06 x"', rejected('is not a time')],
      ['"2026-02-03T04:05:06Z"', rejected('is not a time')],
      ['1770091506', rejected('1770091506 is not a time')],
      ['{}', rejected('an object is not a time')],
    ],
    { format: 'dd.MM.yyyy HH:mm:ss', timezone: 'Europe/Berlin' },
  )
  testRules('TIMESTAMP', [['20260203', at('2026-02-03T00:00:00Z')]], { format: 'yyyyMMdd' })
  testRules('TIMESTAMP', [['"2/3/2026 13:05 PM"', rejected('names a time')]], { format: 'M/d/yyyy h:mm a' })
  testRules('DATE', [['"03/Feb/2026"', 20_487]], { format: 'dd/MMM/yyyy' })
  testRules('TIME', [['"4.05 PM"', 57_900_000_000n]], { format: 'h.mm a' })

  test.each([
    ['TIMESTAMP', 'yyyy-MM-dd QQ', '"QQ" is not known'],
    ['TIMESTAMP', "yyyy-MM-dd 'open", '"\'" is not known'],
    ['TIMESTAMP', '%Y-%m-%d %J', '"%J" is not known'],
    ['TIMESTAMP', '%Y-%m-%d %', '"%" is not known'],
    ['TIMESTAMP', 'HH:mm:ss', 'names no whole date'],
    ['TIMESTAMP', 'MMM d HH:mm:ss', 'names no whole date'],
    ['TIME', 'yyyy-MM-dd', 'names no whole time'],
    ['TIME', 'hh:mm', 'names no whole time'],
    ['TIMESTAMP', 'seconds', 'is not known'],
  ])('%s with the format %j is a contract error: %s', (type, format, message) => {
    expect(() => compileCoercer(columnSpec(type, { format }))).toThrow(
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        message: expect.stringContaining(message),
        context: expect.objectContaining({ path: 'columns.c' }),
      }),
    )
  })
})
