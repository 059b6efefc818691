import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { firesBetween, nextFire, slotRunId } from '@huntfleet/contract'
import { listSchedule, openProducer, pauseHunt, type SlotLine, slotHistory } from '@huntfleet/queue'
import { type RedisServer, startRedis } from '@huntfleet/testing'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { everySecond } from './hunt-fleet.ts'

/**
 * Fifty hunts that fire every second, three schedulers that are workers too, and everything that can happen to them:
 * kill -9, SIGTERM, a Redis that is killed and comes back, and clocks that are half a minute off. Every slot must have
 * exactly one run. `CHAOS_HUNT_SECONDS` makes it longer.
 */

const { CHAOS_HUNT_SECONDS } = process.env
const seconds = Number(CHAOS_HUNT_SECONDS ?? 12)
const hunts = everySecond(50)
const redis = await startRedis({ own: true, appendonly: true })
const prefix = '{chaos-hunts}'
afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))

/** A worker of the fleet, replaced by a new process when it is gone. */
class Seat {
  child: ChildProcess | null = null
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async start(): Promise<void> {
    const program = fileURLToPath(new URL('./hunt-worker.ts', import.meta.url))
    const child = fork(program, [this.url, prefix, String(hunts.length)], {
      execArgv: ['--conditions=source'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.child = child
    // One that is killed before it was ready is gone as well.
    await Promise.race([once(child, 'message'), once(child, 'exit')])
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async replace(signal: NodeJS.Signals): Promise<void> {
    await this.end(signal)
    await this.start()
  }

  stepClock(ms: number): void {
    if (this.child?.connected === true) this.child.send(ms)
  }
}

/** What happens, one after the other, each in its turn of the time there is. */
function troubles(server: RedisServer, seats: readonly [Seat, Seat, Seat]): (() => Promise<void>)[] {
  const [first, second, third] = seats
  const restartRedis = async () => {
    await server.kill()
    await wait(500)
    await server.restart()
  }
  return [
    () => first.replace('SIGKILL'),
    async () => second.stepClock(30_000),
    () => third.replace('SIGTERM'),
    restartRedis,
    async () => third.stepClock(-30_000),
    () => second.replace('SIGKILL'),
    async () => first.stepClock(-30_000),
    () => Promise.all([first.replace('SIGTERM'), third.replace('SIGKILL')]).then(() => {}),
    restartRedis,
  ]
}

test.skipIf(redis.skipped !== undefined)(
  'three schedulers and three workers under fire run every slot of fifty hunts exactly once',
  { timeout: 240_000 + seconds * 4_000 },
  async () => {
    if (redis.skipped !== undefined) return
    const seats = [new Seat(redis.url), new Seat(redis.url), new Seat(redis.url)] as const
    onTestFinished(async () => {
      await Promise.all(seats.map((seat) => seat.end('SIGKILL')))
    })
    await Promise.all(seats.map((seat) => seat.start()))
    const began = performance.now()
    const left = () => seconds * 1_000 - (performance.now() - began)
    for (let round = 0; left() > 0; round++) {
      const list = troubles(redis, seats)
      await list[round % list.length]?.()
      // Chaos is a matter of time, so this one test waits for nothing but time.
      await wait(Math.max(0, Math.min(left(), 1_000)))
    }
    const producer = await openProducer({ redis: { url: redis.url, prefix } })
    onTestFinished(() => producer.close())
    for (const { name } of hunts) await pauseHunt(producer.fleet, name, true)
    await expect
      .poll(
        async () => (await listSchedule(producer.fleet)).filter(({ state }) => state.open.length > 0).length,
        {
          timeout: 120_000,
          interval: 500,
        },
      )
      .toBe(0)
    const scheduled = await listSchedule(producer.fleet)
    expect(scheduled.map(({ name }) => name)).toEqual(hunts.map(({ name }) => name))
    const wrong: string[] = []
    const runIds = new Set<string>()
    let ran = 0
    for (const { name, state } of scheduled) {
      // The clock goes on; what was recorded since is not looked at.
      const all = await slotHistory(producer.fleet, name, 100_000)
      const lines = all.filter(({ slot }) => Date.parse(slot) <= state.cursor)
      const fires = firesBetween(state.schedule, state.enabledAt, state.cursor, Number.POSITIVE_INFINITY)
      const slots = new Set(lines.map(({ slot }) => Date.parse(slot)))
      const gaps = fires.filter((fire) => !slots.has(fire))
      if (gaps.length > 0 || lines.length !== fires.length)
        wrong.push(`${name}: ${lines.length} lines for ${fires.length} fire times, without one: ${gaps}`)
      for (const line of lines) if (!isAccounted(name, line)) wrong.push(`${name}: ${JSON.stringify(line)}`)
      for (const { runId } of lines.filter(({ status }) => status === 'ran')) {
        ran += 1
        if (runId !== null) runIds.add(runId)
      }
      expect(nextFire(state.schedule, state.enabledAt)).toBe(fires[0])
    }
    expect(wrong).toEqual([])
    const known = await producer.listRuns({ limit: 1_000_000 })
    expect(known.map(({ runId }) => runId).sort()).toEqual([...runIds].sort())
    expect(runIds.size).toBe(ran)
    expect(ran).toBeGreaterThanOrEqual(Math.min(500, hunts.length * (seconds - 2)))
  },
)

/** Whether a slot has its one run, which is complete, or was skipped for the pause at the end. */
function isAccounted(hunt: string, { slot, status, reason, runId, outcome, runs }: SlotLine): boolean {
  if (status === 'skipped') return reason === 'paused'
  return status === 'ran' && outcome === 'complete' && runs === 1 && runId === slotRunId(hunt, new Date(slot))
}
