/** Larger texts are not scanned, so that every place in one and behind it is a 32-bit integer. */
const largest = 2 ** 30 - 16

/** What no JSON holds unescaped, so that whoever scans stops at it. */
const sentinel = 0

/** Memory that a text has given back, for the next one: new memory costs more than filling it does. */
let spare: Buffer | undefined
const largestSpare = 1 << 26
const nothing = Buffer.alloc(0)

function memory(length: number): Buffer {
  const taken = spare
  spare = undefined
  return taken !== undefined && taken.length >= length ? taken : Buffer.allocUnsafeSlow(length)
}

/** A well-formed text as UTF-8. Behind it stands a byte 0, and behind that there is room for what it holds escaped. */
export class Utf8Text {
  bytes: Buffer
  view: DataView
  /** Bytes of the text. */
  readonly length: number
  /** Where the room begins that is not taken yet. */
  free: number
  readonly #text: string
  /** A place that is known in both: text units and bytes. */
  #position = 0
  #offset = 0

  private constructor(text: string, length: number) {
    this.#text = text
    this.length = length
    this.bytes = memory(length + (length >> 4) + 16)
    this.view = new DataView(this.bytes.buffer)
    this.bytes.write(text, 0, length, 'utf8')
    this.bytes[length] = sentinel
    this.free = length + 1
  }

  /** Null for a text too large to be scanned. */
  static of(text: string): Utf8Text | null {
    const length = Buffer.byteLength(text)
    return length > largest ? null : new Utf8Text(text, length)
  }

  /** Makes room for so many bytes. What was read of `bytes` before still holds the text. */
  reserve(count: number): void {
    if (this.free + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(this.free + count + (this.length >> 1))
    larger.set(this.bytes.subarray(0, this.free))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }

  /** Gives the memory back; nothing can be read any more. */
  release(): void {
    if (this.bytes.length <= largestSpare) spare = this.bytes
    this.bytes = nothing
    this.view = new DataView(nothing.buffer)
  }

  /** The byte at which the character at `position` begins. */
  offsetOf(position: number): number {
    if (this.length === this.#text.length) return position
    if (position < this.#position) this.#know(0, 0)
    const between = this.#text.slice(this.#position, position)
    this.#know(position, this.#offset + Buffer.byteLength(between))
    return this.#offset
  }

  /** The position of the character that begins at the byte `offset`. */
  positionOf(offset: number): number {
    if (this.length === this.#text.length) return offset
    if (offset < this.#offset) this.#know(0, 0)
    this.#know(this.#position + this.bytes.toString('utf8', this.#offset, offset).length, offset)
    return this.#position
  }

  #know(position: number, offset: number): void {
    this.#position = position
    this.#offset = offset
  }
}
