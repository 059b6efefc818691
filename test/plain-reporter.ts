import type { Reporter, TestModule } from 'vitest/node'

/** Prints, last of all, the one line that any CI can read: `N passed, N failed, N skipped`. */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A module that could not be loaded ran no test at all: that is a failure, not silence.
      if (module.errors().length > 0) count.failed += 1
    }
    count.failed += unhandled.length
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}
