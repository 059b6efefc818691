import { type MemoryScan, ScanMemory } from './scan-memory.ts'

/** Larger texts are not scanned, so that every place in one and behind it is a 32-bit integer. */
const largest = 2 ** 28

/** What no JSON holds unescaped, so that whoever scans stops at it; more bytes than are read at once. */
const sentinel = 0
const slack = 32

/** What places may take, in units of the text: keys that every row has anew would otherwise fill the memory. */
const placesPerByte = 4
const placesAtLeast = 1 << 20

/** A well-formed text as UTF-8, in memory in which its arrays can be scanned. */
export class Utf8Text {
  /** Bytes of the text. */
  readonly #length: number
  readonly #text: string
  /** Null once it has been given back. */
  #memory: ScanMemory | null
  /** Where the text begins in the memory. */
  readonly #start: number
  /** A place that is known in both: text units and bytes. */
  #position = 0
  #offset: number

  private constructor(text: string, length: number, memory: ScanMemory, start: number) {
    this.#text = text
    this.#length = length
    this.#memory = memory
    this.#start = start
    this.#offset = start
    memory.bytes.write(text, start, length, 'utf8')
    memory.bytes[start + length] = sentinel
  }

  /** Null for a text that is too large to be scanned, or has no memory. */
  static of(text: string): Utf8Text | null {
    const length = Buffer.byteLength(text)
    if (length > largest) return null
    const taken = ScanMemory.take(length, slack, placesAtLeast + placesPerByte * length)
    return taken === null ? null : new Utf8Text(text, length, taken.memory, taken.start)
  }

  /** What holds the text and the places of its scans; read it anew after a scan. Null: it was given back. */
  get memory(): ScanMemory | null {
    return this.#memory
  }

  /** Scans the array of objects whose opening bracket is at a byte; null as `ScanMemory` says. */
  scan(offset: number): MemoryScan | null {
    return this.#memory?.scan(offset) ?? null
  }

  /** Gives the memory back, for all scans of the text; nothing can be read any more. */
  release(): void {
    this.#memory?.give()
    this.#memory = null
  }

  /** The byte at which the character at `position` begins. */
  offsetOf(position: number): number {
    if (this.#length === this.#text.length) return this.#start + position
    if (position < this.#position) this.#know(0, this.#start)
    const between = this.#text.slice(this.#position, position)
    this.#know(position, this.#offset + Buffer.byteLength(between))
    return this.#offset
  }

  /** The position of the character that begins at the byte `offset`. */
  positionOf(offset: number): number {
    if (this.#length === this.#text.length) return offset - this.#start
    if (offset < this.#offset) this.#know(0, this.#start)
    const between = this.#memory?.bytes.toString('utf8', this.#offset, offset) ?? ''
    this.#know(this.#position + between.length, offset)
    return this.#position
  }

  #know(position: number, offset: number): void {
    this.#position = position
    this.#offset = offset
  }
}
