import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** An address whose server changes, as that of a Redis behind a fail-over does. */
export interface MovingAddress {
  readonly url: string
  /** From now on connections lead there; those that are open are cut. */
  moveTo(redisUrl: string): void
  close(): Promise<void>
}

export async function movingAddress(redisUrl: string): Promise<MovingAddress> {
  let target = new URL(redisUrl)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from
        .on('error', () => to.destroy())
        .on('close', () => {
          open.delete(from)
          to.destroy()
        })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `redis://127.0.0.1:${address.port}`,
    moveTo(url) {
      target = new URL(url)
      cut()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
