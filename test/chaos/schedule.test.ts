import { expect, test } from 'vitest'
import { type ScheduledEvent, schedule } from './schedule.ts'

const options = { workers: 4, meanGapMs: 1_000, lockMs: 3_000, storageFaults: true }
function first(count: number, seed: number, more: object = {}): ScheduledEvent[] {
  const events = schedule({ ...options, ...more, seed })
  return Array.from({ length: count }, () => events.next().value)
}

test('gives the same events for the same seed, and others for another', () => {
  expect(first(200, 7)).toEqual(first(200, 7))
  expect(first(20, 7)).not.toEqual(first(20, 8))
})

test('has every kind of event, every worker, and the gap that was asked for on average', () => {
  const events = first(2_000, 1)
  expect(new Set(events.map(({ event }) => event.kind))).toEqual(
    new Set(['kill', 'term', 'freeze', 'redis-kill', 'redis-freeze', 'storage', 'source']),
  )
  const workers = events.flatMap(({ event }) => ('worker' in event ? [event.worker] : []))
  expect(new Set(workers)).toEqual(new Set([0, 1, 2, 3]))
  const mean = events.reduce((sum, { gapMs }) => sum + gapMs, 0) / events.length
  expect(Math.abs(mean - options.meanGapMs)).toBeLessThan(50)
})

test('freezes workers and Redis for longer than a lock lives, and for shorter', () => {
  const longer = (kind: string): Set<boolean> =>
    new Set(
      first(2_000, 1).flatMap(({ event }) =>
        event.kind === kind && 'ms' in event ? [event.ms > options.lockMs] : [],
      ),
    )
  expect(longer('freeze')).toEqual(new Set([true, false]))
  expect(longer('redis-freeze')).toEqual(new Set([true, false]))
})

test('leaves storage alone that has no proxy', () => {
  const kinds = first(500, 1, { storageFaults: false }).map(({ event }) => event.kind)
  expect(kinds).not.toContain('storage')
})
