import { startFleetWorker } from '../src/fleet-worker.ts'
import type { TableProcessor } from '../src/processors.ts'
import { silentLog } from '../src/queue-log.ts'
import { aborted, fetched, planOf } from './worker-fakes.ts'

/**
 * A worker in a process of its own, for tests that kill it. Arguments: Redis URL, prefix, what it does with tables.
 * It tells its parent what happens in lines of text.
 */
const [url = '', prefix = '', mode = 'finish'] = process.argv.slice(2)
const say = (...words: unknown[]): void => void process.stdout.write(`${words.join(' ')}\n`)

const table: TableProcessor = async (job, { attempt, signal }) => {
  say('table', job.spec.table, 'attempt', attempt)
  if (mode === 'die') process.kill(process.pid, 'SIGKILL')
  if (mode === 'hang') return aborted(signal)
  return fetched(job.spec)
}

const worker = await startFleetWorker({
  redis: { url, prefix },
  servers: [{ name: 'files', concurrency: 4 }],
  table,
  run: {
    ...planOf(['events']),
    plan: async (job, context) => {
      if (mode === 'die-in-plan') process.kill(process.pid, 'SIGKILL')
      return planOf(['events']).plan(job, context)
    },
  },
  log: silentLog,
  timing: { lockMs: 1_000, stalledMs: 200, backOffMs: 20 },
})
process.once('SIGTERM', () => void worker.close(0).then(() => say('closed')))
say('ready')
