import type { Server } from 'node:http'

/** A server that listens on 127.0.0.1. */
export interface Listening {
  /** `http://127.0.0.1:PORT` */
  origin: string
  /** Cuts every connection and frees the port. */
  close(): Promise<void>
}

/** Makes an HTTP server listen on 127.0.0.1; without a port, on a free one. */
export async function listen(server: Server, port = 0): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error(`no port: ${address}`)
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
