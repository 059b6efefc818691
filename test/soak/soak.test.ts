import { expect, it } from 'vitest'
import { faultySources } from './faulty-servers.ts'
import { soak } from './soak.ts'

it('leaves nothing behind after 120 fetches from ten faulty servers', { timeout: 120_000 }, async () => {
  // What is loaded lazily stays, and is not a leak.
  await soak({ fetches: Object.keys(faultySources).length })
  const { before, after, signalListeners, surprises, warnings } = await soak({ fetches: 120 })
  expect(surprises).toEqual([])
  expect(warnings).toEqual([])
  expect(signalListeners).toBe(0)
  expect(after.childProcesses).toBeLessThanOrEqual(before.childProcesses)
  expect(after.sockets).toBeLessThanOrEqual(before.sockets)
  expect(after.timers).toBeLessThanOrEqual(before.timers)
  // One is the soak's own, taken off after the count.
  expect(after.listeners).toBeLessThanOrEqual(before.listeners + 1)
})
