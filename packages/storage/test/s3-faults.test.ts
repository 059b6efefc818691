import { randomUUID } from 'node:crypto'
import { type FaultProxy, type HttpFault, slowDown, startFaultProxy, startS3 } from '@huntfleet/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { collectGarbage } from '../src/collect-garbage.ts'
import { publishManifest } from '../src/manifest-store.ts'
import type { ObjectStore, StoredObject } from '../src/object-store.ts'
import { publishDeadline } from '../src/publish-deadline.ts'
import type { S3Patience } from '../src/s3-client.ts'
import { openS3Store } from '../src/s3-store.ts'
import { putPieces, sha256Of } from './assemble.suite.ts'
import { folder, options, putManifest } from './garbage.suite.ts'
import { manifestOf } from './manifest-of.ts'
import { keysOf } from './object-store.suite.ts'

const started = await startS3()
const s3 = 'skipped' in started ? null : started
const megabyte = 1024 * 1024
const deadline = publishDeadline(new Date().toISOString())

/** Ends as our Parquet files do, for the garbage collection. */
const fileOf = (bytes: number): Buffer => {
  const file = Buffer.alloc(bytes, 'rows ')
  file.write('PAR1 huntfleet.run_id PAR1', bytes - 26)
  return file
}
const small = fileOf(100)
const large = fileOf(5 * megabyte + 100)
const pieceBodies = [Buffer.alloc(5 * megabyte, 'one'), Buffer.from('two')]
const assembled = Buffer.concat([...pieceBodies, small])

const faults: Record<string, HttpFault> = {
  'is dropped': { kind: 'drop' },
  'loses its answer': { kind: 'loseAnswer' },
  'is answered 500': { kind: 'answer', status: 500, body: '<Error><Code>InternalError</Code></Error>' },
  'is answered SlowDown': slowDown,
  'is cut off': { kind: 'cutRequest', afterBytes: 20 },
  'has its answer cut off': { kind: 'cutAnswer', afterBytes: 20 },
  'arrives late': { kind: 'late', ms: 1500 },
}

/** The server refuses `If-None-Match`, as Swift does. */
const unconditional = {
  method: 'PUT',
  path: /probe-/,
  fault: { kind: 'answer', status: 501, body: '<Error><Code>NotImplemented</Code></Error>' },
} as const

