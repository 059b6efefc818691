/**
 * A stopwatch of processor time: `const spent = cpuTime()`, then `spent()` gives the milliseconds this process has worked
 * since. Unlike a clock on the wall it stands still while a busy machine lets the process wait, so "linear, not
 * quadratic" can be asserted on it anywhere.
 */
export function cpuTime(): () => number {
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1_000
  }
}
