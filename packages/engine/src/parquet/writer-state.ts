import { RunError } from '@huntfleet/contract'

/** Whether a Parquet writer may be called. After any error it is of no use any more: every call throws the same error. */
export class WriterState {
  #state: 'open' | 'writing' | 'finished' | { failed: unknown } = 'open'

  mustBeOpen(method: string): void {
    if (this.#state === 'open') return
    if (typeof this.#state === 'object') throw this.#state.failed
    const why =
      this.#state === 'finished' ? 'the file is finished' : 'the previous call has not ended: await it'
    throw new RunError('INTERNAL', `${method} of a Parquet writer: ${why}`)
  }

  /** Runs one piece of writing; other calls are refused meanwhile. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#state = 'writing'
    try {
      await work()
      this.#state = 'open'
    } catch (error) {
      this.#state = { failed: error }
      throw error
    }
  }

  duringSync<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#state = { failed: error }
      throw error
    }
  }

  finish(): void {
    this.#state = 'finished'
  }
}
