/** Texts of one column in a batch of rows, for `src/json/scan-memory.ts`. */

/** So many rows at most; `starts`, `ends` and `hashes` hold an integer for each of them. */
export const batchRows: i32 = 256
export const starts: i32 = 40960
export const ends: i32 = starts + 4 * batchRows
export const hashes: i32 = ends + 4 * batchRows
/** One byte for each: 3 where the value is a text, 0 where it is not. */
export const forms: i32 = hashes + 4 * batchRows
/** Where `gather` puts its texts, and where they must end. */
export const gathered: i32 = 1 << 16
export const gatheredEnd: i32 = gathered + (1 << 17)

const text: u8 = 3
/** What stands in front of each gathered text: its length. */
const prefixBytes: i32 = 4

/**
 * Finds the texts of a column whose first place is at `place`, and the others from `stride` to `stride` bytes; returns how
 * many values are none: keys that are not there, null, arrays and objects. Numbers and booleans are texts as they are
 * spelled.
 */
export function texts(place: i32, stride: i32, count: i32): i32 {
  let others = 0
  for (let index = 0; index < count; index++) {
    let start = load<i32>(place + index * stride)
    let end = load<i32>(place + index * stride, 4)
    const first = <i32>load<u8>(start)
    if (start === 0 || first === 0x6e || first === 0x7b || first === 0x5b) {
      store<u8>(forms + index, 0)
      others++
      continue
    }
    if (first === 0x22) {
      start++
      end--
    }
    store<u8>(forms + index, text)
    store<i32>(starts + (index << 2), start)
    store<i32>(ends + (index << 2), end)
    store<i32>(hashes + (index << 2), hashOf(start, end))
  }
  return others
}

/** The hash of `src/parquet/text-index.ts`. */
function hashOf(start: i32, end: i32): i32 {
  let hash = end - start
  const last = end - 4
  if (last < start) {
    for (let at = start; at < end; at++) hash = (hash ^ <i32>load<u8>(at)) * 0x1b873593
  } else {
    for (let at = start; at < last; at += 4) hash = mixed(hash, load<i32>(at))
    hash = mixed(hash, load<i32>(last))
  }
  hash = (hash ^ (hash >>> 16)) * 0x85ebca6b
  return hash ^ (hash >>> 13)
}

function mixed(hash: i32, word: i32): i32 {
  const product = (hash ^ (word * 0xcc9e2d51)) * 0x1b873593
  return product ^ (product >>> 15)
}

/**
 * Puts the texts of the first `count` rows one after the other, each behind its length; returns where they end, or -1 where
 * they are too many bytes.
 */
export function gather(count: i32): i32 {
  let out = gathered
  for (let index = 0; index < count; index++) {
    if (load<u8>(forms + index) !== text) continue
    const start = load<i32>(starts + (index << 2))
    const length = load<i32>(ends + (index << 2)) - start
    // Sixteen bytes are stored at once, so that the last ones may be beyond the text.
    if (length > gatheredEnd - out - prefixBytes - 16) return -1
    store<i32>(out, length)
    out += prefixBytes
    for (let at = 0; at < length; at += 16) v128.store(out + at, v128.load(start + at))
    out += length
  }
  return out
}
