import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Manifest, manifestKey } from '@huntfleet/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalStore } from '../src/local-store.ts'
import { listManifests, type ManifestRef, publishManifest, readManifest } from '../src/manifest-store.ts'
import type { ObjectStore } from '../src/object-store.ts'
import { publishDeadline, publishWithinMs } from '../src/publish-deadline.ts'
import { textOf } from './object-store.suite.ts'

const deadline = publishDeadline(new Date().toISOString())
let root: string
let store: ObjectStore

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'huntfleet-manifests-'))
  store = await openLocalStore(root, { fsync: false })
})
afterEach(async () => {
  await rm(root, { recursive: true })
})

function manifestOf(runId: string, strategy = 'dns', version = '1'): Manifest {
  return {
    manifest_version: 1,
    run_id: runId,
    strategy,
    version,
    hunt: null,
    status: 'complete',
    params: { days: 7 },
    scheduled_at: '2026-11-30T12:00:00Z',
    window: { start: null, end: null },
    started_at: '2026-11-30T12:00:01Z',
    finished_at: '2026-11-30T12:00:09Z',
    storage: store.url,
    huntfleet_version: '0.1.0',
    retry: 1,
    tables: {},
  }
}

async function listed(strategy?: string): Promise<ManifestRef[]> {
  const refs: ManifestRef[] = []
  for await (const ref of listManifests(store, strategy)) refs.push(ref)
  return refs
}

describe('publishing a manifest', () => {
  it('makes it readable, as indented JSON that ends with a newline', async () => {
    const manifest = manifestOf('dns.1')
    const key = '_runs/strategy=dns/run=dns.1/manifest.json'
    expect(await publishManifest(store, manifest, { retry: 1, deadline })).toEqual({ created: true, key })
    expect(await textOf(store, key)).toBe(`${JSON.stringify(manifest, null, 2)}\n`)
    expect(await readManifest(store, 'dns', 'dns.1')).toEqual(manifest)
  })

  it('happens once: a second worker changes nothing', async () => {
    await publishManifest(store, manifestOf('dns.1', 'dns', 'first'), { retry: 1, attempt: 'a', deadline })
    const second = await publishManifest(store, manifestOf('dns.1', 'dns', 'second'), {
      retry: 1,
      attempt: 'b',
      deadline,
    })
    expect(second.created).toBe(false)
    expect(await readManifest(store, 'dns', 'dns.1')).toMatchObject({ version: 'first' })
  })

  it('of a retry stands beside the earlier one, and readers take the highest number', async () => {
    for (const retry of [1, 2, 3, 9, 10]) {
      await publishManifest(store, manifestOf('dns.1', 'dns', `retry ${retry}`), { retry, deadline })
    }
    expect(await textOf(store, manifestKey('dns', 'dns.1', 1))).toContain('retry 1')
    expect(await readManifest(store, 'dns', 'dns.1')).toMatchObject({ version: 'retry 10' })
  })

  it('is refused from three days after the begin of the run', async () => {
    const late = publishDeadline(new Date(Date.now() - publishWithinMs).toISOString())
    await expect(
      publishManifest(store, manifestOf('dns.1'), { retry: 1, deadline: late }),
    ).rejects.toMatchObject({
      code: 'PUBLISH_EXPIRED',
      message: expect.stringContaining('run=dns.1/manifest.json is not written'),
    })
    for (const never of [Number.NaN, Number.NEGATIVE_INFINITY])
      await expect(
        publishManifest(store, manifestOf('dns.1'), { retry: 1, deadline: never }),
      ).rejects.toThrow()
    expect(await readManifest(store, 'dns', 'dns.1')).toBeNull()
  })

  it('ends at the deadline, when the storage takes longer', async () => {
    const slow: ObjectStore = Object.create(store, {
      put: {
        value: (_key: string, _body: Uint8Array, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    })
    const soon = Date.now() + 20
    await expect(
      publishManifest(slow, manifestOf('dns.1'), { retry: 1, deadline: soon }),
    ).rejects.toMatchObject({
      code: 'PUBLISH_EXPIRED',
    })
  })

  it.each([
    ['../../etc', 'dns.1'],
    ['dns', '../x'],
    ['dns', 'a/b'],
    ['', 'dns.1'],
    ['DNS', 'dns.1'],
  ])('refuses the names %j and %j, of which no path may be built', async (strategy, runId) => {
    const refused = { code: 'PAYLOAD_INVALID' }
    await expect(
      publishManifest(store, manifestOf(runId, strategy), { retry: 1, deadline }),
    ).rejects.toMatchObject(refused)
    await expect(readManifest(store, strategy, runId)).rejects.toMatchObject(refused)
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses the retry %d', async (retry) => {
    await expect(publishManifest(store, manifestOf('dns.1'), { retry, deadline })).rejects.toMatchObject({
      code: 'INTERNAL',
    })
  })

  it('refuses what the schema does not know', async () => {
    const odd = { ...manifestOf('dns.1'), extra: 1 }
    await expect(publishManifest(store, odd, { retry: 1, deadline })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('extra'),
    })
    expect(await readManifest(store, 'dns', 'dns.1')).toBeNull()
  })
})

describe('reading a manifest', () => {
  it('answers null for a run that was not published, also beside longer run ids', async () => {
    await publishManifest(store, manifestOf('dns.10'), { retry: 1, deadline })
    expect(await readManifest(store, 'dns', 'dns.1')).toBeNull()
  })

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['another shape', '{"manifest_version":2}', 'manifest_version'],
  ])('names the file that holds %s', async (_, text, reason) => {
    await store.put(manifestKey('dns', 'dns.1'), Buffer.from(text))
    await expect(readManifest(store, 'dns', 'dns.1')).rejects.toMatchObject({
      code: 'SINK_INVALID',
      message: expect.stringContaining(reason),
    })
  })

  it('refuses a manifest that was copied from another run', async () => {
    await store.put(manifestKey('dns', 'dns.1'), Buffer.from(JSON.stringify(manifestOf('dns.2'))))
    await expect(readManifest(store, 'dns', 'dns.1')).rejects.toMatchObject({
      code: 'SINK_INVALID',
      message: expect.stringContaining('it is about run dns.2'),
    })
  })
})

describe('listing manifests', () => {
  it('shows every run once, with its highest retry, and passes over other files', async () => {
    for (const [runId, strategy, retry] of [
      ['dns.1', 'dns', 1],
      ['dns.1', 'dns', 2],
      ['dns.1', 'dns', 10],
      ['dns.2', 'dns', 1],
      ['web.1', 'web', 1],
    ] as const) {
      await publishManifest(store, manifestOf(runId, strategy), { retry, deadline })
    }
    for (const other of ['manifest.1.json.bak', 'manifest.02.json', 'result.parquet', 'x/manifest.json']) {
      await store.put(`_runs/strategy=dns/run=dns.2/${other}`, Buffer.from('x'))
    }
    await store.put('_runs/strategy=dns/run=.bad/manifest.json', Buffer.from('x'))
    const shown = (await listed()).map(({ strategy, runId, retry }) => `${strategy} ${runId} ${retry}`)
    expect(shown).toEqual(['dns dns.1 10', 'dns dns.2 1', 'web web.1 1'])
    expect((await listed('web')).map(({ key }) => key)).toEqual([manifestKey('web', 'web.1')])
  })

  it('shows nothing where nothing was published', async () => {
    expect(await listed()).toEqual([])
    expect(await listed('dns')).toEqual([])
  })
})
