import { RunError } from '@huntfleet/contract'
import { MessageBytes } from './message-bytes.ts'

/**
 * The chunks of a response's body, decompressed, until it holds more than `maxBytes`: then `ANSWER_TOO_LARGE`, and the
 * rest is not read. Counting what came off the wire would let 256 kB of gzip fill the memory.
 */
export async function* cappedChunks(response: Response, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) {
      throw new RunError('ANSWER_TOO_LARGE', `the answer is larger than ${maxBytes} bytes`, {
        hint: 'ask for smaller pages (page_size), or raise max_message_bytes of the server',
      })
    }
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }
}

/** The whole body. */
export async function readCapped(response: Response, maxBytes: number): Promise<MessageBytes> {
  const chunks: Buffer[] = []
  for await (const chunk of cappedChunks(response, maxBytes)) chunks.push(chunk)
  return new MessageBytes(chunks)
}

/** The start of an error's body, for its message; empty when it cannot be read. */
export async function readStart(response: Response, maxBytes: number): Promise<string> {
  let start = ''
  try {
    for await (const chunk of cappedChunks(response, maxBytes)) start += chunk.toString('utf8')
  } catch {
    // Too long or cut off: the start says enough.
  }
  return start
}
