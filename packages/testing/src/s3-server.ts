import { realpath } from 'node:fs/promises'
import { startContainer } from './s3-server/container.ts'
import { createBucket } from './s3-server/create-bucket.ts'
import { hasRadosgw, installObstacle, installRadosgw } from './s3-server/install-radosgw.ts'
import { startRadosgw } from './s3-server/radosgw.ts'
import { prepareRoot } from './s3-server/radosgw-root.ts'
import type { RunningServer } from './s3-server/running-server.ts'

/** A real S3 API for one test file. */
export interface S3Server extends Omit<RunningServer, 'stop'> {
  /** Makes a bucket that nobody else uses and resolves with its name. */
  createBucket(): Promise<string>
  /** Ends the server and removes its data; with TEST_S3_ENDPOINT the buckets stay behind. */
  stop(): Promise<void>
}

/**
 * Starts an S3 server: the one that TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY and TEST_S3_SECRET_KEY name; or the radosgw of
 * the system in the folder TEST_S3_ROOT, installed there first if it is missing; else Debian's radosgw (installed first
 * where we may); else a container; else says why not, also on stderr.
 */
export async function startS3(): Promise<S3Server | { skipped: string }> {
  const given = givenServer()
  if (given !== null) return withBuckets(given)
  const root = process.env['TEST_S3_ROOT']
  if (root) {
    await prepareRoot(root)
    return withBuckets(await startRadosgw(await realpath(root)))
  }
  const obstacles: string[] = []
  for (const start of [installedRadosgw, startContainer]) {
    const server = await start()
    if (typeof server !== 'string') return withBuckets(server)
    obstacles.push(server)
  }
  const skipped = `no S3 server for tests: ${obstacles.join('; ')}. Set TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY and TEST_S3_SECRET_KEY.`
  process.stderr.write(`${skipped}\n`)
  return { skipped }
}

function givenServer(): RunningServer | null {
  const endpoint = process.env['TEST_S3_ENDPOINT']
  if (!endpoint) return null
  return {
    kind: 'given',
    endpoint,
    region: process.env['TEST_S3_REGION'] ?? 'us-east-1',
    accessKeyId: process.env['TEST_S3_ACCESS_KEY'] ?? '',
    secretAccessKey: process.env['TEST_S3_SECRET_KEY'] ?? '',
    stop: async () => {},
  }
}

async function installedRadosgw(): Promise<RunningServer | string> {
  if (!(await hasRadosgw())) {
    const obstacle = (await installObstacle()) ?? (await installRadosgw())
    if (obstacle !== null) return `no radosgw on PATH (${obstacle})`
  }
  return await startRadosgw()
}

function withBuckets(server: RunningServer): S3Server {
  return { ...server, createBucket: () => createBucket(server) }
}
