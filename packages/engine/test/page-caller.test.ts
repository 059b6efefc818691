import { type ErrorCode, type FetchSpec, RunError, type TableSpec } from '@huntfleet/contract'
import { describe, expect, test } from 'vitest'
import { Budget } from '../src/budget.ts'
import { pageCaller } from '../src/page-caller.ts'
import type { TablePorts } from '../src/table-ports.ts'
import { type Answer, jsonResult, readTool, ScriptedSessions } from './scripted-sessions.ts'
import { budgetSpec, fetchSpec } from './spec-fixture.ts'
import { errorOf, secretValue, tablePorts } from './table-run.ts'

interface Options {
  fetch?: Partial<FetchSpec>
  budget?: Partial<TableSpec['budget']>
  ports?: Partial<TablePorts>
}

function callerOf(sessions: ScriptedSessions, { fetch, budget: limits, ports: more }: Options = {}) {
  const ports = tablePorts(sessions, more)
  const budget = new Budget(budgetSpec(limits), ports.clock)
  const doing: string[] = []
  const caller = pageCaller(fetchSpec(fetch), ports, budget, (what) => doing.push(what))
  return { caller, budget, ports, doing, ask: () => caller.call('search', {}, () => 'read') }
}

const fine = jsonResult({ rows: [] })

/** Fails so many times with this code, then answers. */
function failingTimes(
  times: number,
  code: ErrorCode,
  more: { retryAfterMs?: number; message?: string } = {},
) {
  const { message = 'unwell', ...context } = more
  const answer: Answer = ({ number }) => {
    if (number <= times) throw new RunError(code, message, context)
    return fine
  }
  return new ScriptedSessions(answer)
}