describe.skipIf(s3 === null)('with a fault at any request', () => {
  let bucket = ''
  let direct: ObjectStore
  let pieces: StoredObject[]
  const open = (endpoint: string, patience?: S3Patience): ObjectStore =>
    openS3Store(
      { url: `s3://${bucket}/lake`, endpoint, region: 'us-east-1', pathStyle: true },
      patience,
      5 * megabyte,
    )

  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3?.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3?.secretAccessKey)
    bucket = (await s3?.createBucket()) ?? ''
    direct = open(s3?.endpoint ?? '')
    pieces = await putPieces(direct, folder, pieceBodies)
  })
  afterAll(async () => {
    await direct.close()
    await s3?.stop()
    vi.unstubAllEnvs()
  })

  interface Trial {
    /** Rejects, or resolves with what the caller is told. */
    run(store: ObjectStore): Promise<unknown>
    /** Throws if something is visible that must not be, or if what was told (null: it failed) is not true. */
    check(told: unknown): Promise<void>
  }

  /** Everything below the storage that a trial may leave visible when it has succeeded. */
  const stored: string[] = []

  const streams = (body: Buffer) => (): Trial => {
    const key = `${folder}/${randomUUID().slice(0, 8)}.parquet`
    return {
      async run(store) {
        const writer = await store.create(key)
        try {
          await writer.write(body)
          return (await writer.commit()).sha256
        } catch (error) {
          await writer.abort()
          throw error
        }
      },
      check: (told) => checkFile(key, body, told),
    }
  }
  const assembles = (): Trial => {
    const key = `${folder}/${randomUUID().slice(0, 8)}.parquet`
    const sha256 = sha256Of(assembled)
    return {
      run: async (store) => (await store.assemble(key, { pieces, tail: small, sha256 })).sha256,
      check: (told) => checkFile(key, assembled, told),
    }
  }

  async function checkFile(key: string, body: Buffer, told: unknown): Promise<void> {
    const there = await direct.get(key)
    if (told !== null) expect(told).toBe(sha256Of(body))
    if (told !== null || there !== null)
      expect(sha256Of(there ?? Buffer.from('nothing'))).toBe(sha256Of(body))
    // Of the large ones one is as good as many.
    if (told !== null && body === small) stored.push(key)
    else await direct.delete(key)
  }

  const publishes = (quicker: 'nobody' | 'another') => (): Trial => {
    const manifest = (version: string) => manifestOf(`dns.${runs}`, version)
    const runs = randomUUID()
    const key = `_runs/strategy=dns/run=dns.${runs}/manifest.json`
    const publish = async (store: ObjectStore, version: string): Promise<boolean> => {
      const publishing = { retry: 1, attempt: version, deadline }
      return (await publishManifest(store, manifest(version), publishing)).created
    }
    const expected = quicker === 'another' ? 'theirs' : 'ours'
    return {
      async run(store) {
        if (quicker === 'another') await publish(direct, 'theirs')
        return await publish(store, 'ours')
      },
      async check(told) {
        const text = Buffer.from((await direct.get(key)) ?? 'nothing').toString()
        if (told !== null) expect(told).toBe(expected === 'ours')
        if (told !== null || text !== 'nothing') expect(text).toContain(`"version": "${expected}"`)
        // Asked again it is what it was.
        expect(await publish(direct, 'ours')).toBe(expected === 'ours')
        await direct.delete(key)
      },
    }
  }

  /** With the number of requests that each makes. */
  const trials: [string, () => Trial, 'conditional' | 'unconditional', number][] = [
    ['an object of one request', streams(small), 'conditional', 3],
    ['an object of two parts', streams(large), 'conditional', 6],
    ['an object of pieces', assembles, 'conditional', 8],
    ['a manifest', publishes('nobody'), 'conditional', 4],
    ['a manifest beside a quicker one', publishes('another'), 'conditional', 5],
    ['a manifest without conditional writes', publishes('nobody'), 'unconditional', 4],
    ['a manifest beside a quicker one without conditional writes', publishes('another'), 'unconditional', 3],
  ]

  /** Runs a trial behind a proxy; resolves with what the caller was told, null when it failed. */
  async function attempt(
    trial: Trial,
    writes: 'conditional' | 'unconditional',
    patience: S3Patience,
    prepare: (proxy: FaultProxy) => void,
  ): Promise<{ told: unknown; requests: number }> {
    const proxy = await startFaultProxy(s3?.endpoint ?? '')
    if (writes === 'unconditional') proxy.inject(unconditional)
    prepare(proxy)
    const store = open(proxy.url, patience)
    try {
      const told = await trial.run(store).catch((error: Error) => {
        expect(error).toMatchObject({ code: 'SINK_UNREACHABLE' })
        return null
      })
      await vi.waitUntil(() => proxy.lateRequests === 0, { timeout: 30_000 })
      return { told, requests: proxy.requests.length }
    } finally {
      await store.close()
      await proxy.close()
    }
  }

  /** Runs every trial once for each of its requests, which then meets the fault. */
  async function atEveryRequest(fault: HttpFault, times: number | null): Promise<void> {
    const late = fault.kind === 'late'
    // A client that has given up before a late request arrives, and else waits as long as a busy machine needs.
    const patience = { attempts: times === null ? 1 : 6, idleMs: late ? 1000 : 30_000 }
    const waiting = trials.flatMap(([name, newTrial, writes, requests]) =>
      Array.from({ length: requests }, (_, after) => async () => {
        const trial = newTrial()
        const prepare = (proxy: FaultProxy): void =>
          proxy.inject({ after, fault, ...(times === null ? {} : { times }) })
        const { told } = await attempt(trial, writes, patience, prepare)
        if (times !== null) expect(told, `${name}, fault at request ${after}`).not.toBeNull()
        await trial.check(told)
      }),
    )
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next()
    }
    await Promise.all(Array.from({ length: late ? 100 : 8 }, work))
  }

  it.each(trials)(
    '%s is made of as many requests as are tried below',
    async (_, newTrial, writes, expected) => {
      const trial = newTrial()
      const { told, requests } = await attempt(trial, writes, {}, () => {})
      await trial.check(told)
      expect(requests).toBe(expected)
    },
  )

  it.each(Object.entries(faults))('everything succeeds when one request %s', async (_, fault) => {
    await atEveryRequest(fault, 1)
  })

  it.each(Object.entries(faults))('the truth is told when each one from there on %s', async (_, fault) => {
    await atEveryRequest(fault, null)
  })

  it('leaves nothing behind that a garbage collection does not find', async () => {
    const manifest = '_runs/strategy=dns/run=dns.1/manifest.json'
    for (const [n, key] of stored.entries())
      await putManifest(direct, manifest.replace('manifest', `manifest.${n + 2}`), key)
    const manifests = await keysOf(direct, '_runs/')
    await collectGarbage(direct, options())
    expect(await keysOf(direct, '')).toEqual([...manifests, ...stored].sort())
    const left: string[] = []
    for await (const { key } of direct.unfinished()) left.push(key)
    expect(left).toEqual([])
  })
})
