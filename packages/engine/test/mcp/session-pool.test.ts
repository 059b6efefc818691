import { RunError } from '@huntfleet/contract'
import { FakeClock } from '@huntfleet/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/mcp/server-config.ts'
import { type PooledSession, SessionPool } from '../../src/mcp/session-pool.ts'
import { failureOf, recordingLogger, stdioConfig } from './server-fixture.ts'

const never = new AbortController().signal

class FakeSession implements PooledSession {
  readonly server = null
  alive = true
  calls = 0
  closed = false
  listTools = async () => []
  callTool = async () => Promise.reject(new Error('not in this test'))
  readResource = async () => ''
  die(): void {
    this.alive = false
  }
  answer(calls: number): void {
    this.calls = calls
  }
  async close(): Promise<void> {
    this.closed = true
    this.alive = false
  }
}

let clock: FakeClock
let opened: FakeSession[]
let config: Partial<ServerConfig>
/** Replaces opening, for the tests in which it fails or hangs. */
let opening: (signal: AbortSignal) => Promise<void>
let pool: SessionPool

beforeEach(() => {
  clock = new FakeClock(0)
  opened = []
  config = {}
  opening = async () => undefined
  pool = new SessionPool({
    clock,
    logger: recordingLogger(),
    resolve: async (server) => {
      if (server === 'none') throw new RunError('SERVER_UNKNOWN', 'no such server')
      return stdioConfig({}, { name: server, ...config })
    },
    open: async (_, { signal }) => {
      await opening(signal)
      const session = new FakeSession()
      opened.push(session)
      return session
    },
  })
})

describe('leasing', () => {
  it('uses a session again after it was given back', async () => {
    const first = await pool.lease('a', null, never)
    await first.release(true)
    const second = await pool.lease('a', null, never)
    expect(second.session).toBe(first.session)
    expect(opened).toHaveLength(1)
  })

  it('never gives one session to two, nor across servers and credentials', async () => {
    const leases = await Promise.all([
      pool.lease('a', null, never),
      pool.lease('a', null, never),
      pool.lease('a', 'key', never),
      pool.lease('b', null, never),
    ])
    expect(new Set(leases.map(({ session }) => session)).size).toBe(4)
  })

  it('closes what is not given back as reusable', async () => {
    const lease = await pool.lease('a', null, never)
    await lease.release(false)
    expect(opened[0]?.closed).toBe(true)
    expect((await pool.lease('a', null, never)).session).toBe(opened[1])
  })

  it('frees a slot once only, however often a lease is released', async () => {
    config = { maxClients: 1 }
    const lease = await pool.lease('a', null, never)
    await lease.release(true)
    await lease.release(false)
    expect(opened[0]?.closed).toBe(false)
    await pool.lease('a', null, never)
    const waiting = pool.lease('a', null, AbortSignal.timeout(5))
    expect((await failureOf(waiting)).code).toBe('CANCELLED')
  })

  it.each<[string, Partial<ServerConfig>, (session: FakeSession) => Promise<void> | void]>([
    ['that has died', {}, (session) => session.die()],
    ['that has answered enough calls', { maxCalls: 5 }, (session) => session.answer(5)],
    ['that is too old', { maxAgeMs: 1000 }, () => clock.advance(1000)],
    ['that belongs to one job', { isolation: 'job' }, () => undefined],
  ])('does not use a session again %s', async (_, more, age) => {
    config = more
    const lease = await pool.lease('a', null, never)
    const [session] = opened
    if (session) await age(session)
    await lease.release(true)
    expect(session?.closed).toBe(true)
    expect((await pool.lease('a', null, never)).session).toBe(opened[1])
  })

  it('closes a session that died while nobody had it', async () => {
    await (await pool.lease('a', null, never)).release(true)
    const [session] = opened
    session?.die()
    expect((await pool.lease('a', null, never)).session).toBe(opened[1])
    expect(session?.closed).toBe(true)
  })

  it('closes a session that nobody used for its idle time', async () => {
    config = { idleMs: 1000 }
    await (await pool.lease('a', null, never)).release(true)
    await clock.advance(999)
    expect(opened[0]?.closed).toBe(false)
    await clock.advance(1)
    expect(opened[0]?.closed).toBe(true)
    expect(clock.pending).toBe(0)
    expect((await pool.lease('a', null, never)).session).toBe(opened[1])
  })
})

describe('waiting for a session', () => {
  it('serves those who wait in their order, and never opens more than allowed', async () => {
    config = { maxClients: 2 }
    const held = [await pool.lease('a', null, never), await pool.lease('a', null, never)]
    const served: number[] = []
    const waiting = [0, 1, 2].map((n) =>
      pool.lease('a', null, never).then(async (lease) => {
        served.push(n)
        await lease.release(n !== 0)
      }),
    )
    await held[0]?.release(false)
    await Promise.all(waiting)
    await held[1]?.release(true)
    expect(served).toEqual([0, 1, 2])
    expect(opened.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(2)
  })

  it('ends with the reason of the signal, and the next one moves up', async () => {
    config = { maxClients: 1 }
    const held = await pool.lease('a', null, never)
    const controller = new AbortController()
    const impatient = failureOf(pool.lease('a', null, controller.signal))
    const patient = pool.lease('a', null, never)
    await clock.advance(0)
    controller.abort(new RunError('BUDGET_SPENT', 'no time left'))
    expect((await impatient).code).toBe('BUDGET_SPENT')
    await held.release(true)
    expect((await patient).session).toBe(held.session)
  })

  it('gives the slot on when a session cannot be opened', async () => {
    config = { maxClients: 1 }
    const broken = new RunError('SOURCE_UNREACHABLE', 'down')
    opening = async () => {
      opening = async () => undefined
      throw broken
    }
    const first = failureOf(pool.lease('a', null, never))
    const second = pool.lease('a', null, never)
    expect(await first).toBe(broken)
    expect((await second).session).toBe(opened[0])
  })

  it('passes on what is wrong with the config', async () => {
    expect((await failureOf(pool.lease('none', null, never))).code).toBe('SERVER_UNKNOWN')
  })
})

describe('closing the pool', () => {
  it('ends every session, sends away those who wait, and refuses newcomers', async () => {
    config = { maxClients: 1 }
    await (await pool.lease('idle', null, never)).release(true)
    const held = await pool.lease('a', null, never)
    const waiting = failureOf(pool.lease('a', null, never))
    await clock.advance(0)
    await pool.close()
    expect((await waiting).code).toBe('SHUTDOWN')
    expect(opened.map(({ closed }) => closed)).toEqual([true, true])
    expect((await failureOf(pool.lease('a', null, never))).code).toBe('SHUTDOWN')
    await held.release(true)
    expect(clock.pending).toBe(0)
  })

  it('gives up sessions that are being opened', async () => {
    opening = (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
    const lease = failureOf(pool.lease('a', null, never))
    await clock.advance(0)
    await pool.close()
    expect((await lease).code).toBe('SHUTDOWN')
  })

  it('closes a session that was opened all the same', async () => {
    const gate = Promise.withResolvers<void>()
    opening = () => gate.promise
    const lease = failureOf(pool.lease('a', null, never))
    await clock.advance(0)
    const closing = pool.close()
    gate.resolve()
    await closing
    expect((await lease).code).toBe('SHUTDOWN')
    expect(opened.map(({ closed }) => closed)).toEqual([true])
  })
})
