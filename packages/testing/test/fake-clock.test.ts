import { describe, expect, it } from 'vitest'
import { FakeClock } from '../src/fake-clock.ts'

describe('FakeClock', () => {
  it('runs timers in the order of their times and shows each its own time', async () => {
    const clock = new FakeClock(0)
    const seen: [string, number][] = []
    clock.after(20, () => seen.push(['late', clock.now()]))
    clock.after(10, () => seen.push(['early', clock.now()]))
    clock.after(31, () => seen.push(['not yet', clock.now()]))
    await clock.advance(30)
    expect(seen).toEqual([
      ['early', 10],
      ['late', 20],
    ])
    expect(clock.now()).toBe(30)
    expect(clock.pending).toBe(1)
  })

  it('does not run a timer that was taken back', async () => {
    const clock = new FakeClock()
    let ran = false
    const cancel = clock.after(10, () => {
      ran = true
    })
    cancel()
    await clock.advance(100)
    expect(ran).toBe(false)
  })

  it('lets a loop of sleeps run through one advance', async () => {
    const clock = new FakeClock(0)
    const times: number[] = []
    const loop = (async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await clock.sleep(100, new AbortController().signal)
        times.push(clock.now())
      }
    })()
    await clock.advance(1000)
    await loop
    expect(times).toEqual([100, 200, 300])
  })

  it('ends a sleep with the reason of the signal and leaves no timer', async () => {
    const clock = new FakeClock()
    const controller = new AbortController()
    const sleep = clock.sleep(1000, controller.signal)
    controller.abort('enough')
    await expect(sleep).rejects.toBe('enough')
    await expect(clock.sleep(1, controller.signal)).rejects.toBe('enough')
    expect(clock.pending).toBe(0)
  })
})
