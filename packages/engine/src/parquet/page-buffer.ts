const initialBytes = 1 << 12
const largestKept = 1 << 22

/**
 * Bytes of a page that grow as values come, with views of other widths over the same memory. The views hold values in
 * the platform's byte order, which is Parquet's little-endian on every platform that Node.js supports but s390x.
 */
export class PageBuffer {
  /** Bytes in use. */
  length = 0
  bytes!: Buffer
  view!: DataView
  int32!: Int32Array
  int64!: BigInt64Array
  float32!: Float32Array
  float64!: Float64Array

  constructor() {
    this.#allocate(initialBytes)
  }

  /** Makes room for so many bytes behind those in use. Views that were read before may be outdated after it. */
  reserve(bytes: number): void {
    const needed = this.length + bytes
    if (needed <= this.bytes.length) return
    const before = this.bytes.subarray(0, this.length)
    this.#allocate(2 ** Math.ceil(Math.log2(needed)))
    this.bytes.set(before)
  }

  /** The bytes in use; valid until the next write. */
  content(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  /** Starts the next page. Memory that only an unusual page needed is given back. */
  restart(): void {
    this.length = 0
    if (this.bytes.length > largestKept) this.#allocate(initialBytes)
  }

  #allocate(size: number): void {
    const memory = new ArrayBuffer(size)
    this.bytes = Buffer.from(memory)
    this.view = new DataView(memory)
    this.int32 = new Int32Array(memory)
    this.int64 = new BigInt64Array(memory)
    this.float32 = new Float32Array(memory)
    this.float64 = new Float64Array(memory)
  }
}
