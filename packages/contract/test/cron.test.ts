import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCron } from '../src/cron.ts'

test.each([
  ['0 * * * *', '0 * * * *'],
  ['  */10 * * * * *  ', '*/10 * * * * *'],
  ['0 9 1,15 JAN-MAR MON-FRI', '0 9 1,15 jan-mar mon-fri'],
  ['0 0 * * 7', '0 0 * * 7'],
  ['0 0 29 2 *', '0 0 29 2 *'],
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@Yearly', '0 0 1 1 *'],
])('%j is a pattern', (text, cron) => {
  expect(parseCron(text)).toEqual({ ok: true, cron })
})

test.each([
  ['', 'is empty', '0 * * * *'],
  ['* * * *', 'has 4 fields', '* * * * *'],
  ['0 0 12 * * ? 2026', 'has 7 fields', '0 0 12 * * *'],
  ['hourly', 'has 1 field;', '0 * * * *'],
  ['@midnight', 'not a name', '0 0 * * *'],
  ['@dayly', 'not a name', '0 0 * * *'],
  ['@every 5m', 'not a name', '0 * * * *'],
  ['60 * * * *', 'minute "60" is not 0 to 59', '0 * * * *'],
  ['0 24 * * *', 'hour "24" is not 0 to 23', '0 0 * * *'],
  ['*/60 * * * *', 'minute step "*/60" is not 1 to 59', '0 * * * *'],
  ['5/10 * * * *', 'minute "5/10" has a step without a range', '5-59/10 * * * *'],
  ['0 17-9 * * *', 'hour range "17-9" runs backwards', '0 9-17 * * *'],
  ['0 0 12 ? * MON-FRI', 'day of month "?"', '0 0 12 * * mon-fri'],
  ['H * * * *', 'minute "h" is not 0 to 59', '0 * * * *'],
  ['H/5 * * * *', 'minute "h"', '*/5 * * * *'],
  ['0 0 L * *', 'day of month "l" is not 1 to 31', '0 0 28 * *'],
  ['0 0 15W * *', 'day of month "15w"', '0 0 15 * *'],
  ['0 0 * * 5#3', 'day of week "5#3"', '0 0 * * 5'],
  ['0 0 * * sunday', 'day of week "sunday" is not 0 to 7 or sun, mon', '0 0 * * sun'],
  ['0 0 30 2 *', 'never fires', '0 0 28 2 *'],
  ['0 0 * * mon tue wed', 'has 7 fields', '0 0 * * mon,tue,wed'],
  ['every day at noon', 'has 4 fields', '0 0 * * *'],
  ['x x x x x x x x', 'has 8 fields', '0 0 0 * * *'],
])('%j is none, and what may have been meant is named', (text, reason, meant) => {
  expect(parseCron(text)).toEqual({ ok: false, reason: expect.stringContaining(reason), meant })
})

test('what may have been meant is always a pattern', () => {
  const part = fc.oneof(
    fc.constantFrom('*', '?', 'L', '5#3', '15W', 'H/2', '*/0', '99', '9-1', 'monday', '@x', '1/2', '1,2', ''),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const parsed = parseCron(parts.join(' '))
      if (!parsed.ok) expect(parseCron(parsed.meant)).toEqual({ ok: true, cron: parsed.meant })
    }),
    { numRuns: 2_000 },
  )
})
