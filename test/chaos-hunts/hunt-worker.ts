import { startFleetWorker } from '@huntfleet/queue'
import { emptyRuns, everySecond, nothingToFetch, quietLog } from './hunt-fleet.ts'
import { stepClockByMessages } from './stepped-clock.ts'

/** A worker and scheduler in a process of its own. Arguments: Redis URL, prefix, number of hunts. */
const [url = '', prefix = '', hunts = '1'] = process.argv.slice(2)
stepClockByMessages()
const worker = await startFleetWorker({
  redis: { url, prefix },
  servers: [],
  table: async () => {
    throw new Error('there are no tables')
  },
  run: nothingToFetch,
  hunts: emptyRuns(everySecond(Number(hunts))),
  log: quietLog,
  timing: { lockMs: 2_000, stalledMs: 500 },
})
process.once('SIGTERM', () => void worker.close(0).then(() => process.exit(0)))
process.send?.('ready')
