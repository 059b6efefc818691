import { expect, test } from 'vitest'
import { runChaos } from './chaos.ts'

/**
 * Two short forms of chaos; `npm run chaos` is the long one. The seed is fixed, so that a failure comes again with the
 * same events. It prints what happened, because only that tells a test that was quiet from one that was lucky.
 */
const options = {
  checkpoint: 'redis',
  seed: 20_261_130,
  seconds: 60,
  workers: 3,
  meanGapMs: 1_500,
  runsAtOnce: 3,
  lockMs: 3_000,
  kills: 1_000,
} as const

test.for(['file', 's3'] as const)(
  'a fleet whose workers, Redis, sources and storage fail loses, doubles and alters nothing (%s)',
  { timeout: 300_000 },
  async (storage, { skip }) => {
    const events: string[] = []
    const report = await runChaos({ ...options, storage, say: (line) => void events.push(line) })
    if ('skipped' in report) return skip(report.skipped)
    console.log(`chaos on ${storage}: ${JSON.stringify({ ...report, faults: report.faults.length })}`)
    expect(report.faults, events.join('\n')).toEqual([])
    expect(report.rows).toBeGreaterThan(0)
    expect(report.events['kill']).toBeGreaterThan(0)
  },
)
