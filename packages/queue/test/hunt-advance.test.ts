import { expect, test } from 'vitest'
import { advanceHunt } from '../src/hunt-advance.ts'
import { readHunt } from '../src/hunt-store.ts'
import { openQueue } from '../src/open-queue.ts'
import type { Producer } from '../src/producer.ts'
import { silentLog } from '../src/queue-log.ts'
import { runQueue } from '../src/queue-names.ts'
import { applySchedule } from '../src/schedule-apply.ts'
import type { SlotEntry } from '../src/slot-entry.ts'
import { slotHistory } from '../src/slot-history.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { huntOf, sourceOf } from './hunt-fixture.ts'

/** Hunts without a worker: what is due is recorded and its runs are queued, and nobody takes them. */
const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

type Schedule = Parameters<typeof huntOf>[1]

/** A hunt that is scheduled and has at least so many slots due. */
async function dueHunt(producer: Producer, schedule: Schedule, slots: number) {
  const hunt = huntOf('dns', schedule)
  const settled: SlotEntry[] = []
  const environment = {
    fleet: producer.fleet,
    signingKey: null,
    log: silentLog,
    source: sourceOf([hunt], settled),
  }
  await applySchedule(producer.fleet, [hunt])
  const enabledAt = (await readHunt(producer.fleet, 'dns')).state?.enabledAt ?? 0
  await expect.poll(() => Date.now()).toBeGreaterThan(enabledAt + slots * 1_000)
  return { hunt, settled, advance: () => advanceHunt(environment, hunt) }
}

given('starts a run later by the jitter of its slot, which is the same whoever starts it', async () => {
  const producer = await fixture.producer()
  const { advance } = await dueHunt(producer, { jitterMs: 3_600_000 }, 2)
  await Promise.all([advance(), advance(), advance()])
  const queue = openQueue(producer.fleet, runQueue)
  const jobs = await queue.getDelayed()
  await queue.close()
  expect(jobs.length).toBeGreaterThanOrEqual(2)
  const delays = jobs.map(({ delay }) => delay)
  expect(Math.max(...delays)).toBeLessThan(3_600_000)
  expect(new Set(delays).size).toBe(delays.length)
  expect((await slotHistory(producer.fleet, 'dns', 100)).length).toBe(jobs.length)
})

given('cancels the run before when a later slot replaces it, and says so in its line', async () => {
  const producer = await fixture.producer()
  const { advance, settled } = await dueHunt(producer, { overlap: 'replace' }, 1)
  await advance()
  const [first] = await slotHistory(producer.fleet, 'dns', 1)
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first?.slot ?? '') + 1_000)
  await advance()
  await advance()
  expect((await producer.getRun(first?.runId ?? ''))?.status).toBe('cancelled')
  expect(settled).toMatchObject([
    { slot: first?.slot, status: 'skipped', reason: 'replaced', outcome: 'cancelled' },
  ])
  const last = (await slotHistory(producer.fleet, 'dns', 1))[0]
  expect(last).toMatchObject({ status: 'ran', outcome: null })
})
