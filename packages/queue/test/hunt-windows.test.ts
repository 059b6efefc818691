import { firesBetween, type RunStatus } from '@huntfleet/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HuntModel, hour, minute, scheduleOf } from './hunt-model.ts'

/** What happens to a hunt, in any order: time passes, workers die, runs end well or badly, it is paused. */
type Happening =
  | { is: 'look'; passed: number; crash: boolean }
  | { is: 'down'; ms: number }
  | { is: 'end'; status: RunStatus; live: boolean }
  | { is: 'pause'; paused: boolean }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant('look'), passed: fc.nat(3 * hour), crash: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('down'), ms: fc.nat(8 * hour) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('end'),
      status: fc.constantFrom('complete', 'complete', 'partial', 'failed', 'lost', 'cancelled'),
      live: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('pause'), paused: fc.boolean() }) },
)
const schedule = fc.record({
  cron: fc.constantFrom('0 * * * *', '*/20 * * * *', '30 2 * * *', '0 */6 * * *'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
  overlap: fc.constantFrom('skip', 'queue', 'replace', 'allow'),
  catchUp: fc.constantFrom('none', 'last', 'all'),
  lagMs: fc.constantFrom(0, 10 * minute, 5 * hour),
})

function live(hunt: HuntModel, happenings: readonly Happening[]): void {
  for (const event of happenings) {
    if (event.is === 'look') hunt.look(event.passed, event.crash)
    else if (event.is === 'down') hunt.down(event.ms)
    else if (event.is === 'pause') hunt.state.paused = event.paused
    else for (const runId of [...hunt.active].slice(0, 1)) hunt.end(runId, event.status, event.live)
  }
}

/** Everything is well again: runs end complete, as often as it takes. */
function settle(hunt: HuntModel): void {
  hunt.state.paused = false
  hunt.look(24 * hour)
  for (
    let round = 0;
    round < 2_000 && (hunt.state.open.length > 0 || hunt.state.incomplete.length > 0);
    round++
  ) {
    for (const runId of hunt.active) hunt.end(runId, 'complete')
    hunt.look(minute)
  }
}

test('every fire time has exactly one line, whatever happens', () => {
  fc.assert(
    fc.property(schedule, fc.array(happening, { maxLength: 40 }), (text, happenings) => {
      const hunt = new HuntModel(scheduleOf(text))
      live(hunt, happenings)
      settle(hunt)
      const fires = firesBetween(
        hunt.state.schedule,
        hunt.state.enabledAt,
        hunt.now,
        Number.POSITIVE_INFINITY,
      )
      expect([...hunt.ledger.keys()].sort()).toEqual(fires.map((at) => new Date(at).toISOString()))
      const ids = hunt.starts.map(({ runId }) => runId)
      expect(new Set(ids).size).toBe(ids.length)
    }),
    { numRuns: 150 },
  )
})

test('windows since the last complete run never overlap, leave no gap, and all get complete', () => {
  fc.assert(
    fc.property(schedule, fc.array(happening, { maxLength: 40 }), (text, happenings) => {
      const window = { kind: 'since_last_complete', maxMs: 365 * 24 * hour } as const
      const hunt = new HuntModel(scheduleOf({ ...text, window }))
      live(hunt, happenings)
      settle(hunt)
      const lines = [...hunt.ledger.values()].sort((a, b) => a.slot.localeCompare(b.slot))
      for (const [index, line] of lines.entries()) {
        expect(line.window.start).toBe(lines[index - 1]?.window.end ?? line.window.start)
        expect(Date.parse(line.window.end ?? '')).toBe(Date.parse(line.slot) - hunt.state.schedule.lagMs)
        const ids = hunt.starts.filter(({ slot }) => slot === Date.parse(line.slot)).map(({ runId }) => runId)
        const complete = ids.filter((runId) => {
          const end = hunt.ends.get(runId)
          return end?.status === 'complete' && end.live
        })
        // A window that five runs, or three workers, could not complete is left; the line says so.
        const spent = line.runs >= 5 || line.status === 'failed'
        expect(complete).toHaveLength(spent && complete.length === 0 ? 0 : 1)
      }
    }),
    { numRuns: 150 },
  )
})

test('a backlog is fetched oldest first', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), (hours) => {
      const window = { kind: 'since_last_complete', maxMs: 48 * hour } as const
      const hunt = new HuntModel(scheduleOf({ window }))
      hunt.down(hours * hour + 5 * minute)
      hunt.look()
      settle(hunt)
      const slots = hunt.starts.map(({ slot }) => slot)
      expect(slots).toEqual([...slots].sort((a, b) => a - b))
      expect(slots.length).toBeGreaterThanOrEqual(hours)
    }),
  )
})
