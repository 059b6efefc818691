import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createMasker,
  loadProject,
  type RunJob,
  readStrategy,
  storageTarget,
  toBundle,
} from '@huntfleet/contract'
import { vocabulary } from '@huntfleet/engine'
import type { FinishContext, RunProcessor } from '@huntfleet/queue'
import { openStore, readManifest } from '@huntfleet/storage'
import { expect, it, onTestFinished } from 'vitest'
import { runProcessor } from '../src/run-processor.ts'
import { workerStore } from '../src/worker-store.ts'
import { runJob } from './fakes.ts'

const day = 24 * 60 * 60 * 1000
const files = {
  'huntfleet.yaml': 'storage: { url: file://./lake }\n',
  'dns/contract.yaml':
    'name: dns\ndescription: d\ntags: [t]\nrequires: {tables: {events: {columns: {id: BIGINT}, optional: true}}}\n',
  'dns/binding.yaml': 'source_bindings: {}\n',
}

/** A project with one strategy whose only table is not fetched. */
async function prepare(): Promise<{ processor: RunProcessor; job: RunJob; url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'huntfleet-worker-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'dns'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const { project } = await loadProject({ vocabulary, workingDirectory: folder })
  const masker = createMasker([])
  const storage = storageTarget(project, {}, masker)
  const processor = runProcessor({ project, vocabulary, env: {}, masker, store: workerStore(storage) })
  const bundle = toBundle(await readStrategy(join(folder, 'dns'), folder, undefined))
  return {
    processor,
    job: { ...runJob('dns.1'), bundle, storage },
    url: pathToFileURL(join(folder, 'lake')).href,
  }
}

function startedAgo(ms: number): FinishContext {
  return {
    startedAt: new Date(Date.now() - ms).toISOString(),
    lost: false,
    signal: new AbortController().signal,
    attempt: 1,
    lastAttempt: true,
    log: async () => {},
    executing: async () => {},
  }
}

it('publishes a run that ends two days after its begin, and refuses to after four', async () => {
  const { processor, job, url } = await prepare()
  const { entries } = await processor.plan(job, startedAgo(0))
  await expect(processor.finish(job, entries, startedAgo(4 * day))).rejects.toMatchObject({
    code: 'PUBLISH_EXPIRED',
  })
  const store = await openStore({ url, endpoint: null, region: null, pathStyle: false })
  expect(await readManifest(store, 'dns', 'dns.1')).toBeNull()
  const { manifestKey } = await processor.finish(job, entries, startedAgo(2 * day))
  expect(manifestKey).toBe('_runs/strategy=dns/run=dns.1/manifest.json')
  expect(await readManifest(store, 'dns', 'dns.1')).toMatchObject({ run_id: 'dns.1' })
})
