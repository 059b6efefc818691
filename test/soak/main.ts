/**
 * The long soak: `npm run soak`, or `node --conditions=source test/soak/main.ts [FETCHES]`. 2,000 table fetches from ten faulty
 * servers in this process must leave no process, socket, timer or listener behind, and the memory of the process must
 * stay within 10 % of what it was after the first quarter.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { soak } from './soak.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const fetches = Number(process.argv[2] ?? 2_000)
const step = Math.max(1, Math.floor(fetches / 20))
const samples: { done: number; mb: number }[] = []
const startedAt = performance.now()
const say = (text: string) => process.stdout.write(`${text}\n`)

await soak({ fetches: 10 })
const report = await soak({
  fetches,
  onFetch: (done) => {
    if (done % step !== 0) return
    collectGarbage()
    const mb = process.memoryUsage.rss() / 1024 / 1024
    samples.push({ done, mb })
    say(
      `${String(done).padStart(6)} fetches  ${mb.toFixed(1).padStart(7)} MB RSS  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s`,
    )
  },
})

/** Of several samples, so that one stray buffer decides nothing. */
const mean = (some: readonly { mb: number }[]) =>
  some.reduce((sum, { mb }) => sum + mb, 0) / Math.max(1, some.length)
const warm = samples.filter(({ done }) => done >= fetches / 4 && done <= fetches / 2)
const last = samples.filter(({ done }) => done > (fetches * 3) / 4)
const growth = mean(last) / mean(warm) - 1
const faults = [
  ...report.surprises,
  ...report.warnings,
  ...(report.signalListeners > 0 ? [`${report.signalListeners} listeners left on the signal`] : []),
  ...(['childProcesses', 'sockets', 'timers'] as const)
    .filter((kind) => report.after[kind] > report.before[kind])
    .map((kind) => `${kind}: ${report.before[kind]} before, ${report.after[kind]} after`),
  ...(report.after.listeners > report.before.listeners + 1
    ? [`listeners on the process: ${report.after.listeners}`]
    : []),
  ...(Math.abs(growth) > 0.1 ? [`RSS changed by ${(growth * 100).toFixed(1)} %`] : []),
]
say(
  JSON.stringify({
    fetches,
    before: report.before,
    after: report.after,
    growth: Number(growth.toFixed(4)),
    faults,
  }),
)
process.exitCode = faults.length > 0 ? 1 : 0
