import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { fuzzTargets } from './fuzz-targets.ts'
import type { FuzzResult, FuzzTask } from './fuzz-thread.ts'

/**
 * Fuzzes every parser for a few seconds (`FUZZ_SECONDS`, 3 by default; `npm run fuzz` takes 60). Inputs follow from
 * `FUZZ_SEED`: the one that failed comes again with the seed that the failure names.
 */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 3)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)

/** An input that takes longer than this is one that never ends. */
const hangMs = 20_000
const longestInput = 200_000
const startMs = 20_000

async function fuzz(target: string): Promise<FuzzResult> {
  const shared = new SharedArrayBuffer(8 + 2 * longestInput)
  const task: FuzzTask = { target, seed, seconds, shared }
  const thread = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: task,
    execArgv: ['--conditions=source'],
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  })
  const { promise, resolve } = Promise.withResolvers<FuzzResult>()
  const atWork = (reason: string): FuzzResult => {
    const [length = 0, number = 0] = new Int32Array(shared, 0, 2)
    const input = Buffer.from(new Uint8Array(shared, 8, 2 * length)).toString('utf16le')
    return { kind: 'failed', input, number, reason }
  }
  const timer = setTimeout(() => resolve(atWork('it does not end')), startMs + seconds * 1_000 + hangMs)
  thread.once('message', resolve)
  thread.once('error', (error) => resolve(atWork(error.stack ?? error.message)))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

test.each(Object.keys(fuzzTargets))(
  '%s reads every text or says why not, in time',
  async (target) => {
    const result = await fuzz(target)
    const told =
      result.kind === 'failed' ? { ...result, input: JSON.stringify(result.input.slice(0, 2_000)) } : result
    expect(
      told,
      `FUZZ_SEED=${seed}; that input alone: FUZZ_SEED=${seed + (result.kind === 'failed' ? result.number : 0)}`,
    ).toMatchObject({ kind: 'passed' })
    if (result.kind === 'passed') {
      console.log(
        `${target}: seed ${seed}, ${result.inputs} inputs, slowest ${Math.round(result.slowestMs)} ms`,
      )
      expect(result.inputs).toBeGreaterThan(0)
    }
  },
  startMs + seconds * 1_000 + 2 * hangMs,
)
