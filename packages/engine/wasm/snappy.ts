/**
 * Snappy's block format (github.com/google/snappy, format_description.txt): the length of the input, then literals and
 * copies of what came before. The search for matches follows the reference implementation: a table of where each hash of
 * four bytes was seen last, and longer steps through data in which nothing matches.
 */

/** Matches are looked for within a block of 64 KiB only, so that each offset fits in 16 bits. */
const blockBytes: i32 = 1 << 16
const tableBits: i32 = 14
const table: i32 = 1024
const tableBytes: i32 = 2 << tableBits
/** No match starts so close to the end of a block, which lets words be loaded without looking. */
const margin: i32 = 15

/** The number of the bytes that were written. Literals may be stored up to 16 bytes beyond them. */
export function compress(input: i32, length: i32, output: i32): i32 {
  let out = output
  let rest = <u32>length
  for (; rest > 0x7f; rest >>= 7) store<u8>(out++, rest | 0x80)
  store<u8>(out++, rest)
  const end = input + length
  for (let start = input; start < end; start += blockBytes)
    out = compressBlock(start, min(start + blockBytes, end), out)
  return out - output
}

function compressBlock(start: i32, end: i32, output: i32): i32 {
  const limit = end - margin
  memory.fill(table, 0, tableBytes)
  let out = output
  let literal = start
  let at = start + 1
  while (at < limit) {
    let misses = 32
    let word = load<u32>(at)
    let candidate = exchange(word, at, start)
    while (word !== load<u32>(candidate)) {
      at += misses++ >> 5
      if (at >= limit) return putLiteral(literal, end, out)
      word = load<u32>(at)
      candidate = exchange(word, at, start)
    }
    out = putLiteral(literal, at, out)
    do {
      const length = matchLength(candidate, at, end)
      out = putCopy(at - candidate, length, out)
      at += length
      literal = at
      if (at >= limit) return putLiteral(literal, end, out)
      exchange(load<u32>(at - 1), at - 1, start)
      word = load<u32>(at)
      candidate = exchange(word, at, start)
    } while (word === load<u32>(candidate))
    at++
  }
  return putLiteral(literal, end, out)
}

/** Where the hash of a word was seen last in the block, its start when it was not; it is seen at `at` now. */
function exchange(word: u32, at: i32, start: i32): i32 {
  const slot = table + (((word * 0x1e35a7bd) >>> (32 - tableBits)) << 1)
  const candidate = start + <i32>load<u16>(slot)
  store<u16>(slot, at - start)
  return candidate
}

/** How many bytes at `at` are those at `candidate`; at least four are known to be. */
function matchLength(candidate: i32, at: i32, end: i32): i32 {
  const shift = at - candidate
  let to = at + 4
  for (; to + 8 <= end; to += 8) {
    const other = load<u64>(to) ^ load<u64>(to - shift)
    if (other !== 0) return to - at + <i32>(ctz(other) >> 3)
  }
  while (to < end && load<u8>(to) === load<u8>(to - shift)) to++
  return to - at
}

function putLiteral(from: i32, to: i32, output: i32): i32 {
  const length = to - from
  if (length === 0) return output
  const last = length - 1
  let out = output
  if (last < 60) {
    store<u8>(out++, last << 2)
    if (length <= 16) {
      store<u64>(out, load<u64>(from))
      store<u64>(out, load<u64>(from, 8), 8)
      return out + length
    }
  } else if (last < 256) {
    store<u8>(out, 60 << 2)
    store<u8>(out, last, 1)
    out += 2
  } else {
    store<u8>(out, 61 << 2)
    store<u16>(out, last, 1)
    out += 3
  }
  memory.copy(out, from, length)
  return out + length
}

/** Offsets are below 65,536. */
function putCopy(offset: i32, length: i32, output: i32): i32 {
  let out = output
  let rest = length
  // Never leaves less than four bytes, which the short form could not say.
  for (; rest >= 68; rest -= 64) out = putLongCopy(offset, 64, out)
  if (rest > 64) {
    out = putLongCopy(offset, 60, out)
    rest -= 60
  }
  if (rest >= 12 || offset >= 2048) return putLongCopy(offset, rest, out)
  store<u8>(out, 1 | ((rest - 4) << 2) | ((offset >> 8) << 5))
  store<u8>(out, offset, 1)
  return out + 2
}

function putLongCopy(offset: i32, length: i32, out: i32): i32 {
  store<u8>(out, 2 | ((length - 1) << 2))
  store<u16>(out, offset, 1)
  return out + 3
}
