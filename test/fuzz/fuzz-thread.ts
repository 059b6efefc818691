import { parentPort, workerData } from 'node:worker_threads'
import { brokenTargets } from './broken-targets.ts'
import { fuzzTargets, isAnswer } from './fuzz-targets.ts'
import { mutate } from './mutate.ts'
import { seededRandom } from './seeded-random.ts'

/** Fuzzes one parser in a thread, so that one that hangs can be ended and told. */

export interface FuzzTask {
  target: string
  seed: number
  seconds: number
  /** Bytes that the input at work is written to, behind its length and its number, for the case that it never ends. */
  shared: SharedArrayBuffer
}

export type FuzzResult =
  | { kind: 'passed'; inputs: number; slowestMs: number }
  | { kind: 'failed'; input: string; number: number; reason: string }

/** Generous, for a machine that is busy with other tests; a quadratic parser needs far more for the longest input. */
const limitOf = (input: string) => 3_000 + input.length / 20

const globalKeys = () =>
  [Object.prototype, Array.prototype, Map.prototype, String.prototype].flatMap((prototype) =>
    Reflect.ownKeys(prototype),
  ).length

function fuzz({ target: name, seed, seconds, shared }: FuzzTask): FuzzResult {
  const target = fuzzTargets[name] ?? brokenTargets[name]
  if (target === undefined) throw new Error(`no target ${name}`)
  const state = new Int32Array(shared, 0, 2)
  const text = new Uint16Array(shared, 8)
  const before = globalKeys()
  const until = performance.now() + seconds * 1_000
  let slowestMs = 0
  let number = 0
  for (; performance.now() < until; number += 1) {
    const random = seededRandom(seed + number)
    const input = mutate(target.corpus, target.tokens, random)
    for (let i = 0; i < input.length; i += 1) text[i] = input.charCodeAt(i)
    Atomics.store(state, 0, input.length)
    Atomics.store(state, 1, number)
    const failed = (reason: string): FuzzResult => ({ kind: 'failed', input, number, reason })
    const startedAt = performance.now()
    try {
      target.read(input, random)
    } catch (error) {
      if (!isAnswer(error))
        return failed(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
    const ms = performance.now() - startedAt
    slowestMs = Math.max(slowestMs, ms)
    if (ms > limitOf(input)) return failed(`${input.length} characters took ${Math.round(ms)} ms`)
    if (globalKeys() !== before) return failed('a prototype has new members')
  }
  return { kind: 'passed', inputs: number, slowestMs }
}

parentPort?.postMessage(fuzz(workerData))
