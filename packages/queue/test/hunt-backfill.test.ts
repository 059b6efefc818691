import { describe, expect, test } from 'vitest'
import { backfillSlots, claimBackfillSlot, settleBackfillSlot } from '../src/hunt-backfill.ts'
import { applySchedule } from '../src/schedule-apply.ts'
import { triggerHunt } from '../src/schedule-control.ts'
import { slotHistory } from '../src/slot-history.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { huntOf } from './hunt-fixture.ts'
import { hour, minute, scheduleOf, start } from './hunt-model.ts'
import { runJob } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)

describe('the slots of a backfill', () => {
  test('are those whose windows lie in the range, whatever the lag', () => {
    const schedule = scheduleOf({ window: { kind: 'duration', ms: hour }, lagMs: 10 * minute })
    const slots = backfillSlots(schedule, start - 10 * minute, start + 3 * hour - 10 * minute, null)
    expect(slots.map(({ window }) => window)).toEqual(
      [0, 1, 2].map((i) => ({
        start: start - 10 * minute + i * hour,
        end: start - 10 * minute + (i + 1) * hour,
      })),
    )
  })

  test('are every step, with windows that adjoin', () => {
    expect(backfillSlots(scheduleOf(), start, start + 100 * minute, 30 * minute)).toEqual(
      [1, 2, 3].map((i) => ({
        slot: start + i * 30 * minute,
        window: { start: start + (i - 1) * 30 * minute, end: start + i * 30 * minute },
      })),
    )
  })

  test('are not more than anybody can mean', () => {
    expect(() => backfillSlots(scheduleOf(), 0, start, null)).toThrow('more than 10000 slots')
    expect(() => backfillSlots(scheduleOf(), 0, start, 1_000)).toThrow('more than 10000 slots')
  })
})

given('a slot is taken once, also by an interrupted backfill whose run never came', async () => {
  const producer = await fixture.producer()
  const { fleet } = producer
  await applySchedule(fleet, [huntOf('dns', { cron: '0 0 1 1 *' })])
  const slot = { slot: start, window: { start: start - hour, end: start } }
  const claimed = { is: 'claimed', runId: 'dns.20261130T120000Z' }
  expect(await claimBackfillSlot(fleet, 'dns', slot)).toEqual(claimed)
  expect(await claimBackfillSlot(fleet, 'dns', slot)).toEqual(claimed)
  await producer.enqueueRun(runJob('dns.20261130T120000Z', { hunt: 'dns' }), { priority: 100 })
  expect(await claimBackfillSlot(fleet, 'dns', slot)).toMatchObject({
    is: 'taken',
    entry: { reason: 'backfill' },
  })
  await producer.cancelRun('dns.20261130T120000Z')
  await settleBackfillSlot(fleet, 'dns', slot, 'dns.20261130T120000Z')
  expect(await slotHistory(fleet, 'dns', 10)).toMatchObject([
    { slot: '2026-11-30T12:00:00.000Z', status: 'ran', reason: 'backfill', outcome: 'cancelled' },
  ])
})

given('a slot of the schedule is left to the schedule', async () => {
  const { fleet } = await fixture.producer()
  await applySchedule(fleet, [huntOf('dns', { cron: '0 0 1 1 *' })])
  const slot = await triggerHunt(fleet, 'dns', start)
  const window = { start: null, end: null }
  expect(await claimBackfillSlot(fleet, 'dns', { slot: slot ?? 0, window })).toMatchObject({ is: 'taken' })
})
