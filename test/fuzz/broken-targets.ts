import { expectAccounted, type FuzzTarget } from './fuzz-targets.ts'

/** A parser that is right until there is an exclamation mark. */
const until = (fault: () => void): FuzzTarget => ({
  corpus: ['one two'],
  tokens: ['!', ' '],
  read(input) {
    if (input.includes('!')) fault()
  },
})

/** Parsers with one defect each, which the fuzzer must find. */
export const brokenTargets: Readonly<Record<string, FuzzTarget>> = {
  crashes: until(() => {
    throw new TypeError('cannot read properties of undefined')
  }),
  'loses rows': until(() =>
    expectAccounted({
      ...{ items: 2, rows: [new Map()], rejects: [] },
      ...{ envelope: undefined, remainder: '', notes: [], truncation: null },
    }),
  ),
  pollutes: until(() => {
    Reflect.set(Object.prototype, `polluted by the fuzzer's own test`, true)
  }),
  hangs: until(() => {
    for (;;);
  }),
  'is quadratic': {
    corpus: ['x'.repeat(100_000)],
    tokens: ['x'],
    read(input) {
      let sum = 0
      for (let i = 0; i < input.length; i += 1)
        for (let j = 0; j < input.length; j += 1) sum = (sum + input.charCodeAt(j)) | 0
      if (sum === -1) throw new Error('never')
    },
  },
}
