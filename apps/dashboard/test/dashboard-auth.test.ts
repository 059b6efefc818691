import { expect, test } from 'vitest'
import { type DashboardAuth, isAuthorized } from '../src/dashboard-auth.ts'

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
const users: DashboardAuth = {
  type: 'basic',
  users: { ann: { password: 'pass:word' }, bob: { password: '' } },
}
const token: DashboardAuth = { type: 'bearer', token: 't0ken' }

test.each<[string | undefined, DashboardAuth, boolean]>([
  [undefined, { type: 'none' }, true],
  [basic('ann:pass:word'), users, true],
  [basic('ann:pass'), users, false],
  [basic('eve:pass:word'), users, false],
  [basic('eve:'), users, false],
  [basic('bob:'), users, false],
  [basic('__proto__:'), users, false],
  [basic('ann'), users, false],
  ['Basic', users, false],
  ['Bearer t0ken', users, false],
  [undefined, users, false],
  ['Bearer t0ken', token, true],
  ['bearer t0ken', token, true],
  ['Bearer t0ke', token, false],
  ['Bearer ', token, false],
  [basic('t0ken'), token, false],
  ['Bearer ', { type: 'bearer', token: '' }, false],
])('judges %j against %j: %j', (header, auth, verdict) => {
  expect(isAuthorized(header, auth)).toBe(verdict)
})
