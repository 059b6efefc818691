import { afterEach, describe, expect, it, vi } from 'vitest'
import { createS3Client } from '../src/s3-client.ts'

const aws = { url: 's3://lake', endpoint: null, region: 'eu-central-1', pathStyle: false }
const other = { url: 's3://lake', endpoint: 'http://127.0.0.1:9000', region: null, pathStyle: true }

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the S3 client', () => {
  it("keeps the SDK's checksums for AWS and sends only required ones to other servers", async () => {
    const atAws = createS3Client(aws).config
    const elsewhere = createS3Client(other).config
    expect(await atAws.requestChecksumCalculation()).toBe('WHEN_SUPPORTED')
    expect(await elsewhere.requestChecksumCalculation()).toBe('WHEN_REQUIRED')
    expect(await elsewhere.responseChecksumValidation()).toBe('WHEN_REQUIRED')
  })

  it('tries eight times, or as often as it is told', async () => {
    expect(await createS3Client(other).config.maxAttempts()).toBe(8)
    expect(await createS3Client(other, { attempts: 2 }).config.maxAttempts()).toBe(2)
  })

  it('takes the region of the target, else of the environment, else one that any server takes', async () => {
    vi.stubEnv('AWS_REGION', undefined)
    vi.stubEnv('AWS_DEFAULT_REGION', undefined)
    expect(await createS3Client(aws).config.region()).toBe('eu-central-1')
    expect(await createS3Client(other).config.region()).toBe('us-east-1')
    vi.stubEnv('AWS_REGION', 'eu-west-1')
    expect(await createS3Client(other).config.region()).toBe('eu-west-1')
  })

  it.each(['127.0.0.1:9000', 'ftp://host', 'http://KEY:SECRET@host', 'http://host?x=1', 'not a url'])(
    'refuses the endpoint %s',
    (endpoint) => {
      const refusal = { code: 'SINK_INVALID', message: expect.not.stringContaining('SECRET') }
      expect(() => createS3Client({ ...other, endpoint })).toThrow(expect.objectContaining(refusal))
    },
  )
})
