import { LineSplitter, LineTooLong } from './line-splitter.ts'

/** One event of a `text/event-stream` body. */
export interface StreamEvent {
  /** `message` unless the server says otherwise. */
  type: string
  data: string
  /** Bytes of its data on the wire, decompressed. */
  bytes: number
}

/**
 * Reads server-sent events (WHATWG HTML section 9.2.6) as far as MCP uses them: `event` and `data`. Ids and retry
 * times are for resuming a stream, which we do not: a page is asked for again instead. An event whose blank line
 * never came is still delivered if the stream ends properly, because its JSON is whole or does not parse.
 */
export class EventStreamReader {
  readonly #maxBytes: number
  readonly #lines: LineSplitter
  #type = ''
  #data: string[] = []
  #bytes = 0

  /** Neither a line nor the data of an event may be longer than `maxBytes`; throws `LineTooLong`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#lines = new LineSplitter(maxBytes)
  }

  *push(chunk: Buffer): Generator<StreamEvent> {
    for (const line of this.#lines.push(chunk)) yield* this.#readLine(line)
  }

  *end(): Generator<StreamEvent> {
    yield* this.#readLine(this.#lines.rest())
    yield* this.#dispatch()
  }

  *#readLine(line: Buffer): Generator<StreamEvent> {
    const text = line
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .replace(/\r$/, '')
    if (text === '') {
      yield* this.#dispatch()
      return
    }
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#type = value
    if (field === 'data') {
      this.#data.push(value)
      this.#bytes += line.length
      if (this.#bytes > this.#maxBytes) throw new LineTooLong(this.#maxBytes)
    }
  }

  *#dispatch(): Generator<StreamEvent> {
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), bytes: this.#bytes }
    this.#type = ''
    this.#data = []
    this.#bytes = 0
    if (event.data !== '') yield event
  }
}
