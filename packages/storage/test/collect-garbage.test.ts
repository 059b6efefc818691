import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FaultProxy, startFaultProxy, startS3 } from '@huntfleet/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectGarbage } from '../src/collect-garbage.ts'
import { openLocalStore } from '../src/local-store.ts'
import type { ObjectStore } from '../src/object-store.ts'
import { openS3Store } from '../src/s3-store.ts'
import { day, folder, garbageSuite, options, putAll } from './garbage.suite.ts'
import { keysOf } from './object-store.suite.ts'

const started = await startS3()
const s3 = 'skipped' in started ? null : started
afterAll(async () => {
  await s3?.stop()
  vi.unstubAllEnvs()
})

describe('in a folder', () => {
  let root = ''
  const openEmpty = async (): Promise<ObjectStore> => {
    root = await mkdtemp(join(tmpdir(), 'huntfleet-garbage-'))
    const here = root
    onTestFinished(() => rm(here, { recursive: true }))
    return await openLocalStore(root, { fsync: false })
  }
  garbageSuite(openEmpty, 30)

  it('removes temporary files of the given age', async () => {
    const store = await openEmpty()
    const old = Date.now() / 1000 - 8 * 24 * 3600
    for (const name of ['old', 'young']) await writeFile(join(root, '.tmp', name), 'rows')
    await utimes(join(root, '.tmp/old'), old, old)
    await mkdir(join(root, '.tmp/folder'))
    const { removed } = await collectGarbage(store, options({ now: Date.now() }))
    expect(removed).toMatchObject([{ kind: 'temporary', key: '.tmp/old', bytes: 4 }])
    expect(await readdir(join(root, '.tmp'))).toEqual(['folder', 'young'])
  })

  it('removes the folders that it has emptied', async () => {
    const store = await openEmpty()
    await putAll(store, `_parts/${folder}/bbbbbbb2-00000.part`, `${folder}/bbbbbbb2.parquet`)
    await store.put('strategy=dns/table=events/kept', Buffer.from('x'))
    await collectGarbage(store, options())
    expect(await readdir(root)).toEqual(['.tmp', 'strategy=dns'])
    expect(await readdir(join(root, 'strategy=dns/table=events'))).toEqual(['kept'])
  })

  it('never makes a writer fail whose folder it removes', async () => {
    const store = await openEmpty()
    const body = Buffer.from('x')
    const churn = async (name: string): Promise<void> => {
      for (let n = 0; n < 100; n++) {
        expect((await store.put(`a/b/c/${name}`, body, { createOnly: true })).created).toBe(true)
        await store.delete(`a/b/c/${name}`)
      }
    }
    await Promise.all(['1', '2', '3', '4'].map(churn))
    expect(await readdir(root)).toEqual(['.tmp'])
  })
})

describe.skipIf(s3 === null)('in a bucket', () => {
  const openBucket = (bucket: string, endpoint = s3?.endpoint ?? ''): ObjectStore => {
    const store = openS3Store(
      { url: `s3://${bucket}/lake`, endpoint, region: 'us-east-1', pathStyle: true },
      { attempts: 2 },
    )
    onTestFinished(() => store.close())
    return store
  }
  const newBucket = async (): Promise<string> => (await s3?.createBucket()) ?? ''

  beforeAll(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3?.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3?.secretAccessKey)
  })
  garbageSuite(async () => openBucket(await newBucket()), 3)

  /** Begins an upload and forgets it, as a killed process does. */
  async function abandon(store: ObjectStore, key: string): Promise<void> {
    const writer = await store.create(key)
    await writer.write(Buffer.alloc(17 * 1024 * 1024))
  }

  it('ends uploads of the given age, ours only', async () => {
    const store = openBucket(await newBucket())
    const keys = [`${folder}/bbbbbbb2.parquet`, `${folder}/ccccccc3.parquet`, 'foreign/big.bin']
    for (const key of keys) await abandon(store, key)
    expect((await collectGarbage(store, options({ now: Date.now() + 6 * day }))).removed).toEqual([])
    const { removed } = await collectGarbage(store, options())
    expect(removed.map(({ kind, key, bytes }) => ({ kind, key, bytes }))).toEqual(
      keys.slice(0, 2).map((key) => ({ kind: 'upload', key, bytes: null })),
    )
    const left: string[] = []
    for await (const { key } of store.unfinished()) left.push(key)
    expect(left).toEqual(['foreign/big.bin'])
  })

  describe('of a server', () => {
    let proxy: FaultProxy
    const proxied = async (): Promise<ObjectStore> => {
      proxy = await startFaultProxy(s3?.endpoint ?? '')
      onTestFinished(() => proxy.close())
      return openBucket(await newBucket(), proxy.url)
    }
    const refusal = (status: number, code: string) =>
      ({ kind: 'answer', status, body: `<Error><Code>${code}</Code></Error>` }) as const

    it.each([
      [501, 'NotImplemented'],
      [403, 'AccessDenied'],
      [405, 'MethodNotAllowed'],
    ])('that answers %d to the list of uploads, does the rest and says so', async (status, code) => {
      const store = await proxied()
      await putAll(store, `${folder}/bbbbbbb2.parquet`)
      proxy.inject({ method: 'GET', path: /[?&]uploads/, fault: refusal(status, code) })
      const { removed, notes } = await collectGarbage(store, options())
      expect(removed).toHaveLength(1)
      expect(notes).toEqual([expect.stringMatching(/^unfinished uploads could not be listed, .*lifecycle.*/)])
      expect(await keysOf(store, '')).toEqual([])
    })

    it('that is down, fails instead of telling half the truth', async () => {
      const store = await proxied()
      proxy.inject({ method: 'GET', path: /[?&]uploads/, fault: { kind: 'drop' } })
      await expect(collectGarbage(store, options())).rejects.toMatchObject({ code: 'SINK_UNREACHABLE' })
    })

    it('that has ended an upload meanwhile, goes on', async () => {
      const store = await proxied()
      await abandon(store, `${folder}/bbbbbbb2.parquet`)
      proxy.inject({ method: 'DELETE', path: /uploadId/, fault: refusal(404, 'NoSuchUpload') })
      expect((await collectGarbage(store, options())).removed).toHaveLength(1)
    })

    it('that lists uploads page by page, sees them all', async () => {
      const store = await proxied()
      for (const name of ['bbbbbbb2', 'ccccccc3']) await abandon(store, `${folder}/${name}.parquet`)
      const page = (name: string, more: boolean): string =>
        `<ListMultipartUploadsResult><IsTruncated>${more}</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker><Upload><Key>lake/${folder}/${name}.parquet</Key><UploadId>${name}</UploadId><Initiated>2020-01-01T00:00:00.000Z</Initiated></Upload></ListMultipartUploadsResult>`
      const answer = (body: string) => ({ kind: 'answer', status: 200, body }) as const
      proxy.inject({ method: 'GET', path: /key-marker=k/, fault: answer(page('ccccccc3', false)) })
      proxy.inject({ method: 'GET', path: /[?&]uploads/, fault: answer(page('bbbbbbb2', true)) })
      const { removed } = await collectGarbage(store, options({ dryRun: true }))
      expect(removed.map(({ key }) => key.slice(-16, -8))).toEqual(['bbbbbbb2', 'ccccccc3'])
    })
  })
})
