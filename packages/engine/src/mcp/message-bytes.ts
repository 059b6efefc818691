/**
 * The bytes of one message in the pieces in which they came. Only who needs them in one piece pays for joining them: for
 * a message of 64 MB that alone would hold up the thread for longer than it may be.
 */
export class MessageBytes {
  readonly parts: readonly Buffer[]
  readonly length: number

  constructor(parts: readonly Buffer[]) {
    this.parts = parts
    this.length = parts.reduce((sum, part) => sum + part.length, 0)
  }

  /** All of it as text. */
  toString(): string {
    return this.#joined(this.parts).toString('utf8')
  }

  /** The text of at most so many bytes of its start. */
  start(bytes: number): string {
    return this.slice(0, bytes).toString()
  }

  /** The bytes between these places, without a copy; the end is not in it. */
  slice(from: number, to = this.length): MessageBytes {
    const parts: Buffer[] = []
    let at = 0
    for (const part of this.parts) {
      const [first, last] = [Math.max(0, from - at), Math.min(part.length, to - at)]
      if (first < last) parts.push(part.length === last - first ? part : part.subarray(first, last))
      at += part.length
      if (at >= to) break
    }
    return new MessageBytes(parts)
  }

  #joined(parts: readonly Buffer[]): Buffer {
    const [first] = parts
    return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
  }
}
