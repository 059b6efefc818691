import { defineConfig } from 'vitest/config'
import LongFirst from './test/long-first.ts'

// Tests run against the sources (the `source` condition of every package's exports), so they need no build.
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Most test files wait for processes and sockets: more of them than cores keeps two cores busy.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What is waited for comes when it comes on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/plain-reporter.ts'],
  },
})
