import { describe, expect, test } from 'vitest'
import { fuzzParser } from './fuzz-parser.ts'
import { fuzzTargets } from './fuzz-targets.ts'

/**
 * Fuzzes every parser for a few seconds (`FUZZ_SECONDS`, 3 by default; `npm run fuzz` takes 60). Inputs follow from
 * `FUZZ_SEED`: the one that failed comes first with the seed that the failure names.
 */
const { FUZZ_SECONDS, FUZZ_SEED } = process.env
const seconds = Number(FUZZ_SECONDS ?? 3)
const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_000)
const hangMs = 20_000

test.each(Object.keys(fuzzTargets))(
  '%s reads every text or says why not, in time',
  async (target) => {
    const result = await fuzzParser(target, { seed, seconds, hangMs })
    if (result.kind === 'failed') {
      const { reason, input, number } = result
      expect.fail(`${reason}\nFUZZ_SEED=${seed + number}, input ${JSON.stringify(input.slice(0, 2_000))}`)
    }
    console.log(
      `${target}: seed ${seed}, ${result.inputs} inputs, slowest ${Math.round(result.slowestMs)} ms`,
    )
    expect(result.inputs).toBeGreaterThan(0)
  },
  60_000 + seconds * 1_000 + hangMs,
)

describe('the fuzzer', () => {
  test.each([
    ['crashes', /TypeError/],
    ['loses rows', /2 items, but 1 rows/],
    ['pollutes', /a prototype has new members/],
    ['hangs', /it does not end/],
    ['is quadratic', /characters took|does not end/],
  ])(
    'finds a parser that %s',
    async (target, reason) => {
      const result = await fuzzParser(target, { seed: 1, seconds: 20, hangMs: 5_000 })
      expect(result).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) })
      if (result.kind === 'failed') expect(result.input).toMatch(target === 'is quadratic' ? /.{1000}/s : /!/)
    },
    90_000,
  )
})
