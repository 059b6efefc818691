import { createHash } from 'node:crypto'
import { ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type FaultProxy, slowDown, startFaultProxy, startS3 } from '@huntfleet/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ObjectStore } from '../src/object-store.ts'
import type { S3Patience } from '../src/s3-client.ts'
import { openS3Store } from '../src/s3-store.ts'
import { keysOf, objectStoreSuite, textOf } from './object-store.suite.ts'

const started = await startS3()
const s3 = 'skipped' in started ? null : started
const body = Buffer.from('rows')
const megabyte = 1024 * 1024
let bucket = ''
let store: ObjectStore
const opened: ObjectStore[] = []

function open(endpoint: string, url = `s3://${bucket}/lake`, patience?: S3Patience): ObjectStore {
  const another = openS3Store({ url, endpoint, region: s3?.region ?? null, pathStyle: true }, patience)
  opened.push(another)
  return another
}

function useKeys(accessKeyId = s3?.accessKeyId, secretAccessKey = s3?.secretAccessKey): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
}

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()))
  await s3?.stop()
  vi.unstubAllEnvs()
})

describe.skipIf(s3 === null)('an S3 store', () => {
  const endpoint = s3?.endpoint ?? ''
  let proxy: FaultProxy

  beforeAll(async () => {
    useKeys()
    bucket = (await s3?.createBucket()) ?? ''
    store = open(endpoint)
  })
  beforeEach(async () => {
    useKeys()
    proxy = await startFaultProxy(endpoint)
  })
  afterEach(() => proxy.close())

  async function openUploads(): Promise<number> {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    client.destroy()
    return Uploads?.length ?? 0
  }

  objectStoreSuite(() => store)

  it('is named by bucket and prefix, and keeps to its prefix', async () => {
    await store.put('kept/a', body)
    expect(store.url).toBe(`s3://${bucket}/lake`)
    const whole = open(endpoint, `s3://${bucket}`)
    expect(whole.url).toBe(`s3://${bucket}`)
    expect(await textOf(whole, 'lake/kept/a')).toBe('rows')
    await whole.put('lakeside/kept/a', body)
    expect(await keysOf(store, 'kept')).toEqual(['kept/a'])
  })

  it('passes over the folder objects that consoles make', async () => {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'lake/console/', Body: '' }))
    client.destroy()
    await store.put('console/a', body)
    expect(await keysOf(store, 'console')).toEqual(['console/a'])
  })

  it('counts its prefix into the length of a key', async () => {
    const key = `${'a/'.repeat(510)}abcd`
    await expect(store.put(key, body)).rejects.toMatchObject({ code: 'SINK_INVALID' })
    expect(await open(endpoint, `s3://${bucket}`).head(key)).toBeNull()
  })

  it('lists more than a thousand keys in order', async () => {
    const keys = Array.from({ length: 1050 }, (_, n) => `many/${String(n).padStart(4, '0')}`)
    const waiting = [...keys]
    const worker = async (): Promise<void> => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await store.put(key, body)
    }
    await Promise.all(Array.from({ length: 16 }, worker))
    expect(await keysOf(store, 'many/')).toEqual(keys)
  })

  describe('createOnly', () => {
    it('recognises an object as its own whose answer was lost', async () => {
      proxy.inject({ method: 'PUT', path: /lost-put/, times: 1, fault: { kind: 'loseAnswer' } })
      const result = await open(proxy.url).put('lost-put', body, {
        createOnly: true,
        metadata: { attempt: 'ours' },
      })
      expect(result.created).toBe(true)
      expect(proxy.requests.filter((line) => /^PUT .*lost-put/.test(line))).toHaveLength(2)
    })

    it('looks for its object when no request was answered', async () => {
      const unsure = open(proxy.url, undefined, { attempts: 2 })
      await unsure.conditionalWrites()
      proxy.inject({ method: 'PUT', path: /doubt/, fault: { kind: 'loseAnswer' } })
      expect((await unsure.put('doubt', body, { createOnly: true })).created).toBe(true)
      proxy.inject({ method: 'PUT', path: /absent/, fault: { kind: 'drop' } })
      await expect(unsure.put('absent', body, { createOnly: true })).rejects.toMatchObject({
        code: 'SINK_UNREACHABLE',
      })
    })

    it("does not take another's object for its own, nor its own of other content", async () => {
      await store.put('taken', body, { createOnly: true, metadata: { attempt: 'theirs' } })
      const put = async (attempt: string, bytes: Buffer): Promise<boolean> =>
        (await store.put('taken', bytes, { createOnly: true, metadata: { attempt } })).created
      expect(await put('ours', body)).toBe(false)
      expect(await put('theirs', Buffer.from('ROWS'))).toBe(false)
      expect(await put('theirs', body)).toBe(true)
    })

    it.each([
      [
        'refuses the header',
        { kind: 'answer', status: 501, body: '<Error><Code>NotImplemented</Code></Error>' },
      ],
      ['ignores the header', { kind: 'answer', status: 200, body: '' }],
    ] as const)('looks before it writes where the server %s', async (name, fault) => {
      const key = `emulated/${name}`
      proxy.inject({ method: 'PUT', path: /probe-/, fault })
      const emulated = open(proxy.url)
      expect((await emulated.put(key, body, { createOnly: true })).created).toBe(true)
      expect((await emulated.put(key, Buffer.from('other'), { createOnly: true })).created).toBe(false)
      expect(await emulated.conditionalWrites()).toBe('emulated')
      expect(await textOf(store, key)).toBe('rows')
    })

    it('asks again when the server reports a conflict that nobody won', async () => {
      const conflict = {
        kind: 'answer',
        status: 409,
        body: '<Error><Code>ConditionalRequestConflict</Code></Error>',
      } as const
      proxy.inject({ method: 'PUT', path: /contended/, times: 1, fault: conflict })
      expect((await open(proxy.url).put('contended', body, { createOnly: true })).created).toBe(true)
    })

    it('probes once and leaves no probe behind', async () => {
      const probing = open(proxy.url)
      await Promise.all([
        probing.put('p/1', body, { createOnly: true }),
        probing.put('p/2', body, { createOnly: true }),
      ])
      expect(proxy.requests.filter((line) => /^PUT .*probe-/.test(line))).toHaveLength(2)
      expect(await keysOf(store, '.huntfleet/')).toEqual([])
    })
  })

  describe('a streamed object', () => {
    async function stream(target: ObjectStore, key: string, megabytes: number): Promise<string> {
      const writer = await target.create(key)
      try {
        for (let n = 0; n < megabytes; n++) await writer.write(Buffer.alloc(megabyte, n))
        return (await writer.commit()).sha256
      } catch (error) {
        await writer.abort()
        throw error
      }
    }

    it('is one request up to a part, and several parts above', async () => {
      const target = open(proxy.url)
      await stream(target, 'one-part', 16)
      expect(proxy.requests.filter((line) => line.startsWith('POST'))).toEqual([])
      await stream(target, 'two-parts', 17)
      expect(proxy.requests.filter((line) => /partNumber=\d/.test(line))).toHaveLength(2)
      expect(await store.head('two-parts')).toMatchObject({ bytes: 17 * megabyte })
    })

    it('leaves neither object nor open upload when it is aborted between parts', async () => {
      const writer = await store.create('aborted')
      for (let n = 0; n < 40; n++) await writer.write(Buffer.alloc(megabyte))
      await writer.abort()
      expect(await store.head('aborted')).toBeNull()
      expect(await openUploads()).toBe(0)
    })

    it('ends a part that hangs when it is aborted', async () => {
      proxy.inject({ path: /partNumber=1/, fault: { kind: 'hang' } })
      const writer = await open(proxy.url).create('hanging')
      for (let n = 0; n < 20; n++) await writer.write(Buffer.alloc(megabyte))
      await writer.abort()
      expect(await openUploads()).toBe(0)
    })

    it.each([
      ['is told to slow down', slowDown],
      ['loses a connection', { kind: 'drop' }],
      ['loses a connection amid a part', { kind: 'cutRequest', afterBytes: 3 * megabyte }],
      ['loses the answer to a part', { kind: 'loseAnswer' }],
    ] as const)('gets through when it %s', async (name, fault) => {
      proxy.inject({ path: /partNumber=1/, times: 1, fault })
      const sha256 = await stream(open(proxy.url), name, 18)
      const stored = await store.get(name)
      expect(
        createHash('sha256')
          .update(stored ?? '')
          .digest('hex'),
      ).toBe(sha256)
    })

    it('of one request succeeds when no answer comes, but the object is there', async () => {
      proxy.inject({ method: 'PUT', path: /unanswered/, fault: { kind: 'loseAnswer' } })
      await stream(open(proxy.url, undefined, { attempts: 2 }), 'unanswered', 1)
      expect(await store.head('unanswered')).toMatchObject({ bytes: megabyte })
    })

    it('succeeds when the answer to its completion is lost and the upload is then unknown', async () => {
      const unknown = {
        kind: 'answer',
        status: 404,
        body: '<Error><Code>NoSuchUpload</Code></Error>',
      } as const
      proxy.inject({ method: 'POST', path: /uploadId=/, times: 1, fault: { kind: 'loseAnswer' } })
      proxy.inject({ method: 'POST', path: /uploadId=/, times: 1, fault: unknown })
      await stream(open(proxy.url), 'lost-complete', 17)
      expect(await store.head('lost-complete')).toMatchObject({ bytes: 17 * megabyte })
    })

    it('fails when its upload has gone and no object is there', async () => {
      const unknown = {
        kind: 'answer',
        status: 404,
        body: '<Error><Code>NoSuchUpload</Code></Error>',
      } as const
      proxy.inject({ method: 'POST', path: /uploadId=/, fault: unknown })
      await expect(stream(open(proxy.url), 'gone', 17)).rejects.toMatchObject({ code: 'SINK_INVALID' })
      expect(await store.head('gone')).toBeNull()
      expect(await openUploads()).toBe(0)
    })

    it('reports the refusal of a part, not that of the clean-up', async () => {
      const denied = {
        kind: 'answer',
        status: 403,
        body: '<Error><Code>AccessDenied</Code></Error>',
      } as const
      proxy.inject({ path: /partNumber=/, fault: denied })
      proxy.inject({ method: 'DELETE', fault: { kind: 'answer', status: 500, body: '' } })
      const target = open(proxy.url, undefined, { attempts: 1 })
      await expect(stream(target, 'refused', 20)).rejects.toMatchObject({
        code: 'SINK_DENIED',
        message: expect.stringContaining(`cannot store s3://${bucket}/lake/refused at ${proxy.url}`),
      })
      expect(await store.head('refused')).toBeNull()
    })

    it('is not trusted, and removed, when the stored size is wrong', async () => {
      const target = open(proxy.url)
      const writer = await target.create('short')
      await writer.write(body)
      proxy.inject({ method: 'HEAD', times: 1, fault: { kind: 'answer', status: 200, body: '' } })
      await expect(writer.commit()).rejects.toMatchObject({
        code: 'SINK_UNREACHABLE',
        message: expect.stringContaining('should hold 4 bytes and holds 0 bytes'),
      })
      await writer.abort()
      expect(await store.head('short')).toBeNull()
    })

    it("leaves another writer's object alone when it is aborted after a failed commit", async () => {
      const target = open(proxy.url, undefined, { attempts: 1 })
      const writer = await target.create('theirs')
      await writer.write(body)
      await store.put('theirs', Buffer.from('their rows'))
      proxy.inject({ method: 'PUT', fault: { kind: 'drop' } })
      await expect(writer.commit()).rejects.toMatchObject({ code: 'SINK_UNREACHABLE' })
      await writer.abort()
      expect(await textOf(store, 'theirs')).toBe('their rows')
    })
  })

  it('fetches a download again that broke off', async () => {
    await store.put('cut', Buffer.alloc(megabyte, 'x'))
    proxy.inject({ method: 'GET', path: /cut/, times: 1, fault: { kind: 'cutAnswer', afterBytes: 1000 } })
    expect((await open(proxy.url).get('cut'))?.byteLength).toBe(megabyte)
    expect(proxy.requests.filter((line) => line.startsWith('GET'))).toHaveLength(2)
  })

  describe('that refuses', () => {
    it('names a missing bucket and how to create it', async () => {
      const missing = open(endpoint, 's3://huntfleet-no-such-bucket')
      const expected = {
        code: 'SINK_INVALID',
        context: {
          hint: expect.stringContaining(`aws s3 mb s3://huntfleet-no-such-bucket --endpoint-url ${endpoint}`),
        },
      }
      await expect(missing.put('a', body)).rejects.toMatchObject(expected)
      await expect(missing.put('a', body, { createOnly: true })).rejects.toMatchObject(expected)
      await expect(missing.create('a')).rejects.toMatchObject(expected)
      await expect(missing.get('a')).rejects.toMatchObject(expected)
      await expect(keysOf(missing, '')).rejects.toMatchObject(expected)
    })

    it.each([
      ['a wrong secret', s3?.accessKeyId, 'wrong-secret-0123456789'],
      ['an unknown key', 'unknown-key', 'wrong-secret-0123456789'],
    ])('tells of %s without showing it', async (_, accessKeyId, secret) => {
      useKeys(accessKeyId, secret)
      const denied = open(endpoint)
      const error: unknown = await denied.put('a', body).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'SINK_DENIED',
        context: { hint: expect.stringContaining('AWS_ACCESS_KEY_ID') },
      })
      expect(JSON.stringify(error)).not.toContain(secret)
      await expect(denied.create('a')).rejects.toMatchObject({ code: 'SINK_DENIED' })
    })

    it('gives up on a server that is not there', async () => {
      await proxy.close()
      const dead = open(proxy.url, undefined, { attempts: 2 })
      await expect(dead.put('a', body)).rejects.toMatchObject({
        code: 'SINK_UNREACHABLE',
        message: expect.stringContaining(proxy.url),
        context: { hint: expect.stringContaining('storage.endpoint') },
      })
      await expect(dead.create('a')).rejects.toMatchObject({ code: 'SINK_UNREACHABLE' })
      proxy = await startFaultProxy(endpoint)
    })

    it('gives up on a server that never answers', async () => {
      proxy.inject({ fault: { kind: 'hang' } })
      const silent = open(proxy.url, undefined, { attempts: 2, idleMs: 200 })
      await expect(silent.put('a', body)).rejects.toMatchObject({ code: 'SINK_UNREACHABLE' })
    })
  })
})
