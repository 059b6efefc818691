import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMasker, loadProject } from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runWorker } from '../src/run-worker.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'huntfleet-worker-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a worker whose adapter cannot be loaded does not start', async () => {
  await writeFile(
    join(folder, 'huntfleet.yaml'),
    'redis: redis://127.0.0.1:1\nadapters:\n  mine: ./mine.ts\n',
  )
  await writeFile(join(folder, 'mine.ts'), 'export const rows = 1\n')
  const { project } = await loadProject({ vocabulary, workingDirectory: folder })
  const started = runWorker({
    project,
    vocabulary,
    env: {},
    masker: createMasker([]),
    threads: 1,
    concurrency: 1,
    graceMs: 0,
    health: null,
    logLevel: 'error',
  })
  await expect(started).rejects.toMatchObject({
    code: 'PROJECT_INVALID',
    message: expect.stringContaining(
      'adapters.mine: ./mine.ts cannot be used: the module exports no adapter',
    ),
    context: { line: 3 },
  })
})
