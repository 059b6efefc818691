import { describe, expect, test } from 'vitest'
import { HuntModel, hour, minute, scheduleOf } from './hunt-model.ts'

/** The hunt is enabled at 12:00 and fires every hour. */
const id = (hours: number) => `dns.20261130T${12 + hours}0000Z`

describe('a slot', () => {
  test('is run once, however often it is looked at', () => {
    const hunt = new HuntModel(scheduleOf())
    for (let look = 0; look < 5; look++) hunt.look(look === 0 ? hour : minute)
    expect(hunt.starts.map(({ runId }) => runId)).toEqual([id(1)])
    hunt.end(id(1), 'partial')
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 ran partial'])
  })

  test('is not run before its time', () => {
    const hunt = new HuntModel(scheduleOf())
    hunt.look(hour - 1)
    expect(hunt.lines()).toEqual([])
  })

  test('that a worker died over is started by the next after a while, and given up after three deaths', () => {
    const hunt = new HuntModel(scheduleOf())
    hunt.look(hour, true)
    hunt.look(minute, true)
    hunt.look(1_000)
    expect(hunt.starts).toEqual([])
    hunt.look(minute, true)
    hunt.look(minute)
    expect(hunt.starts).toEqual([])
    expect(hunt.lines()).toEqual(['13:00 failed the worker died 3 times while it prepared this slot failed'])
  })

  test('fails when no worker can start it, and the next ones are not held up', () => {
    const hunt = new HuntModel(scheduleOf())
    hunt.look(hour, false, { unstartable: 'no worker has it' })
    hunt.look(hour)
    expect(hunt.lines()).toEqual(['13:00 failed no worker has it failed', '14:00 ran'])
  })

  test('is skipped while the hunt is paused', () => {
    const hunt = new HuntModel(scheduleOf())
    hunt.state.paused = true
    hunt.look(hour)
    hunt.state.paused = false
    hunt.look(hour)
    expect(hunt.lines()).toEqual(['13:00 skipped paused', '14:00 ran'])
  })

  test('leaves no line while the hunt is not enabled', () => {
    const hunt = new HuntModel(scheduleOf({ enabled: false }))
    hunt.look(3 * hour)
    expect(hunt.lines()).toEqual([])
  })
})

describe('overlap', () => {
  const second = (overlap: 'skip' | 'queue' | 'replace' | 'allow') => {
    const hunt = new HuntModel(scheduleOf({ overlap }))
    hunt.look(hour)
    hunt.look(hour)
    return hunt
  }

  test('skip: the later slot is skipped', () => {
    expect(second('skip').lines()).toEqual(['13:00 ran', '14:00 skipped overlap'])
  })

  test('queue: it waits until the run before has ended', () => {
    const hunt = second('queue')
    expect(hunt.lines()).toEqual(['13:00 ran', '14:00 waiting'])
    hunt.end(id(1), 'complete')
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 ran complete', '14:00 ran'])
  })

  test('queue: a hunt that is always too slow does not queue up without end', () => {
    const hunt = second('queue')
    for (let more = 0; more < 150; more++) hunt.look(hour)
    expect(hunt.state.open).toHaveLength(100)
    expect(hunt.lines().at(-1)).toContain('skipped overlap')
  })

  test('replace: the run before is cancelled and its slot says so', () => {
    const hunt = second('replace')
    expect(new Set(hunt.cancelled)).toEqual(new Set([id(1)]))
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 skipped replaced cancelled', '14:00 ran'])
  })

  test('allow: both run', () => {
    expect(second('allow').active).toEqual(new Set([id(1), id(2)]))
  })
})

