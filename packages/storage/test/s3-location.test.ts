import { describe, expect, it } from 'vitest'
import { parseS3Url } from '../src/s3-location.ts'

describe('an S3 URL', () => {
  it.each([
    ['s3://lake', 'lake', ''],
    ['s3://lake/', 'lake', ''],
    ['s3://lake/hunts', 'lake', 'hunts/'],
    ['s3://lake/hunts/prod//', 'lake', 'hunts/prod/'],
    ['s3://old_Bucket.name/100%25', 'old_Bucket.name', '100%25/'],
  ])('%s names bucket %s and prefix "%s"', (url, bucket, prefix) => {
    expect(parseS3Url(url)).toEqual({ bucket, prefix })
  })

  it.each([
    's3://',
    's3:///x',
    's3://ab',
    's3://-lake',
    's3://la ke',
    's3://lake?endpoint=http://x',
    's3://lake#x',
    's3://la:ke/x',
  ])('refuses %s', (url) => {
    expect(() => parseS3Url(url)).toThrow(expect.objectContaining({ code: 'SINK_INVALID' }))
  })

  it.each(['s3://lake/a/../b', 's3://lake/a//b', 's3://lake/..', 's3://lake/a\\b'])(
    'refuses the prefix of %s',
    (url) => {
      expect(() => parseS3Url(url)).toThrow(expect.objectContaining({ code: 'SINK_INVALID' }))
    },
  )

  it('refuses credentials without showing them', () => {
    const refusal = expect.objectContaining({ message: expect.not.stringContaining('SECRET') })
    expect(() => parseS3Url('s3://KEY:SECRET@lake/hunts')).toThrow(refusal)
  })
})
