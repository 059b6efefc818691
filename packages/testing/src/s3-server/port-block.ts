import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Ports of one instance; below 32768, where Linux begins to hand out ports to clients. */
const blockSize = 64
const firstPort = 20_000
const blocks = 190

/** A run of free ports, ours until it is released. */
export interface PortBlock {
  /** The first of 63 ports. */
  first: number
  release(): void
}

/**
 * Finds free ports for a server that wants to be told them in advance. The last port of the block is kept listening, so
 * that another test process cannot choose the same block before the server has bound its own.
 */
export async function reservePorts(): Promise<PortBlock> {
  for (let tries = 0; tries < 100; tries++) {
    const first = firstPort + blockSize * Math.floor(Math.random() * blocks)
    const guard = await listen(first + blockSize - 1)
    if (guard === null) continue
    if ((await isFree(first)) && (await isFree(first + 1))) {
      guard.unref()
      return { first, release: () => guard.close() }
    }
    guard.close()
  }
  throw new Error(`no block of ${blockSize} free ports on 127.0.0.1 from ${firstPort} on`)
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port)
  if (server === null) return false
  server.close()
  await once(server, 'close')
  return true
}

async function listen(port: number): Promise<Server | null> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return null
  }
}
