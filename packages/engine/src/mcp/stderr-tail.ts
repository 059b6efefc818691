/** What a process said last on stderr, in constant memory. */
export class StderrTail {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #size = 0

  constructor(maxBytes = 16 * 1024) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    // A copy of the part that counts: the chunk may be a view of a much larger buffer.
    this.#chunks.push(Buffer.from(chunk.subarray(-this.#maxBytes)))
    this.#size += Math.min(chunk.length, this.#maxBytes)
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= this.#maxBytes) {
      this.#size -= this.#chunks.shift()?.length ?? 0
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#maxBytes).toString('utf8')
  }
}
