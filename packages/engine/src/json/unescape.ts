/**
 * Writes the string token whose opening quote is at `from` and whose end is `to` without its escapes to `target`, with
 * its quotes; never more bytes than it had. Half a surrogate pair becomes U+FFFD. Returns the place behind it.
 */
export function unescapeString(bytes: Uint8Array, from: number, to: number, target: number): number {
  let out = target
  let at = from
  while (at < to) {
    const code = bytes[at]!
    if (code !== 0x5c) {
      bytes[out++] = code
      at++
      continue
    }
    const letter = bytes[at + 1]!
    if (letter === 0x75) {
      const unit = hexUnit(bytes, at + 2)
      const low = isHighSurrogate(unit) ? lowSurrogate(bytes, at + 6) : -1
      at += low < 0 ? 6 : 12
      out = writeUtf8(bytes, out, low < 0 ? unit : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
      continue
    }
    bytes[out++] = plainEscapes[letter]!
    at += 2
  }
  return out
}

/** What the letter behind a backslash stands for. */
const plainEscapes = new Uint8Array(256)
for (const [character, meaning] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  plainEscapes[character!.charCodeAt(0)] = meaning!.charCodeAt(0)

/** The number that the four hex digits at `at` say. */
function hexUnit(bytes: Uint8Array, at: number): number {
  let unit = 0
  for (let index = at; index < at + 4; index++) {
    const code = bytes[index]!
    unit = unit * 16 + (code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57)
  }
  return unit
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

/** The low surrogate that is escaped at `at`; -1: there is none. */
function lowSurrogate(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x5c || bytes[at + 1] !== 0x75) return -1
  const unit = hexUnit(bytes, at + 2)
  return unit >= 0xdc00 && unit < 0xe000 ? unit : -1
}

function writeUtf8(bytes: Uint8Array, at: number, point: number): number {
  // Surrogates that are left are halves of a pair.
  const code = point >= 0xd800 && point < 0xe000 ? 0xfffd : point
  if (code < 0x80) {
    bytes[at] = code
    return at + 1
  }
  if (code < 0x800) {
    bytes[at] = 0xc0 | (code >> 6)
    bytes[at + 1] = 0x80 | (code & 0x3f)
    return at + 2
  }
  if (code < 0x10000) {
    bytes[at] = 0xe0 | (code >> 12)
    bytes[at + 1] = 0x80 | ((code >> 6) & 0x3f)
    bytes[at + 2] = 0x80 | (code & 0x3f)
    return at + 3
  }
  bytes[at] = 0xf0 | (code >> 18)
  bytes[at + 1] = 0x80 | ((code >> 12) & 0x3f)
  bytes[at + 2] = 0x80 | ((code >> 6) & 0x3f)
  bytes[at + 3] = 0x80 | (code & 0x3f)
  return at + 4
}
