import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firesBetween, nextFire, previousFire } from '../src/fire-times.ts'
import { zonedTime } from '../src/time-zone.ts'

const at = Date.parse
const wall = (cron: string, timezone: string, after: string, count: number): string[] =>
  firesBetween({ cron, timezone }, at(after), Number.POSITIVE_INFINITY, count).map((time) =>
    zonedTime(time, timezone),
  )

test('a time that clocks skip fires when they are set forward', () => {
  expect(wall('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T02:30:00+01:00',
    '2026-03-29T03:00:00+02:00',
    '2026-03-30T02:30:00+02:00',
  ])
})

test('a time that comes twice fires once, the first time', () => {
  expect(wall('30 2 * * *', 'Europe/Berlin', '2026-10-24T01:00:00Z', 2)).toEqual([
    '2026-10-25T02:30:00+02:00',
    '2026-10-26T02:30:00+01:00',
  ])
})

test('every hour fires in both passes', () => {
  expect(wall('0 * * * *', 'America/New_York', '2026-11-01T04:30:00Z', 3)).toEqual([
    '2026-11-01T01:00:00-04:00',
    '2026-11-01T01:00:00-05:00',
    '2026-11-01T02:00:00-05:00',
  ])
})

test('clocks that change by half an hour lose no day', () => {
  const year = firesBetween(
    { cron: '15 2 * * *', timezone: 'Australia/Lord_Howe' },
    at('2026-01-01T00:00:00Z'),
    at('2027-01-01T00:00:00Z'),
    1_000,
  )
  expect(year).toHaveLength(365)
})

test('days of month and of week are alternatives when both are given', () => {
  expect(wall('0 0 15 * 1', 'UTC', '2026-12-08T00:00:00Z', 2)).toEqual([
    '2026-12-14T00:00:00Z',
    '2026-12-15T00:00:00Z',
  ])
})

test('29 February is found eight years back, 30 February never', () => {
  const leap = { cron: '0 0 29 2 *', timezone: 'UTC' }
  expect(previousFire(leap, at('2026-01-01T00:00:00Z'))).toBe(at('2024-02-29T00:00:00Z'))
  expect(nextFire({ cron: '0 0 30 2 *', timezone: 'UTC' }, 0)).toBeNull()
})

test('the way back finds what the way forward finds, on any day of any zone', () => {
  const cron = fc.constantFrom(
    '30 2 * * *',
    '*/15 2 * * *',
    '0 * * * *',
    '0 */6 * * *',
    '0 0,2,3 * * *',
    '5 0 * * 1',
  )
  const timezone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/Havana',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
  )
  const day = fc.integer({ min: 0, max: 730 })
  fc.assert(
    fc.property(cron, timezone, day, (pattern, zone, offset) => {
      const schedule = { cron: pattern, timezone: zone }
      const first = nextFire(schedule, at('2026-01-01T00:00:00Z') + offset * 86_400_000) ?? 0
      const second = nextFire(schedule, first) ?? 0
      expect(second).toBeGreaterThan(first)
      expect(previousFire(schedule, second)).toBe(first)
    }),
    { numRuns: 200 },
  )
})
