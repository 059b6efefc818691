import { expect, test } from 'vitest'
import { isLostData, watchData } from '../src/data-name.ts'
import { silentLog } from '../src/queue-log.ts'
import { fleetFixture } from './fleet-fixture.ts'

const fixture = await fleetFixture({ own: true })
const given = test.skipIf(fixture.skip)

given('knows all data that was lost, also when what remembered it is lost in turn', async () => {
  const { fleet } = await fixture.producer()
  const watch = await watchData(fleet, silentLog)
  const names: string[] = []
  for (let times = 0; times < 3; times++) {
    names.push(watch.name)
    await fleet.redis.flushall()
    await watch.check()
  }
  expect(await Promise.all(names.map((name) => isLostData(fleet, name)))).toEqual([true, true, true])
  expect(await isLostData(fleet, watch.name)).toBe(false)
})
