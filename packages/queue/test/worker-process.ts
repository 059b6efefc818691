import { setTimeout as wait } from 'node:timers/promises'
import { startFleetWorker } from '../src/fleet-worker.ts'
import type { TableContext, TableProcessor } from '../src/processors.ts'
import { silentLog } from '../src/queue-log.ts'
import { aborted, fetched, planOf } from './worker-fakes.ts'

/**
 * A worker in a process of its own, for tests that kill it. Arguments: Redis URL, prefix, what it does with tables, and
 * `slow` for the times of a real fleet.
 * It tells its parent what happens in lines of text.
 */
const [url = '', prefix = '', mode = 'finish', pace = 'quick'] = process.argv.slice(2)
const say = (...words: unknown[]): void => void process.stdout.write(`${words.join(' ')}\n`)

/** Blocks the event loop for three times the life of a lock, and does then as if nothing had been. */
async function block({ signal, progress }: TableContext): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
  await wait(1)
  say('aborted', signal.aborted, signal.reason?.code)
  await progress({ page: 9 }).catch((error) => say('progress', error.code))
}

const table: TableProcessor = async (job, context) => {
  const { attempt, signal } = context
  say('table', job.spec.table, 'attempt', attempt)
  if (mode === 'die') process.kill(process.pid, 'SIGKILL')
  if (mode === 'hang') return aborted(signal)
  if (mode === 'block') await block(context)
  return fetched(job.spec, mode === 'block' ? { rows: 99 } : {})
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
  timing: pace === 'slow' ? {} : { lockMs: 1_000, stalledMs: 200, backOffMs: 20 },
})
process.once('SIGTERM', () => void worker.close(0).then(() => say('closed')))
say('ready')
