import { closeOnSignals } from '../src/close-on-signals.ts'
import { startWorker } from '../src/start-worker.ts'
import { hanging, oneTable, quiet } from './fakes.ts'

/** A worker whose tables never end by themselves. Arguments: Redis URL and prefix. */
const [url = '', prefix = ''] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const worker = await startWorker({
  redis: { url, prefix },
  servers: [{ name: 'files', concurrency: 2 }],
  table: hanging(() => say('table')),
  run: oneTable,
  logger: quiet,
})
say('ready')
await closeOnSignals(worker)
say('closed')
