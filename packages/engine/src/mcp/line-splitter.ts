import { MessageBytes } from './message-bytes.ts'

const newline = 10

/**
 * Cuts a byte stream into lines in linear time. (The SDK's own buffer copies everything it has on every chunk: 30 s
 * for a line of 50 MB, measured on 1.32.2; this takes 0.6 s.)
 */
export class LineSplitter {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #size = 0

  /** No line may be longer than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that this chunk completes, without their ends; throws `LineTooLong`. */
  *push(chunk: Buffer): Generator<MessageBytes> {
    let from = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, end))
      from = end + 1
      yield this.#take()
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  /** What stands behind the last line end. */
  rest(): MessageBytes {
    return this.#take()
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#maxBytes) {
      this.#parts = []
      throw new LineTooLong(this.#maxBytes)
    }
    this.#parts.push(part)
  }

  #take(): MessageBytes {
    const line = new MessageBytes(this.#parts)
    this.#parts = []
    this.#size = 0
    return line
  }
}

/** A line is longer than allowed. The transports turn it into `ANSWER_TOO_LARGE`. */
export class LineTooLong extends Error {
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`a line is longer than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}
