import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3'
import { isKey } from './object-key.ts'
import type { Unfinished } from './object-store.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { faultOf } from './s3-errors.ts'

/** The uploads below the store's prefix that were neither completed nor aborted. */
export async function* listUploads(bucket: S3Bucket): AsyncGenerator<Unfinished> {
  const { client, name: Bucket, prefix: Prefix } = bucket
  let marker: { KeyMarker?: string; UploadIdMarker?: string | undefined } | null = {}
  while (marker !== null) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket,
      Prefix,
      ...marker,
    })
    const page: ListMultipartUploadsCommandOutput = await bucket.attempt('list the uploads of', '', () =>
      client.send(command),
    )
    for (const { Key, UploadId: id, Initiated } of page.Uploads ?? []) {
      const key = Key?.slice(Prefix.length)
      if (key === undefined || id === undefined || Initiated === undefined || !isKey(key)) continue
      yield { kind: 'upload', key, id, bytes: null, modifiedAt: Initiated.getTime() }
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    marker = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : null
  }
}

/** Gives the storage of an upload's parts back; one that has ended meanwhile is no error. */
export async function abortUpload(bucket: S3Bucket, { key, id }: Unfinished): Promise<void> {
  const command = new AbortMultipartUploadCommand({ ...bucket.target(key), UploadId: id })
  await bucket.attempt('end an upload of', key, async () => {
    try {
      await bucket.client.send(command)
    } catch (error) {
      if (faultOf(error)?.name !== 'NoSuchUpload') throw error
    }
  })
}
