import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { drip } from './drip.ts'
import type { Outgoing } from './scripted-protocol.ts'

/** Sends an answer over HTTP the way its step says: whole, in pieces, cut, or not at all. */
export async function sendAnswer(
  response: ServerResponse,
  { text, step, status = 200 }: Outgoing,
  framing: 'json' | 'sse',
): Promise<void> {
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  } else if (step.exit !== undefined || step.fault === 'drop_socket') {
    response.destroy()
  } else if (step.redirect !== undefined) {
    response.writeHead(307, { location: step.redirect }).end()
  } else if (step.httpStatus !== undefined) {
    response.writeHead(step.httpStatus, { 'content-type': 'text/plain', ...step.headers })
    response.end(typeof step.text === 'string' ? step.text : '')
  } else if (step.fault === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>please log in</html>')
  } else if (step.fault === 'gzip_bomb') {
    await sendBomb(response, text)
  } else {
    await sendBody(response, { text, step }, framing)
  }
}

async function sendBody(
  response: ServerResponse,
  { text, step }: Outgoing,
  framing: 'json' | 'sse',
): Promise<void> {
  const contentType = framing === 'sse' ? 'text/event-stream' : 'application/json'
  const body = framing === 'sse' ? `event: message\ndata: ${text}\n\n` : text
  if (!response.headersSent) response.writeHead(200, { 'content-type': contentType, ...step.headers })
  switch (step.fault) {
    case 'cut_body':
      response.write(body.slice(0, body.length / 2), () => response.destroy())
      break
    case 'end_stream':
      response.end()
      break
    case 'not_json':
      response.end(framing === 'sse' ? 'data: <html>no</html>\n\n' : '<html>not what you asked for</html>')
      break
    default:
      await drip(body, step.drip, (piece) => void response.write(piece))
      response.end()
  }
}

/** 256 MiB of blanks in front of the answer: a few hundred kilobytes on the wire. */
async function sendBomb(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  const gzip = createGzip()
  gzip.pipe(response)
  gzip.on('error', () => response.destroy())
  response.on('close', () => gzip.destroy())
  const blanks = Buffer.alloc(1024 * 1024, ' ')
  for (let sent = 0; sent < 256 && !gzip.destroyed; sent += 1) {
    if (!gzip.write(blanks)) await delay(1)
  }
  if (!gzip.destroyed) gzip.end(text)
}
