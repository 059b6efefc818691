import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type HuntfleetProcess, startHuntfleet } from '../e2e/fixture/huntfleet-process.ts'

export interface WorkerSlotsOptions {
  count: number
  /** Folder of the project. */
  folder: string
  env: NodeJS.ProcessEnv
  /** Where what each worker said goes. */
  logs: string
}

interface Slot {
  name: string
  process: HuntfleetProcess
  ready: Promise<unknown>
  isReady: boolean
  /** Whether we have told it to end, or have stopped it. */
  doomed: boolean
  frozen: Promise<unknown> | null
}

/** A worker that has not ended so long after SIGTERM does not do as it is told. */
const termPatienceMs = 60_000
const readyPatienceMs = 30_000
const restartMs = 300
const lookMs = 50

/** A fleet of worker processes in numbered slots: whatever ends a worker, another one takes its slot. */
export class WorkerSlots {
  /** Workers that ended by themselves, or did not end when told to. */
  readonly faults: string[] = []
  /** Milliseconds from SIGTERM to the end of the process. */
  readonly termMs: number[] = []
  started = 0
  readonly #options: WorkerSlotsOptions
  readonly #slots: Slot[] = []
  readonly #ends: Promise<unknown>[] = []

  constructor(options: WorkerSlotsOptions) {
    this.#options = options
    for (let number = 0; number < options.count; number++) this.#fill(number)
  }

  /**
   * The number of a worker that takes jobs: this one, or the next of those that do. At least half of the workers must, so
   * that a slow machine does not see each of them killed before it has done anything; but nobody is waited for for ever.
   */
  async readySlot(number: number): Promise<number> {
    const { count } = this.#options
    const order = Array.from({ length: count }, (_, n) => (number + n) % count)
    const until = performance.now() + readyPatienceMs
    for (;;) {
      const ready = order.filter((n) => this.#slot(n).isReady && this.#slot(n).frozen === null)
      if (ready.length * 2 >= count || performance.now() > until) return ready[0] ?? number
      await wait(lookMs)
    }
  }

  async untilAllReady(): Promise<void> {
    await Promise.all(this.#slots.map((_, number) => this.#untilReady(number)))
  }

  async #untilReady(number: number): Promise<number> {
    const slot = this.#slot(number)
    await slot.frozen
    await Promise.race([slot.ready, wait(readyPatienceMs, undefined, { ref: false })])
    return number
  }

  /** SIGKILL, and another worker in its place. */
  kill(number: number): void {
    const slot = this.#slot(number)
    slot.doomed = true
    slot.process.kill('SIGKILL')
    this.#fill(number)
  }

  /** SIGTERM; another worker takes its place at once, as in a rolling update. */
  term(number: number): void {
    this.#ends.push(this.#end(this.#slot(number)))
    this.#fill(number)
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  freeze(number: number, ms: number): void {
    const slot = this.#slot(number)
    slot.process.kill('SIGSTOP')
    slot.frozen = wait(ms).then(() => {
      slot.process.kill('SIGCONT')
      slot.frozen = null
    })
  }

  /** Ends all workers as an operator does. */
  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.frozen))
    await Promise.all([...this.#ends, ...this.#slots.map((slot) => this.#end(slot))])
  }

  async #end(slot: Slot): Promise<void> {
    await slot.frozen
    // A process that has no handler yet would end by the signal itself.
    await Promise.race([slot.ready, wait(readyPatienceMs, undefined, { ref: false })])
    slot.doomed = true
    const toldAt = performance.now()
    slot.process.kill('SIGTERM')
    let hurried = false
    const hurry = setTimeout(() => {
      hurried = true
      slot.process.kill('SIGKILL')
    }, termPatienceMs)
    const code = await slot.process.ended
    clearTimeout(hurry)
    this.termMs.push(performance.now() - toldAt)
    if (hurried) this.faults.push(`worker ${slot.name} had not ended ${termPatienceMs} ms after SIGTERM`)
    // It may give up what it cannot hand back in time, and says so with 1.
    else if (code !== 0 && code !== 1)
      this.faults.push(`worker ${slot.name} ended with ${code} after SIGTERM`)
  }

  #fill(number: number): void {
    this.started += 1
    const name = `chaos-worker-${number}-${this.started}`
    const { folder, env, logs } = this.#options
    const args = ['worker', '--concurrency', '4']
    const child = startHuntfleet(args, { cwd: folder, env: { ...env, CHAOS_WORKER: name } })
    const slot: Slot = {
      name,
      process: child,
      ready: child.said('worker ready').then(
        () => {
          slot.isReady = true
        },
        () => undefined,
      ),
      isReady: false,
      doomed: false,
      frozen: null,
    }
    this.#slots[number] = slot
    const written = child.ended.then(() =>
      writeFile(join(logs, `${name}.log`), child.stdout() + child.stderr()),
    )
    this.#ends.push(written)
    void child.ended.then(async (code) => {
      if (slot.doomed) return
      // A worker that finds no Redis at its start says so and ends; whoever runs it starts it again.
      if (child.stderr().includes('QUEUE_UNREACHABLE')) await wait(restartMs)
      else this.faults.push(`worker ${name} ended by itself with ${code}: ${child.stderr().slice(-500)}`)
      if (this.#slots[number] === slot && !slot.doomed) this.#fill(number)
    })
  }

  #slot(number: number): Slot {
    const slot = this.#slots[number]
    if (slot === undefined) throw new Error(`no slot ${number}`)
    return slot
  }
}
