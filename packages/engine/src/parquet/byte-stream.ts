import { ByteWriter } from 'hyparquet-writer'

const initialBytes = 1 << 20
const listOfNothing = Uint8Array.of(0x16, 0x00, 0x19, 0x00)

/** What hyparquet-writer writes into: holds the bytes of one row group and hands them on when it is complete. */
export class ByteStream extends ByteWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    super(initialBytes)
    this.#write = write
  }

  /** Called after each row group. The bytes are handed over and never touched again. */
  async flush(): Promise<void> {
    if (this.index === 0) return
    const bytes = new Uint8Array(this.buffer, 0, this.index)
    this.buffer = new ArrayBuffer(initialBytes)
    this.view = new DataView(this.buffer)
    this.index = 0
    await this.#write(bytes)
  }

  /** Called after the footer, which stays here to be repaired; a last `flush` hands it on. */
  override finish(): void {}

  /**
   * Repairs the footer of a file without rows: hyparquet-writer 0.17 writes the empty list of row groups as a list of
   * nothing, where the element type must be struct (arrow-rs refuses the file). Call before the last `flush`, with the
   * whole file still in the buffer. Returns whether it was there.
   */
  repairEmptyFooter(): boolean {
    // Field 3, the 64-bit row count 0, and field 4, a list of 0 elements of type 0. Nothing before it can be the same:
    // a schema has no 64-bit integers, and its names no control characters.
    const at = Buffer.from(this.buffer, 0, this.index).indexOf(listOfNothing)
    if (at < 0) return false
    this.view.setUint8(at + 3, 0x0c)
    return true
  }
}
