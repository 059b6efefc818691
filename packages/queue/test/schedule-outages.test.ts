import { expect, test } from 'vitest'
import { dataEpoch, noteLook, readOutages } from '../src/schedule-outages.ts'
import { fleetFixture } from './fleet-fixture.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

given('a time without looks is an outage, a short one is none', async () => {
  const { fleet } = await fixture.producer()
  const first = await noteLook(fleet)
  await noteLook(fleet)
  expect((await readOutages(fleet))(first)).toBe(false)
  await fleet.redis.set(fleet.keys.scheduleSeen, String(first - 60_000))
  const now = await noteLook(fleet)
  const queueDown = await readOutages(fleet)
  expect([first - 60_001, first - 60_000, first - 30_000, now, now + 1].map(queueDown)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ])
})

given('a Redis that lost its data has another epoch, one that did not has the same', async () => {
  const { fleet } = await fixture.producer()
  const epoch = await dataEpoch(fleet)
  expect(await dataEpoch(fleet)).toBe(epoch)
  await fleet.redis.del(fleet.keys.scheduleEpoch)
  expect(await dataEpoch(fleet)).not.toBe(epoch)
})
