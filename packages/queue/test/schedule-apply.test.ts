import { slotRunId } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { readHunt } from '../src/hunt-store.ts'
import { openQueue } from '../src/open-queue.ts'
import type { Producer } from '../src/producer.ts'
import { tickQueue } from '../src/queue-names.ts'
import { applySchedule } from '../src/schedule-apply.ts'
import { listSchedule, pauseHunt, triggerHunt } from '../src/schedule-control.ts'
import { slotHistory } from '../src/slot-history.ts'
import { fleetFixture } from './fleet-fixture.ts'
import { huntOf, sourceOf } from './hunt-fixture.ts'
import { planOf } from './worker-fakes.ts'

const fixture = await fleetFixture()
const given = test.skipIf(fixture.skip)
const yearly = { cron: '0 0 1 1 *' }

async function schedulers({ fleet }: Producer) {
  const queue = openQueue(fleet, tickQueue)
  try {
    return (await queue.getJobSchedulers()).map(({ key, pattern, tz, next }) => ({ key, pattern, tz, next }))
  } finally {
    await queue.close()
  }
}

const cursorOf = async ({ fleet }: Producer, name: string) => (await readHunt(fleet, name)).state?.cursor ?? 0
const linesOf = async ({ fleet }: Producer, name: string) => slotHistory(fleet, name, 1_000)

describe('apply', () => {
  given('adds, changes, removes, and leaves alone what is as it should be', async () => {
    const producer = await fixture.producer()
    const { fleet } = producer
    const first = [huntOf('a', yearly), huntOf('b', yearly), huntOf('c', { ...yearly, enabled: false })]
    expect(await applySchedule(fleet, first)).toEqual({
      added: ['a', 'b', 'c'],
      changed: [],
      removed: [],
      unchanged: [],
    })
    expect((await schedulers(producer)).map(({ key }) => key).sort()).toEqual(['a', 'b'])
    const second = [huntOf('a', yearly), huntOf('c', yearly)]
    const changes = {
      added: [],
      changed: [{ hunt: 'c', fields: ['enabled'] }],
      removed: ['b'],
      unchanged: ['a'],
    }
    expect(await applySchedule(fleet, second, { dryRun: true })).toEqual(changes)
    expect((await schedulers(producer)).map(({ key }) => key).sort()).toEqual(['a', 'b'])
    expect(await applySchedule(fleet, second)).toEqual(changes)
    expect((await schedulers(producer)).map(({ key }) => key).sort()).toEqual(['a', 'c'])
  })

  given('keeps an overdue tick: the same again writes nothing', async () => {
    const producer = await fixture.producer()
    const hunt = huntOf('dns')
    await applySchedule(producer.fleet, [hunt])
    const [before] = await schedulers(producer)
    await expect.poll(() => Date.now()).toBeGreaterThan((before?.next ?? 0) + 1_000)
    await applySchedule(producer.fleet, [hunt])
    expect(await schedulers(producer)).toEqual([before])
  })

  given('mends a scheduler that somebody has removed or edited', async () => {
    const producer = await fixture.producer()
    const hunt = huntOf('dns', yearly)
    await applySchedule(producer.fleet, [hunt])
    const queue = openQueue(producer.fleet, tickQueue)
    await queue.upsertJobScheduler('dns', { pattern: '0 0 2 1 *', tz: 'UTC' }, { name: 'dns', data: {} })
    await applySchedule(producer.fleet, [hunt])
    expect(await schedulers(producer)).toMatchObject([{ pattern: '0 0 1 1 *', tz: 'UTC' }])
    await queue.obliterate({ force: true })
    await queue.close()
    await applySchedule(producer.fleet, [hunt])
    expect(await schedulers(producer)).toMatchObject([{ key: 'dns' }])
  })

  given('records what was due before a pattern changes; the new one counts from then on', async () => {
    const producer = await fixture.producer()
    await applySchedule(producer.fleet, [huntOf('dns')])
    const enabledAt = await cursorOf(producer, 'dns')
    await expect.poll(() => Date.now()).toBeGreaterThan(enabledAt + 3_000)
    await applySchedule(producer.fleet, [huntOf('dns', yearly)])
    const lines = await linesOf(producer, 'dns')
    expect(lines.length).toBeGreaterThanOrEqual(3)
    expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 'ran'))
    // Nobody has started them yet; a worker does.
    await fixture.worker({
      redis: producer.settings,
      run: planOf([]),
      hunts: sourceOf([huntOf('dns', yearly)]),
    })
    await expect
      .poll(async () => (await linesOf(producer, 'dns')).map(({ outcome }) => outcome))
      .toEqual(lines.map(() => 'complete'))
  })

  given('starts over when a hunt is enabled again, and records nothing for the time between', async () => {
    const producer = await fixture.producer()
    await applySchedule(producer.fleet, [huntOf('dns', { enabled: false })])
    const before = await cursorOf(producer, 'dns')
    await expect.poll(() => Date.now()).toBeGreaterThan(before + 2_000)
    await applySchedule(producer.fleet, [huntOf('dns')])
    expect(await cursorOf(producer, 'dns')).toBeGreaterThanOrEqual(before + 2_000)
    expect(await linesOf(producer, 'dns')).toEqual([])
  })

  given('with twenty at once schedules every hunt once', async () => {
    const producer = await fixture.producer()
    const hunts = [huntOf('a', yearly), huntOf('b', yearly)]
    await Promise.all(Array.from({ length: 20 }, () => applySchedule(producer.fleet, hunts)))
    expect((await schedulers(producer)).map(({ key }) => key).sort()).toEqual(['a', 'b'])
    expect((await listSchedule(producer.fleet)).map(({ name }) => name)).toEqual(['a', 'b'])
  })
})

