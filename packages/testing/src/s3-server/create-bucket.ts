import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { RunningServer } from './running-server.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/**
 * Makes a bucket with a random name. Signed by hand (AWS Signature Version 4, the "Signing and authenticating REST
 * requests" page of S3's API reference), so that this package needs no SDK.
 */
export async function createBucket(server: RunningServer): Promise<string> {
  const bucket = `huntfleet-test-${randomBytes(6).toString('hex')}`
  const url = new URL(`${server.endpoint}/${bucket}`)
  const response = await fetch(url, { method: 'PUT', headers: signedHeaders(server, url) })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`cannot create a bucket at ${server.endpoint}: ${response.status} ${text}`)
  return bucket
}

function signedHeaders(server: RunningServer, url: URL): Record<string, string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${server.region}/s3/aws4_request`
  const names = 'host;x-amz-content-sha256;x-amz-date'
  const canonicalRequest = [
    'PUT',
    url.pathname,
    '',
    `host:${url.host}`,
    `x-amz-content-sha256:${hash('')}`,
    `x-amz-date:${time}`,
    '',
    names,
    hash(''),
  ].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${server.secretAccessKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash(canonicalRequest)].join('\n')).toString(
    'hex',
  )
  return {
    'x-amz-content-sha256': hash(''),
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 Credential=${server.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
