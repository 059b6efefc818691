import { applySchedule, triggerHunt } from '@huntfleet/queue'
import { expect, test } from 'vitest'
import { dashboardFixture } from './dashboard-fixture.ts'

const fixture = await dashboardFixture()
const given = test.skipIf(fixture.skip)

given('tells the hunts and what became of their slots', async () => {
  const { producer, settings } = await fixture.fleet()
  const { url } = await fixture.dashboard({ redis: settings })
  const schedule = {
    cron: '0 0 1 1 *',
    timezone: 'UTC',
    window: { kind: 'none' },
    lagMs: 0,
    overlap: 'skip',
    catchUp: 'last',
    jitterMs: 0,
    enabled: true,
  } as const
  const hunt = {
    name: 'dns',
    strategy: 'dns',
    params: {},
    require: 'any',
    notify: null,
    digest: 'd',
    schedule,
  } as const
  await applySchedule(producer.fleet, [hunt])
  await triggerHunt(producer.fleet, 'dns', Date.parse('2026-11-30T12:00:00Z'))
  const answer = async (path: string) => (await fetch(`${url}${path}`)).json()
  const slot = {
    slot: '2026-11-30T12:00:00.000Z',
    status: 'ran',
    run_id: 'dns.20261130T120000Z',
    outcome: null,
  }
  expect(await answer('/api/hunts')).toMatchObject({
    hunts: [{ hunt: 'dns', cron: '0 0 1 1 *', paused: false, last: slot }],
  })
  expect(await answer('/api/hunts/dns/slots')).toMatchObject({ slots: [slot] })
  expect(await answer('/api/hunts/dsn/slots')).toEqual({
    error: expect.stringContaining('did you mean "dns"?'),
  })
  expect((await fetch(`${url}/api/hunts/dns/slots?limit=x`)).status).toBe(400)
})
