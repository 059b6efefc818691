import { closeOnSignals } from '../src/close-on-signals.ts'
import { startWorker } from '../src/start-worker.ts'
import { hanging, type instant, oneTable, quiet } from './fakes.ts'

/**
 * A worker whose tables never end by themselves. Arguments: Redis URL, prefix, and `stubborn` when they do not even end
 * when they are told to.
 */
const [url = '', prefix = '', mode = ''] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Keeps the process alive by itself. */
const stubborn: typeof instant = () => {
  say('table')
  return new Promise(() => setInterval(() => {}, 1_000))
}

const starting = startWorker({
  redis: { url, prefix },
  servers: [{ name: 'files', concurrency: 2 }],
  table: mode === 'stubborn' ? stubborn : hanging(() => say('table')),
  run: oneTable,
  logger: quiet,
})
void starting.then(() => say('ready'))
await closeOnSignals(starting)
say('closed')
