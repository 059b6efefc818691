import { once } from 'node:events'
import { createServer } from 'node:http'

export interface HealthAddress {
  host: string
  /** 0: any free port. */
  port: number
}

/** Answers `GET /healthz` with 200 while the worker is ready and with 503 otherwise, and nothing else. */
export async function startHealth(
  address: HealthAddress,
  isReady: () => Promise<boolean>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url !== '/healthz') {
      response.writeHead(404).end()
      return
    }
    void isReady().then(
      (ready) =>
        response
          .writeHead(ready ? 200 : 503, { 'content-type': 'application/json' })
          .end(`{"ready":${ready}}\n`),
      () => response.writeHead(503).end(),
    )
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return {
    url: `http://${host}:${port}/healthz`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
