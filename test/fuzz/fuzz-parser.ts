import { Worker } from 'node:worker_threads'
import type { FuzzResult, FuzzTask } from './fuzz-thread.ts'

/** Longest input that `mutate` makes. */
const longestInput = 200_000
/** Loading the parsers, on a machine that is busy with other tests. */
const startMs = 30_000
const lookMs = 250

export interface FuzzOptions {
  seed: number
  seconds: number
  /** An input that takes longer than this is one that never ends. */
  hangMs: number
}

/** Fuzzes a parser in a thread of its own; resolves when it is done, has failed, or has to be ended. */
export async function fuzzParser(
  target: string,
  { seed, seconds, hangMs }: FuzzOptions,
): Promise<FuzzResult> {
  const shared = new SharedArrayBuffer(8 + 2 * longestInput)
  const state = new Int32Array(shared, 0, 2)
  state[1] = -1
  const task: FuzzTask = { target, seed, seconds, shared }
  const thread = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: task,
    execArgv: ['--conditions=source'],
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  })
  const { promise, resolve } = Promise.withResolvers<FuzzResult>()
  const atWork = (reason: string): FuzzResult => {
    const input = Buffer.from(new Uint8Array(shared, 8, 2 * Atomics.load(state, 0))).toString('utf16le')
    return { kind: 'failed', input, number: Atomics.load(state, 1), reason }
  }
  let seen = -1
  let seenAt = performance.now()
  const watch = setInterval(() => {
    const number = Atomics.load(state, 1)
    const now = performance.now()
    if (number !== seen) [seen, seenAt] = [number, now]
    else if (now - seenAt > (number < 0 ? startMs : hangMs)) resolve(atWork('it does not end'))
  }, lookMs)
  thread.once('message', resolve)
  thread.once('error', (error) => resolve(atWork(error.stack ?? error.message)))
  try {
    return await promise
  } finally {
    clearInterval(watch)
    await thread.terminate()
  }
}
