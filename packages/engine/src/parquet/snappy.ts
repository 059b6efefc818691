/**
 * Snappy's block format (github.com/google/snappy, format_description.txt): the length of the input, then literals and
 * copies of what came before. The search for matches follows the reference implementation: a table of where each hash of
 * four bytes was seen last, and longer steps through data in which nothing matches.
 */

/** Matches are looked for within a block of 64 KiB only, so that each offset fits in 16 bits. */
const blockBytes = 1 << 16
const tableBits = 14
/** No match starts so close to the end of a block, which lets four bytes be loaded without looking. */
const margin = 15

const table = new Uint16Array(1 << tableBits)

/** Compresses; the output is of its own memory. */
export function snappyCompress(input: Uint8Array): Uint8Array {
  const output = new SnappyOutput(input)
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  for (let start = 0; start < input.length; start += blockBytes) {
    compressBlock(output, view, start, Math.min(start + blockBytes, input.length))
  }
  return output.content()
}

function compressBlock(output: SnappyOutput, input: DataView, start: number, end: number): void {
  const limit = end - margin
  table.fill(0)
  let literal = start
  let at = start + 1
  while (at < limit) {
    const match = findMatch(input, start, at, limit)
    if (match.at < 0) break
    at = match.at
    const length = matchLength(input, match.candidate, at, end)
    output.literal(literal, at)
    output.copy(at - match.candidate, length)
    at += length
    literal = at
    if (at < limit) table[hashOf(input.getUint32(at - 1, true))] = at - 1 - start
  }
  output.literal(literal, end)
}

/** Where a match was found; reused, because an object per match would cost more than the match. */
const found = { at: -1, candidate: 0 }

/** The first place from `from` on whose four bytes were seen before in the block. */
function findMatch(input: DataView, start: number, from: number, limit: number): typeof found {
  let misses = 32
  for (let at = from; at < limit; at += misses++ >> 5) {
    const bytes = input.getUint32(at, true)
    const slot = hashOf(bytes)
    const candidate = start + table[slot]!
    table[slot] = at - start
    if (candidate < at && input.getUint32(candidate, true) === bytes) {
      found.at = at
      found.candidate = candidate
      return found
    }
  }
  found.at = -1
  return found
}

function hashOf(bytes: number): number {
  return Math.imul(bytes, 0x1e35a7bd) >>> (32 - tableBits)
}

/** How many bytes at `at` are those at `candidate`; at least four are known to be. */
function matchLength(input: DataView, candidate: number, at: number, end: number): number {
  let length = 4
  const most = end - at
  while (
    length + 4 <= most &&
    input.getUint32(candidate + length, true) === input.getUint32(at + length, true)
  )
    length += 4
  while (length < most && input.getUint8(candidate + length) === input.getUint8(at + length)) length++
  return length
}

/** The compressed bytes as they grow. */
class SnappyOutput {
  readonly #input: Uint8Array
  readonly #bytes: Uint8Array
  #length = 0

  constructor(input: Uint8Array) {
    this.#input = input
    // The reference implementation's bound.
    this.#bytes = new Uint8Array(32 + input.length + Math.ceil(input.length / 6))
    let rest = input.length
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = rest | 0x80
    this.#bytes[this.#length++] = rest
  }

  literal(from: number, to: number): void {
    if (from === to) return
    const bytes = this.#bytes
    const last = to - from - 1
    let at = this.#length
    if (last < 60) bytes[at++] = last << 2
    else if (last < 256) {
      bytes[at++] = 60 << 2
      bytes[at++] = last
    } else {
      bytes[at++] = 61 << 2
      bytes[at++] = last
      bytes[at++] = last >> 8
    }
    if (last < 32) {
      for (let index = from; index < to; index++) bytes[at++] = this.#input[index]!
    } else {
      bytes.set(this.#input.subarray(from, to), at)
      at += last + 1
    }
    this.#length = at
  }

  /** Offsets are below 65,536. */
  copy(offset: number, length: number): void {
    let rest = length
    // Never leaves less than four bytes, which the short form could not say.
    for (; rest >= 68; rest -= 64) this.#longCopy(offset, 64)
    if (rest > 64) {
      this.#longCopy(offset, 60)
      rest -= 60
    }
    if (rest < 12 && offset < 2048) {
      this.#bytes[this.#length++] = 1 | ((rest - 4) << 2) | ((offset >> 8) << 5)
      this.#bytes[this.#length++] = offset
    } else this.#longCopy(offset, rest)
  }

  #longCopy(offset: number, length: number): void {
    const at = this.#length
    this.#bytes[at] = 2 | ((length - 1) << 2)
    this.#bytes[at + 1] = offset
    this.#bytes[at + 2] = offset >> 8
    this.#length = at + 3
  }

  content(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}
