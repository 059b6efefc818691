import { expect, test } from 'vitest'
import { huntsOf } from '../src/hunt.ts'
import { huntSchema } from '../src/hunt-schema.ts'

const text = { strategy: 'dns', cron: '@hourly', timezone: 'Europe/Berlin' }
const hunts = (more: object) => huntsOf({ hunts: { dns: huntSchema.parse({ ...text, ...more }) } })[0]

test('a hunt of three lines has every default', () => {
  expect(hunts({})).toMatchObject({
    name: 'dns',
    strategy: 'dns',
    params: {},
    require: 'any',
    notify: null,
    schedule: {
      cron: '0 * * * *',
      timezone: 'Europe/Berlin',
      window: { kind: 'none' },
      lagMs: 0,
      overlap: 'skip',
      catchUp: 'last',
      jitterMs: 0,
      enabled: true,
    },
  })
})

test('windows are durations, or reach back to the last complete run, a day at most by default', () => {
  expect(hunts({ window: '1h' })?.schedule.window).toEqual({ kind: 'duration', ms: 3_600_000 })
  expect(hunts({ window: 'since_last_complete' })?.schedule.window).toEqual({
    kind: 'since_last_complete',
    maxMs: 86_400_000,
  })
  expect(hunts({ window: 'since_last_complete', max_window: '3d' })?.schedule.window).toMatchObject({
    maxMs: 259_200_000,
  })
})

test('the digest changes with what is run, not with when', () => {
  expect(hunts({ cron: '@daily' })?.digest).toBe(hunts({})?.digest)
  expect(hunts({ params: { days: 7 } })?.digest).not.toBe(hunts({})?.digest)
})
