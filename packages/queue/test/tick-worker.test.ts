import { expect, test } from 'vitest'
import { openQueue } from '../src/open-queue.ts'
import type { Producer } from '../src/producer.ts'
import { tickQueue } from '../src/queue-names.ts'
import { applySchedule } from '../src/schedule-apply.ts'
import { pauseHunt, triggerHunt } from '../src/schedule-control.ts'
import { slotHistory } from '../src/slot-history.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { huntOf, sourceOf } from './hunt-fixture.ts'
import { hour } from './hunt-model.ts'
import { planOf } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const idle = { overlap: 'skip', cron: '0 0 1 1 *' } as const

const history = (producer: Producer, name: string) => slotHistory(producer.fleet, name, 1_000)

given('schedules the hunts of its project file and runs every slot once', async () => {
  const producer = await fixture.producer()
  const hunts = sourceOf([huntOf('dns')])
  const options = { redis: producer.settings, run: planOf([]), hunts }
  await Promise.all([fixture.worker(options), fixture.worker(options), fixture.worker(options)])
  await expect.poll(async () => (await history(producer, 'dns')).length).toBeGreaterThan(4)
  await pauseHunt(producer.fleet, 'dns', true)
  await expect
    .poll(async () => (await history(producer, 'dns')).filter(({ outcome }) => outcome === 'complete').length)
    .toBeGreaterThan(3)
  const lines = await history(producer, 'dns')
  const slots = lines.map(({ slot }) => Date.parse(slot))
  expect(slots).toEqual(slots.map((_, i) => (slots[0] ?? 0) + i * 1_000))
  const ran = lines.filter(({ status }) => status === 'ran').map(({ runId }) => runId)
  const runs = (await producer.listRuns({ limit: 1_000 })).map(({ runId }) => runId)
  expect(runs.sort()).toEqual(ran)
})

given('fails the slots of a strategy that cannot be read, and runs the other hunts', async () => {
  const producer = await fixture.producer()
  const hunts = sourceOf([huntOf('broken'), huntOf('dns')])
  await fixture.worker({ redis: producer.settings, run: planOf([]), hunts })
  await expect.poll(async () => (await history(producer, 'dns'))[0]).toMatchObject({ outcome: 'complete' })
  await expect
    .poll(async () => (await history(producer, 'broken'))[0])
    .toMatchObject({
      status: 'failed',
      reason: 'CONTRACT_INVALID: no such column',
      outcome: 'failed',
      runId: null,
    })
})

given('runs a hunt at once when somebody asks for it, once', async () => {
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    run: planOf([]),
    hunts: sourceOf([huntOf('yearly', idle)]),
  })
  const at = Date.parse('2026-11-30T12:00:00.250Z')
  expect(await triggerHunt(producer.fleet, 'yearly', at)).toBe(Date.parse('2026-11-30T12:00:00Z'))
  expect(await triggerHunt(producer.fleet, 'yearly', at)).toBeNull()
  expect(await triggerHunt(producer.fleet, 'yearly', at + 1)).toBe(Date.parse('2026-11-30T12:00:01Z'))
  await expect
    .poll(async () => (await history(producer, 'yearly')).map(({ runId, outcome }) => [runId, outcome]))
    .toEqual([
      ['yearly.20261130T120000Z', 'complete'],
      ['yearly.20261130T120001Z', 'complete'],
    ])
  expect((await history(producer, 'yearly'))[0]?.reason).toBe('triggered at 2026-11-30T12:00:00.250Z')
})

given('takes a copy of a tick that nobody scheduled for "run now"', async () => {
  const producer = await fixture.producer()
  await fixture.worker({
    redis: producer.settings,
    run: planOf([]),
    hunts: sourceOf([huntOf('yearly', idle)]),
  })
  const queue = openQueue(producer.fleet, tickQueue)
  await queue.add('yearly', { hunt: 'yearly' })
  await queue.close()
  await expect
    .poll(async () => await history(producer, 'yearly'))
    .toMatchObject([{ status: 'ran', outcome: 'complete', reason: expect.stringContaining('triggered at') }])
})

given('starts the slot that waited as soon as the run before it has ended', async () => {
  const producer = await fixture.producer()
  const hunt = huntOf('dns', { ...idle, overlap: 'queue' })
  const open = Promise.withResolvers<void>()
  const plan = planOf([])
  const run = {
    ...plan,
    plan: async (...args: Parameters<typeof plan.plan>) => {
      await open.promise
      return plan.plan(...args)
    },
  }
  await fixture.worker({ redis: producer.settings, run, hunts: sourceOf([hunt]) })
  await triggerHunt(producer.fleet, 'dns', Date.now())
  await applySchedule(producer.fleet, [huntOf('dns', { overlap: 'queue' })])
  await expect
    .poll(async () => (await history(producer, 'dns')).map(({ status }) => status))
    .toContain('waiting')
  await pauseHunt(producer.fleet, 'dns', true)
  await pauseHunt(producer.fleet, 'dns', false)
  open.resolve()
  await expect
    .poll(async () => (await history(producer, 'dns')).filter(({ outcome }) => outcome === 'complete').length)
    .toBeGreaterThan(1)
})

given('fails the slots of a hunt that no worker has in its project file', { timeout: 60_000 }, async () => {
  const producer = await fixture.producer()
  await applySchedule(producer.fleet, [huntOf('orphan', { cron: '*/2 * * * * *' })])
  await fixture.worker({
    redis: producer.settings,
    run: planOf([]),
    hunts: sourceOf([huntOf('yearly', idle)]),
  })
  await expect
    .poll(async () => (await history(producer, 'orphan'))[0])
    .toMatchObject({
      status: 'failed',
      reason: 'no worker took it: none has a hunt orphan in its huntfleet.yaml',
    })
})

given('schedules its hunts again after Redis lost its data, and goes on with their slots', async () => {
  const producer = await fixture.producer()
  const hunts = sourceOf([
    huntOf('dns'),
    huntOf('daily', { cron: '0 0 * * *', window: { kind: 'since_last_complete', maxMs: 48 * hour } }),
  ])
  await fixture.worker({ redis: producer.settings, run: planOf([]), hunts })
  await expect.poll(async () => (await history(producer, 'dns')).length).toBeGreaterThan(6)
  const before = (await history(producer, 'dns')).at(-1)?.slot ?? ''
  const { redis, keys } = producer.fleet
  for (const key of await redis.keys(`${keys.prefix}:*`)) await redis.del(key)
  await expect.poll(async () => (await history(producer, 'dns')).length).toBeGreaterThan(2)
  const first = (await history(producer, 'dns'))[0]?.slot ?? ''
  expect(Date.parse(first) - Date.parse(before)).toBeLessThanOrEqual(6_000)
  const queue = openQueue(producer.fleet, tickQueue)
  expect((await queue.getJobSchedulers()).map(({ key }) => key).sort()).toEqual(['daily', 'dns'])
  await queue.close()
})
