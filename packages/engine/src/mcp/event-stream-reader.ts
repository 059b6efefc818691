import { LineSplitter, LineTooLong } from './line-splitter.ts'
import { MessageBytes } from './message-bytes.ts'

/** One event of a `text/event-stream` body. */
export interface StreamEvent {
  /** `message` unless the server says otherwise. */
  type: string
  data: MessageBytes
}

const lineEnd = Buffer.from('\n')
const carriageReturn = 13
/** Longer than the name of any field that we look at, with a byte order mark before it. */
const longestField = 16

/**
 * Reads server-sent events (WHATWG HTML section 9.2.6) as far as MCP uses them: `event` and `data`. Ids and retry
 * times are for resuming a stream, which we do not: a page is asked for again instead. An event whose blank line
 * never came is still delivered if the stream ends properly, because its JSON is whole or does not parse.
 */
export class EventStreamReader {
  readonly #maxBytes: number
  readonly #lines: LineSplitter
  #type = ''
  #data: MessageBytes[] = []
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

  *#readLine(whole: MessageBytes): Generator<StreamEvent> {
    const line = withoutMarks(whole)
    if (line.length === 0) {
      yield* this.#dispatch()
      return
    }
    const [, field, separator = ''] = /^([^:]*)(: ?)?/.exec(line.start(longestField)) ?? []
    if (field !== 'event' && field !== 'data') return
    // Both names are ASCII: as many bytes as characters.
    const value = line.slice(field.length + separator.length)
    if (field === 'event') this.#type = value.toString()
    else {
      this.#data.push(value)
      this.#bytes += whole.length
      if (this.#bytes > this.#maxBytes) throw new LineTooLong(this.#maxBytes)
    }
  }

  *#dispatch(): Generator<StreamEvent> {
    const parts = this.#data.flatMap(({ parts }, line) => (line === 0 ? parts : [lineEnd, ...parts]))
    const event = { type: this.#type || 'message', data: new MessageBytes(parts) }
    this.#type = ''
    this.#data = []
    this.#bytes = 0
    if (event.data.length > 0) yield event
  }
}

/** The line without a byte order mark before it and a carriage return behind it. */
function withoutMarks(line: MessageBytes): MessageBytes {
  const from = line.start(3) === '\uFEFF' ? 3 : 0
  const ends = line.parts.at(-1)?.at(-1) === carriageReturn
  return from === 0 && !ends ? line : line.slice(from, ends ? line.length - 1 : line.length)
}
