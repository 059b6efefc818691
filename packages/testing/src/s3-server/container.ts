import { randomBytes } from 'node:crypto'
import type { RunningServer } from './running-server.ts'

/**
 * VersityGW: Apache-2.0, one process, conditional writes and multipart uploads. MinIO publishes no images any more.
 * Attributes go to a sidecar folder, since a tmpfs has extended attributes from Linux 6.6 on only.
 */
const image = 'ghcr.io/versity/versitygw:v1.7.0'
const port = 7070

/** Starts an S3 server in a container; resolves with the reason when that is not possible here. */
export async function startContainer(): Promise<RunningServer | string> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers')
  try {
    await getContainerRuntimeClient()
  } catch {
    return 'no container engine answers'
  }
  const accessKeyId = randomBytes(8).toString('hex')
  const secretAccessKey = randomBytes(16).toString('hex')
  const container = new GenericContainer(image)
    .withEnvironment({
      ROOT_ACCESS_KEY: accessKeyId,
      ROOT_SECRET_KEY: secretAccessKey,
      VGW_META_SIDECAR: '/meta',
    })
    .withTmpFs({ '/data': 'rw', '/meta': 'rw' })
    .withCommand(['posix', '/data'])
    .withExposedPorts(port)
  try {
    const running = await container.start()
    return {
      kind: 'container',
      endpoint: `http://${running.getHost()}:${running.getMappedPort(port)}`,
      region: 'us-east-1',
      accessKeyId,
      secretAccessKey,
      stop: async () => {
        await running.stop()
      },
    }
  } catch (error) {
    return `the container engine could not start ${image}: ${error instanceof Error ? error.message : error}`
  }
}
