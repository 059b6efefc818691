import { FakeClock } from '@huntfleet/testing'

/** Time that stands still but for sleeps, which take no time of ours: whoever sleeps moves the clock himself. */
export class SkippingClock extends FakeClock {
  /** All sleeps so far, in milliseconds. */
  readonly slept: number[] = []

  override async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.slept.push(ms)
    await this.advance(ms)
    signal.throwIfAborted()
  }
}
