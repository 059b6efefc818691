/**
 * The long form of chaos: `npm run chaos -- --minutes 10 --seed N`, or
 * `node --conditions=source test/chaos/main.ts [--minutes N] [--seed N] [--storage s3|file]
 * [--checkpoint redis|storage|off] [--workers N] [--gap MS] [--runs N]
 * [--lock MS] [--kills N]`.
 * Ends with 1 when anything was lost, doubled, altered, untrue or left behind.
 */
import { parseArgs } from 'node:util'
import { runChaos } from './chaos.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    storage: { type: 'string', default: 's3' },
    checkpoint: { type: 'string', default: 'redis' },
    workers: { type: 'string', default: '4' },
    gap: { type: 'string', default: '2000' },
    runs: { type: 'string', default: '4' },
    lock: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '1000000' },
  },
})
// The processes that it has started end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const number = (name: 'minutes' | 'workers' | 'gap' | 'runs' | 'lock' | 'kills'): number => {
  const value = Number(values[name])
  if (value > 0) return value
  throw new Error(`--${name} ${values[name]} is not a number above 0`)
}
if (values.storage !== 's3' && values.storage !== 'file')
  throw new Error(`--storage ${values.storage} is neither s3 nor file`)
const checkpoint = (['redis', 'storage', 'off'] as const).find((mode) => mode === values.checkpoint)
if (checkpoint === undefined)
  throw new Error(`--checkpoint ${values.checkpoint} is not redis, storage or off`)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
say(`seed ${seed}`)
const report = await runChaos({
  seed,
  seconds: number('minutes') * 60,
  storage: values.storage,
  checkpoint,
  workers: number('workers'),
  meanGapMs: number('gap'),
  runsAtOnce: number('runs'),
  lockMs: number('lock'),
  kills: number('kills'),
  say,
})
say(JSON.stringify(report, null, 2))
if ('skipped' in report) process.exitCode = 1
else {
  const again = `npm run chaos -- --seed ${seed} --minutes ${values.minutes} --storage ${values.storage} --checkpoint ${checkpoint} --workers ${values.workers} --gap ${values.gap} --runs ${values.runs} --lock ${values.lock} --kills ${values.kills}`
  say(report.faults.length === 0 ? 'nothing is wrong' : `${report.faults.length} faults; again: ${again}`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}
