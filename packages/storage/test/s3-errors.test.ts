import { RunError } from '@huntfleet/contract'
import { describe, expect, it } from 'vitest'
import { s3Error } from '../src/s3-errors.ts'

const request = { doing: 'store', bucket: 'lake', key: 'run/t.parquet', endpoint: 'http://127.0.0.1:9000' }

function sdkError(name: string, status: number | undefined, message = 'as the server says'): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } })
}

function nodeError(code: string): Error {
  return Object.assign(new Error(`it failed with ${code}`), { code })
}

describe('an error of the S3 client', () => {
  it.each([
    [sdkError('AccessDenied', 403), 'SINK_DENIED', 's3:PutObject'],
    [sdkError('403', 403), 'SINK_DENIED', 's3:PutObject'],
    [sdkError('InvalidAccessKeyId', 403), 'SINK_DENIED', 'AWS_ACCESS_KEY_ID'],
    [sdkError('SignatureDoesNotMatch', 403), 'SINK_DENIED', 'AWS_ACCESS_KEY_ID'],
    [sdkError('ExpiredToken', 400), 'SINK_DENIED', 'fresh credentials'],
    [sdkError('RequestTimeTooSkewed', 403), 'SINK_DENIED', 'clock'],
    [Object.assign(new Error('none'), { name: 'CredentialsProviderError' }), 'SINK_DENIED', 'AWS_PROFILE'],
    [
      sdkError('NoSuchBucket', 404),
      'SINK_INVALID',
      'aws s3 mb s3://lake --endpoint-url http://127.0.0.1:9000',
    ],
    [sdkError('PermanentRedirect', 301), 'SINK_INVALID', 'storage.region'],
    [new Error('Region is missing'), 'SINK_INVALID', 'storage.region'],
    [sdkError('NotImplemented', 501), 'SINK_INVALID', 'storage.endpoint'],
    [sdkError('MethodNotAllowed', 405), 'SINK_INVALID', 'storage.endpoint'],
    [nodeError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'SINK_INVALID', 'NODE_EXTRA_CA_CERTS'],
    [sdkError('SlowDown', 503), 'SINK_UNREACHABLE', 'retry'],
    [sdkError('InternalError', 500), 'SINK_UNREACHABLE', 'retry'],
    [sdkError('TooManyRequests', 429), 'SINK_UNREACHABLE', 'retry'],
    [sdkError('RequestTimeout', 400), 'SINK_UNREACHABLE', 'retry'],
    [sdkError('SyntaxError', 200), 'SINK_UNREACHABLE', 'retry'],
    [sdkError('TimeoutError', undefined), 'SINK_UNREACHABLE', 'retry'],
    [nodeError('ECONNREFUSED'), 'SINK_UNREACHABLE', 'storage.endpoint'],
    [Object.assign(sdkError('Error', 404), { code: 'ECONNRESET' }), 'SINK_UNREACHABLE', 'retry'],
    [nodeError('ENOTFOUND'), 'SINK_UNREACHABLE', 'storage.endpoint'],
  ])('%s is %s and says what to do', (thrown, code, hint) => {
    const error = s3Error(thrown, request)
    expect(error).toMatchObject({ code, context: { hint: expect.stringContaining(hint) } })
    expect(error.message).toMatch(
      /^cannot store s3:\/\/lake\/run\/t\.parquet at http:\/\/127\.0\.0\.1:9000: /,
    )
    expect(error.cause).toBe(thrown)
  })

  it('shows nothing raw of what a server says', () => {
    const { message } = s3Error(sdkError('Weird', 400, `\u001b[31m${'x'.repeat(5000)}`), request)
    expect(message).toContain('\\u{1b}[31m')
    expect(message.length).toBeLessThan(500)
  })

  it('stays what it is when it is ours, and is a bug when it is none of the client', () => {
    const ours = new RunError('CANCELLED', 'stopped')
    expect(s3Error(ours, request)).toBe(ours)
    expect(s3Error(new TypeError('undefined is not a function'), request).code).toBe('INTERNAL')
    expect(
      s3Error(Object.assign(new TypeError('bad header'), { code: 'ERR_INVALID_CHAR' }), request).code,
    ).toBe('INTERNAL')
    expect(s3Error('thrown text', request).code).toBe('INTERNAL')
  })
})