describe('pageCaller', () => {
  test.each<ErrorCode>(['SHUTDOWN', 'LOCK_LOST'])(
    'does not wait for a server that does not end when the table is handed back (%s)',
    async (code) => {
      const stop = new AbortController()
      const sessions = failingTimes(0, 'SOURCE_ERROR')
      const lease: TablePorts['sessions']['lease'] = async (...of) => ({
        ...(await sessions.lease(...of)),
        release: () => new Promise(() => {}),
      })
      const { caller } = callerOf(sessions, { ports: { sessions: { lease }, signal: stop.signal } })
      const asked = caller.call('search', {}, () => {
        stop.abort(new RunError(code, 'the worker ends'))
        throw new RunError('SOURCE_TIMEOUT', 'no answer')
      })
      expect((await errorOf(asked)).code).toBe(code)
      await caller.close()
    },
  )

  test('tries a transient failure again with growing waits, and counts', async () => {
    const { ask, budget, ports, doing } = callerOf(failingTimes(3, 'SOURCE_ERROR'))
    expect(await ask()).toBe('read')
    expect(ports.clock.slept).toEqual([1_000, 2_000, 4_000])
    expect(budget).toMatchObject({ calls: 4, retries: 3 })
    expect(doing[0]).toBe('waiting 1 s after: unwell')
  })

  test('gives up after the attempts that retry allows', async () => {
    const { ask, budget } = callerOf(failingTimes(9, 'SOURCE_ERROR'))
    expect(await errorOf(ask())).toMatchObject({
      code: 'SOURCE_ERROR',
      context: { attempt: 4, server: 'siem' },
    })
    expect(budget.calls).toBe(4)
  })

  test.each<ErrorCode>(['TOOL_FAILED', 'SOURCE_DENIED', 'PARSE_FAILED', 'TOOL_UNKNOWN'])(
    'does not try %s again',
    async (code) => {
      const { ask, budget } = callerOf(failingTimes(1, code))
      expect((await errorOf(ask())).code).toBe(code)
      expect(budget).toMatchObject({ calls: 1, retries: 0 })
    },
  )

  test('judges what reading the answer throws like a failed call', async () => {
    const { caller, budget } = callerOf(new ScriptedSessions(() => fine))
    let reads = 0
    const read = () => {
      reads += 1
      if (reads < 3) throw new RunError('SOURCE_RATE_LIMITED', 'slow down')
      return reads
    }
    expect(await caller.call('search', {}, read)).toBe(3)
    expect(budget.retries).toBe(2)
  })

  test('honours Retry-After and keeps everyone else away from the server', async () => {
    const { ask, ports } = callerOf(failingTimes(1, 'SOURCE_RATE_LIMITED', { retryAfterMs: 20_000 }))
    await ask()
    expect(ports.clock.slept).toEqual([20_000])
    expect(ports.pauses).toEqual([20_000])
  })

  test('waits no longer than the budget lasts, and does not call again then', async () => {
    const sessions = failingTimes(9, 'SOURCE_RATE_LIMITED', { retryAfterMs: 3_600_000 })
    const { ask, ports } = callerOf(sessions, { budget: { timeMs: 10_000 } })
    expect((await errorOf(ask())).code).toBe('BUDGET_SPENT')
    expect(ports.clock.slept).toEqual([10_000])
    expect(sessions.calls).toHaveLength(1)
  })

  test('calls nothing once the budget is spent', async () => {
    const sessions = new ScriptedSessions(() => fine)
    const { ask, ports } = callerOf(sessions, { budget: { timeMs: 5_000 } })
    await ports.clock.advance(5_000)
    expect((await errorOf(ask())).code).toBe('BUDGET_SPENT')
    expect([sessions.leases, sessions.calls.length]).toEqual([0, 0])
  })

  test('ends a call that outlives the budget', async () => {
    const sessions = new ScriptedSessions(async () => {
      await ports.clock.advance(60_000)
      return fine
    })
    const { ask, ports } = callerOf(sessions, { budget: { timeMs: 5_000 } })
    expect((await errorOf(ask())).code).toBe('BUDGET_SPENT')
    expect(ports.clock.pending).toBe(0)
  })

  test('gives each call the smaller of its timeout and what the budget has left', async () => {
    const sessions = failingTimes(1, 'SOURCE_ERROR')
    const { ask } = callerOf(sessions, { fetch: { timeoutMs: 9_500 }, budget: { timeMs: 10_000 } })
    await ask()
    expect(sessions.calls.map((call) => call.timeoutMs)).toEqual([9_500, 9_000])
  })

  test('makes no further attempt once max_calls is reached', async () => {
    const { ask, budget } = callerOf(failingTimes(9, 'SOURCE_ERROR'), { budget: { maxCalls: 2 } })
    expect((await errorOf(ask())).code).toBe('SOURCE_ERROR')
    expect(budget.calls).toBe(2)
  })

  test.each<[string, ErrorCode, number, boolean[]]>([
    ['keeps a session whose server answered in order', 'SOURCE_ERROR', 1, [true]],
    ['opens a new session when the old one broke', 'SESSION_LOST', 2, [false, true]],
    ['opens a new one after a crash', 'SERVER_EXITED', 2, [false, true]],
    ['tries the same session again after a timeout, and does not give it back', 'SOURCE_TIMEOUT', 1, [false]],
  ])('%s', async (_, code, leases, released) => {
    const sessions = failingTimes(1, code)
    const { ask, caller } = callerOf(sessions)
    await ask()
    await caller.close()
    expect(sessions.leases).toBe(leases)
    expect(sessions.released).toEqual(released)
  })

  test('opens a new session after the second timeout', async () => {
    const sessions = failingTimes(2, 'SOURCE_TIMEOUT')
    const { ask, caller } = callerOf(sessions)
    await ask()
    await caller.close()
    expect(sessions.released).toEqual([false, true])
  })

  test('does not wait before the first retry of a lost session', async () => {
    const { ask, ports } = callerOf(failingTimes(1, 'SESSION_LOST'), {
      fetch: { retry: { attempts: 1, baseMs: 1, maxMs: 1 } },
    })
    await ask()
    expect(ports.clock.slept).toEqual([0])
  })

  test('tries to reach a server again that could not be reached', async () => {
    const sessions = new ScriptedSessions(() => fine)
    let refusals = 2
    sessions.beforeLease = () => {
      if (refusals-- > 0) throw new RunError('SOURCE_UNREACHABLE', 'connection refused')
    }
    const { ask, budget, caller } = callerOf(sessions)
    expect(await ask()).toBe('read')
    expect(budget).toMatchObject({ calls: 1, retries: 2 })
    expect(caller.server).toEqual({ name: 'scripted', version: '1.0' })
  })

  test('stops waiting as soon as it is cancelled', async () => {
    const controller = new AbortController()
    const sessions = new ScriptedSessions(() => {
      controller.abort(new RunError('CANCELLED', 'enough'))
      throw new RunError('SOURCE_ERROR', 'unwell')
    })
    const { ask, ports } = callerOf(sessions, { ports: { signal: controller.signal } })
    expect((await errorOf(ask())).code).toBe('CANCELLED')
    expect(ports.clock.slept).toEqual([])
    expect(sessions.released).toEqual([false])
  })

  test('shows no secret while it waits', async () => {
    const { ask, doing } = callerOf(failingTimes(1, 'SOURCE_ERROR', { message: `bad ${secretValue}` }))
    await ask()
    expect(doing).toEqual(['waiting 1 s after: bad ***'])
  })

  describe('prepare', () => {
    const tools = [
      readTool('search'),
      readTool('wipe', {}, { readOnly: false }),
      readTool('mute', {}, { readOnly: null }),
    ]
    const policy = { allowWrites: ['wipe'], allowOnly: null, deny: [] }
    const sessions = () => new ScriptedSessions(() => fine, tools)

    test('gives the tool as the server lists it, asked once', async () => {
      const { caller } = callerOf(sessions())
      expect(await caller.prepare('search')).toBe(tools[0])
      expect(await caller.prepare('search')).toBe(tools[0])
      expect(caller.notes).toEqual([])
    })

    test('refuses a tool that writes, unless the server’s own configuration allows it', async () => {
      expect((await errorOf(callerOf(sessions()).caller.prepare('wipe'))).code).toBe('TOOL_REFUSED')
      const allowed = callerOf(sessions(), { ports: { policy: () => policy } })
      expect(await allowed.caller.prepare('wipe')).toBe(tools[1])
    })

    test('refuses what the policy denies before any connection', async () => {
      const source = sessions()
      const denying = { ...policy, deny: ['search'] }
      const { caller } = callerOf(source, { ports: { policy: () => denying } })
      expect((await errorOf(caller.prepare('search'))).code).toBe('TOOL_REFUSED')
      expect(source.leases).toBe(0)
    })

    test('notes a tool that does not say whether it only reads', async () => {
      const { caller } = callerOf(sessions())
      await caller.prepare('mute')
      expect(caller.notes).toEqual(['the server does not say whether mute only reads'])
    })

    test('knows nothing of the tools of a server that lists none', async () => {
      const { caller } = callerOf(new ScriptedSessions(() => fine, []))
      expect(await caller.prepare('search')).toBeUndefined()
    })
  })
})
