/**
 * Compares two pieces of one buffer as unsigned bytes; of two where one begins with the other the shorter is less. For
 * UTF-8 this is the order of code points, which Parquet demands and which JavaScript's own comparison is not.
 */
export function compareWithin(
  bytes: Uint8Array,
  start: number,
  end: number,
  otherStart: number,
  otherEnd: number,
): number {
  const common = Math.min(end - start, otherEnd - otherStart)
  for (let at = 0; at < common; at++) {
    const difference = bytes[start + at]! - bytes[otherStart + at]!
    if (difference !== 0) return difference
  }
  return end - start - (otherEnd - otherStart)
}
