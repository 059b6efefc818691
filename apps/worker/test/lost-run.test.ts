import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMasker, loadProject, manifestSchema, type RunJob } from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import { openProducer, startFleetWorker } from '@huntfleet/queue'
import { startRedis } from '@huntfleet/testing'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { runNotes } from '../src/run-notes.ts'
import { runProcessor } from '../src/run-processor.ts'
import { workerStore } from '../src/worker-store.ts'
import { hanging, quiet, runJob } from './fakes.ts'

const redis = await startRedis({ own: true })
const given = test.skipIf(redis.skipped !== undefined)
afterAll(() => (redis.skipped === undefined ? redis.stop() : undefined))

/** A run of one table, with contract and binding that compile. */
function eventsJob(runId: string, storage: RunJob['storage']): RunJob {
  return {
    ...runJob(runId),
    storage,
    bundle: {
      folder: 'dns',
      contract: {
        name: 'dns',
        description: 'd',
        tags: ['t'],
        requires: { tables: { events: { columns: { id: { type: 'BIGINT' } } } } },
      },
      binding: {
        source_bindings: { events: { fetch_mode: 'fleet', mcp_server: 'files', mcp_tool: 'search' } },
      },
      hashes: { contract: 'c', binding: 'b' },
    },
  }
}

given(
  'a run that Redis lost is reported in storage and in the list, with the files that it left',
  async () => {
    if (redis.skipped !== undefined) throw new Error(redis.skipped)
    const folder = await mkdtemp(join(tmpdir(), 'huntfleet-lost-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const url = pathToFileURL(folder).href
    const storage = { url, endpoint: null, region: null, pathStyle: false, layout: '{run_id}/{table}' }
    await writeFile(join(folder, 'huntfleet.yaml'), 'mcp_servers: { files: { local: { command: node } } }\n')
    const { project } = await loadProject({ vocabulary, workingDirectory: folder })
    const store = workerStore(storage)
    const masker = createMasker([])
    const notes = runNotes(store, masker, null)
    const begun = Promise.withResolvers<void>()
    const worker = await startFleetWorker({
      redis: { url: redis.url },
      servers: [{ name: 'files', concurrency: 1 }],
      table: hanging(begun.resolve),
      run: runProcessor({ project, vocabulary, env: {}, masker, store }),
      notes,
      log: quiet,
      timing: { lockMs: 1_000, stalledMs: 200, sweepMs: 50, vanishedMs: 100 },
    })
    onTestFinished(() => worker.close(0))
    const producer = await openProducer({ redis: { url: redis.url } })
    onTestFinished(() => producer.close())
    await producer.enqueueRun(eventsJob('dns.lost', storage))
    await begun.promise
    expect(await readdir(join(folder, '_started', 'strategy=dns'))).toEqual(['run=dns.lost.json'])
    await (await store.root()).put('dns.lost/events/abcd1234.parquet', Buffer.from('rows'))
    await producer.fleet.redis.flushall()
    const status = async () => (await producer.getRun('dns.lost'))?.status
    await expect.poll(status).toBe('lost')
    const key = '_runs/strategy=dns/run=dns.lost/manifest.json'
    expect((await producer.getRun('dns.lost'))?.manifestKey).toBe(key)
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, key), 'utf8')))
    expect(manifest).toMatchObject({
      status: 'lost',
      tables: {
        events: {
          outcome: 'failed',
          path: null,
          error: { code: 'RUN_LOST' },
          notes: [
            'the lost run left dns.lost/events/abcd1234.parquet (4 bytes), which is not part of the table',
          ],
        },
      },
    })
    expect(await notes.list()).toEqual([])
  },
)
