import { ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type FaultProxy, type HttpFault, startFaultProxy, startS3 } from '@huntfleet/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ObjectStore } from '../src/object-store.ts'
import { copyableCount } from '../src/s3-assembly.ts'
import { openS3Store } from '../src/s3-store.ts'
import { assembleSuite, putPieces, sha256Of } from './assemble.suite.ts'

const started = await startS3()
const s3 = 'skipped' in started ? null : started
const megabyte = 1024 * 1024
const bodies = [Buffer.alloc(6 * megabyte, 'one'), Buffer.alloc(5 * megabyte, 'two'), Buffer.from('three')]
const tail = Buffer.from('tail')
const sha256 = sha256Of(...bodies, tail)

const error = (status: number, code: string): HttpFault => ({
  kind: 'answer',
  status,
  body: `<Error><Code>${code}</Code></Error>`,
})

describe.skipIf(s3 === null)('assembling on S3', () => {
  let bucket = ''
  let store: ObjectStore
  let client: S3Client
  let proxy: FaultProxy
  let proxied: ObjectStore
  const open = (endpoint: string): ObjectStore =>
    openS3Store({ url: `s3://${bucket}/b+c=ü/lake`, endpoint, region: 'us-east-1', pathStyle: true })

  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3?.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3?.secretAccessKey)
    bucket = (await s3?.createBucket()) ?? ''
    client = new S3Client({ endpoint: s3?.endpoint ?? '', region: 'us-east-1', forcePathStyle: true })
    store = open(s3?.endpoint ?? '')
  })
  beforeEach(async () => {
    proxy = await startFaultProxy(s3?.endpoint ?? '')
    proxied = open(proxy.url)
  })
  afterEach(async () => {
    await proxied.close()
    await proxy.close()
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    expect(Uploads ?? []).toEqual([])
  })
  afterAll(async () => {
    await store.close()
    client.destroy()
    await s3?.stop()
    vi.unstubAllEnvs()
  })

  const downloads = (): string[] => proxy.requests.filter((line) => /^GET .*\.part/.test(line))
  const content = async (key: string): Promise<string> => sha256Of((await store.get(key)) ?? new Uint8Array())

  assembleSuite(() => store)

  it('leaves large pieces to the server, and reads only those from the first small one on', async () => {
    const pieces = await putPieces(store, 'copied', bodies)
    await proxied.assemble('copied/whole', { pieces, tail, sha256 })
    expect(downloads().map((line) => line.split('/').at(-1))).toEqual(['a1-00002.part?x-id=GetObject'])
    expect(await content('copied/whole')).toBe(sha256)
  })

  it.each([
    ['cannot copy parts', { path: /partNumber=/, times: 1, fault: error(501, 'NotImplemented') }],
    [
      'wants parts of one size',
      { path: /uploadId=.*/, method: 'POST', times: 1, fault: error(400, 'InvalidPart') },
    ],
  ])(
    'reads and sends the pieces where the server %s, and does so at once the next time',
    async (name, rule) => {
      const pieces = await putPieces(store, name, bodies)
      proxy.inject(rule)
      expect(await proxied.assemble(`${name}/whole`, { pieces, tail, sha256 })).toMatchObject({ sha256 })
      expect(await content(`${name}/whole`)).toBe(sha256)
      const before = downloads().length
      await proxied.assemble(`${name}/second`, { pieces, tail, sha256 })
      expect(downloads().length - before).toBe(pieces.length)
      expect(await content(`${name}/second`)).toBe(sha256)
    },
  )

  it('goes on copying after a server had trouble with one copy', async () => {
    const pieces = await putPieces(store, 'busy', bodies)
    proxy.inject({ path: /partNumber=1/, times: 2, fault: error(503, 'SlowDown') })
    await proxied.assemble('busy/whole', { pieces, tail, sha256 })
    expect(downloads()).toHaveLength(1)
    expect(await content('busy/whole')).toBe(sha256)
  })

  it('reads a piece whose SHA-256 the server did not keep, before it copies it', async () => {
    const pieces = await putPieces(store, 'bare', bodies)
    const Key = `b+c=ü/lake/${pieces[0]?.key}`
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.alloc(6 * megabyte, 'one') }))
    await proxied.assemble('bare/whole', { pieces, tail, sha256 })
    expect(await content('bare/whole')).toBe(sha256)
    const altered = Buffer.alloc(6 * megabyte, 'eno')
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: altered }))
    await expect(proxied.assemble('bare/second', { pieces, tail, sha256 })).rejects.toMatchObject({
      code: 'PIECE_LOST',
    })
    expect(await store.head('bare/second')).toBeNull()
  })
})

describe('the pieces that S3 can copy', () => {
  const pieces = (...sizes: number[]) => sizes.map((bytes) => ({ key: 'k', bytes, sha256: '' }))
  const five = 5 * megabyte
  const limits = { prefix: 'lake/', partBytes: five }

  it('are none where Ceph would take the name for another', () => {
    const named = (key: string) => [{ key, bytes: five, sha256: '' }]
    expect(copyableCount({ pieces: named('a%20b'), tail }, { ...limits, prefix: '' })).toBe(0)
    expect(copyableCount({ pieces: named('a'), tail }, { ...limits, prefix: 'a%20b/' })).toBe(0)
  })

  it.each([
    ['none, when there are none', [], 0],
    ['all of 5 MiB and more', [five, five], 2],
    ['those before the first smaller one', [five, five - 1, five], 1],
    ['those before the first above 5 GiB', [five, 5 * 1024 ** 3 + 1], 1],
    ['none of more than an upload has parts', Array.from({ length: 10_000 }, () => five), 0],
  ])('are %s', (_, sizes, count) => {
    expect(copyableCount({ pieces: pieces(...sizes), tail }, limits)).toBe(count)
  })
})