given('a worker at its start adds and changes hunts, and removes none', async () => {
  const producer = await fixture.producer()
  await applySchedule(producer.fleet, [huntOf('a', yearly), huntOf('other', yearly)])
  const hunts = sourceOf([huntOf('a', { cron: '0 0 2 1 *' }), huntOf('new', yearly)])
  await fixture.worker({ redis: producer.settings, run: planOf([]), hunts })
  expect((await listSchedule(producer.fleet)).map(({ name, state }) => [name, state.schedule.cron])).toEqual([
    ['a', '0 0 2 1 *'],
    ['new', '0 0 1 1 *'],
    ['other', '0 0 1 1 *'],
  ])
})

given('the names of hunts that are not scheduled are refused with a guess', async () => {
  const { fleet } = await fixture.producer()
  await applySchedule(fleet, [huntOf('dns-hourly', yearly)])
  const refused = { code: 'HUNT_NOT_FOUND', message: expect.stringContaining('did you mean "dns-hourly"?') }
  await expect(pauseHunt(fleet, 'dns-hurly', true)).rejects.toMatchObject(refused)
  await expect(triggerHunt(fleet, 'dns-hurly', 0)).rejects.toMatchObject(refused)
})

given('a slot that the ledger lacks is shown as unaccounted', async () => {
  const { fleet } = await fixture.producer()
  await applySchedule(fleet, [huntOf('dns')])
  const enabledAt = (await readHunt(fleet, 'dns')).state?.cursor ?? 0
  await expect.poll(() => Date.now()).toBeGreaterThan(enabledAt + 3_000)
  await pauseHunt(fleet, 'dns', true)
  const [first, second, third] = await slotHistory(fleet, 'dns', 3)
  await fleet.redis.zrem(fleet.keys.slotOrder('dns'), second?.slot ?? '')
  expect(await slotHistory(fleet, 'dns', 3)).toMatchObject([
    { slot: first?.slot, runId: slotRunId('dns', new Date(first?.slot ?? 0)) },
    { slot: second?.slot, status: 'unaccounted', runId: null },
    { slot: third?.slot, status: 'ran' },
  ])
})