describe('catch_up', () => {
  /** Down from 12:00 to 15:20. */
  const after = (catchUp: 'none' | 'last' | 'all', known = true) => {
    const hunt = new HuntModel(scheduleOf({ catchUp }))
    if (known) hunt.down(3 * hour + 20 * minute)
    else hunt.now += 3 * hour + 20 * minute
    hunt.look()
    return hunt
  }

  test('none: missed slots are skipped, with the queue’s outage as the reason, or as late', () => {
    expect(after('none').lines()).toEqual([
      '13:00 skipped queue_down',
      '14:00 skipped queue_down',
      '15:00 skipped queue_down',
    ])
    expect(after('none', false).lines()).toContain('14:00 skipped late')
  })

  test('last: the newest is run', () => {
    expect(after('last').lines()).toEqual([
      '13:00 skipped queue_down',
      '14:00 skipped queue_down',
      '15:00 ran caught up',
    ])
  })

  test('all: all are run, oldest first and one after the other', () => {
    const hunt = after('all')
    expect(hunt.lines()).toEqual([
      '13:00 ran caught up',
      '14:00 waiting caught up',
      '15:00 waiting caught up',
    ])
    for (const slot of [1, 2, 3]) {
      expect(hunt.active).toEqual(new Set([id(slot)]))
      hunt.end(id(slot), 'complete')
      hunt.look()
    }
    expect(hunt.lines().every((line) => line.endsWith('ran caught up complete'))).toBe(true)
  })
})

describe('a window since the last complete run', () => {
  const windowed = (maxMs = 24 * hour) =>
    new HuntModel(scheduleOf({ window: { kind: 'since_last_complete', maxMs }, lagMs: 10 * minute }))

  test('is fetched again, as its own slot and before the next, when its run was not complete', () => {
    const hunt = windowed()
    hunt.look(hour)
    hunt.end(id(1), 'failed')
    hunt.look(hour)
    hunt.end(`${id(1)}.2`, 'complete')
    hunt.look()
    expect(hunt.starts.map(({ runId }) => runId)).toEqual([id(1), `${id(1)}.2`, id(2)])
    expect(hunt.starts[1]?.window).toEqual(hunt.starts[0]?.window)
    expect(hunt.starts[2]?.window.start).toBe(hunt.starts[1]?.window.end)
    expect(hunt.lines()).toEqual(['13:00 ran fetched again complete', '14:00 ran'])
  })

  test('shifts both ends by the lag', () => {
    const hunt = windowed()
    hunt.look(hour)
    expect(hunt.starts[0]?.window).toEqual({
      start: hunt.now - hour - 10 * minute,
      end: hunt.now - 10 * minute,
    })
  })

  test('is fetched later when its slot was skipped', () => {
    const hunt = windowed()
    hunt.look(hour)
    hunt.look(hour)
    hunt.end(id(1), 'complete')
    hunt.look(hour)
    hunt.end(id(2), 'complete')
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 ran complete', '14:00 ran fetched later complete', '15:00 ran'])
  })

  test('is left when it is older than max_window, or after five runs', () => {
    const old = windowed(2 * hour)
    old.look(hour)
    old.end(id(1), 'failed')
    old.look(4 * hour)
    expect(old.starts.map(({ slot }) => (slot - old.now) / hour)).toEqual([-4, -1])
    const hopeless = windowed()
    for (let look = 0; look < 20; look++) {
      hopeless.look(hour)
      for (const runId of hopeless.active) {
        hopeless.end(runId, runId.startsWith(id(1)) ? 'partial' : 'complete')
        hopeless.look()
      }
    }
    expect(hopeless.starts.filter(({ runId }) => runId.startsWith(id(1)))).toHaveLength(5)
  })

  test('is complete when somebody has retried its run with success', () => {
    const hunt = windowed()
    hunt.look(hour)
    hunt.end(id(1), 'partial')
    hunt.look()
    hunt.end(id(1), 'complete')
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 ran retried complete'])
    hunt.look(hour)
    expect(hunt.active).toEqual(new Set([id(2)]))
  })

  test('is not complete by replayed data', () => {
    const hunt = windowed()
    hunt.look(hour)
    hunt.end(id(1), 'complete', false)
    hunt.look()
    expect(hunt.lines()).toEqual(['13:00 ran replayed or staged by an agent complete'])
    hunt.look(hour)
    expect(hunt.active).toEqual(new Set([`${id(1)}.2`]))
  })
})
