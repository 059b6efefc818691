import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { Upload } from '@aws-sdk/lib-storage'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { S3Bucket } from '../src/s3-bucket.ts'
import { createS3Client } from '../src/s3-client.ts'
import { S3Writer } from '../src/s3-writer.ts'

const megabyte = 1024 * 1024
const content = Buffer.alloc(35 * megabyte, 'rows')
const attributes = { contentType: 'application/vnd.apache.parquet', metadata: { attempt: 'a1' } }
/** What of a request decides how AWS understands it. */
const telling = /^(content-(type|length)|x-amz-(?!date|content-sha256|user-agent).*)$/

let requests: string[] = []
let server: Server

/** Answers as AWS does, with the checksums of the parts, which no server that runs in tests returns. */
beforeAll(async () => {
  server = createServer((request, answer) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      if (request.method === 'POST') text += chunk.toString()
    })
    request.on('end', () => {
      const path = (request.url ?? '').replace(
        /\?.*/,
        (query) => `?${query.slice(1).split('&').sort().join('&')}`,
      )
      const headers = Object.entries(request.headers).filter(([name]) => telling.test(name))
      if (request.method !== 'HEAD')
        requests.push(JSON.stringify([request.method, path, headers.sort(), text]))
      answer.setHeader('etag', `"${path.length}"`)
      answer.setHeader('x-amz-checksum-crc32', request.headers['x-amz-checksum-crc32'] ?? 'none')
      if (request.method === 'HEAD') answer.setHeader('content-length', content.length)
      const uploadId = '<UploadId>u1</UploadId>'
      answer.end(
        path.includes('uploads')
          ? `<InitiateMultipartUploadResult>${uploadId}</InitiateMultipartUploadResult>`
          : request.method === 'POST'
            ? '<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>'
            : '',
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
})
beforeEach(() => {
  requests = []
})
afterAll(async () => {
  vi.unstubAllEnvs()
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
})

describe('an upload in parts', () => {
  it("says to AWS what the SDK's own uploader says, checksums included", async () => {
    const client = createS3Client({ url: 's3://lake', endpoint: null, region: 'us-east-1', pathStyle: true })
    const { contentType: ContentType, metadata: Metadata } = attributes
    const params = { Bucket: 'lake', Key: 't.parquet', Body: content, ContentType, Metadata }
    await new Upload({ client, params, partSize: 16 * megabyte }).done()
    const expected = requests.sort()
    expect(expected.filter((line) => line.includes('x-amz-checksum-crc32'))).toHaveLength(3)
    expect(expected.filter((line) => line.includes('<ChecksumCRC32>'))).toHaveLength(1)
    requests = []

    const bucket = new S3Bucket(client, { bucket: 'lake', prefix: '' }, null)
    const writer = new S3Writer(bucket, {
      key: 't.parquet',
      attributes,
      signal: undefined,
      partBytes: 16 * megabyte,
    })
    await writer.write(content.subarray(0, 5))
    await writer.write(content.subarray(5))
    await writer.commit()
    expect(requests.sort()).toEqual(expected)
    client.destroy()
  })
})
