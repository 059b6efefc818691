import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readHandovers } from './worker-logs.ts'

test('counts how often a job changed hands, over the logs of all workers, and passes over lines that are cut', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-logs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const line = (msg: string, job: string) => JSON.stringify({ level: 40, job, msg })
  const taken = 'job of a dead worker taken over'
  await writeFile(
    join(folder, 'a.log'),
    [line(taken, 'r.t'), line('job handed back', 'r.t'), '{"level":40,"jo'].join('\n'),
  )
  await writeFile(
    join(folder, 'b.log'),
    [line(taken, 'r.u'), line('table ended', 'r.u'), line(taken, 'r.t')].join('\n'),
  )
  expect(await readHandovers(folder)).toEqual(
    new Map([
      ['r.t', 3],
      ['r.u', 1],
    ]),
  )
})
