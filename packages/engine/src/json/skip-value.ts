/** Deeper values are left to the exact parser, which has no stack to overflow. */
const deepest = 100

/**
 * The place behind the JSON value (RFC 8259) at `at`; -1 for anything that is none, or too deep. The bytes must end with
 * one that no JSON holds.
 */
export function skipValue(bytes: Uint8Array, at: number, depth = 0): number {
  const code = bytes[at]!
  if (code === 0x22) return skipString(bytes, at)
  if (code === 0x7b || code === 0x5b) return depth < deepest ? skipContainer(bytes, at, depth + 1) : -1
  return skipScalar(bytes, at)
}

/** The first place from `at` on that is no blank. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let end = at
  for (let code = bytes[end]!; code === 32 || code === 10 || code === 13 || code === 9; code = bytes[++end]!);
  return end
}

/** The place behind the string whose opening quote is at `at`. */
export function skipString(bytes: Uint8Array, at: number): number {
  let end = at + 1
  for (let code = bytes[end]!; code !== 0x22; code = bytes[end]!) {
    if (code < 0x20) return -1
    end = code === 0x5c ? skipEscape(bytes, end + 1) : end + 1
    if (end < 0) return -1
  }
  return end + 1
}

/** The letters that may stand behind a backslash, but for `u`. */
const escapes = new Uint8Array(256)
for (const letter of '"\\/bfnrt') escapes[letter.charCodeAt(0)] = 1

/** The place behind an escape, from the letter behind its backslash. */
function skipEscape(bytes: Uint8Array, at: number): number {
  if (escapes[bytes[at]!] === 1) return at + 1
  if (bytes[at] !== 0x75) return -1
  for (let index = at + 1; index <= at + 4; index++) if (!isHexDigit(bytes[index]!)) return -1
  return at + 5
}

function isHexDigit(code: number): boolean {
  const letter = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}

/** The place behind a number, `true`, `false` or `null`. */
export function skipScalar(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case 0x74:
      return isTrue(bytes, at) ? at + 4 : -1
    case 0x66:
      return isFalse(bytes, at) ? at + 5 : -1
    case 0x6e:
      return isNull(bytes, at) ? at + 4 : -1
    default:
      return skipNumber(bytes, at)
  }
}

function isTrue(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65
}

function isFalse(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x73 && bytes[at + 4] === 0x65
}

function isNull(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c
}

function skipNumber(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === 0x2d ? at + 1 : at
  let end = skipDigits(bytes, first)
  if (end < 0 || (bytes[first] === 0x30 && end > first + 1)) return -1
  if (bytes[end] === 0x2e) {
    end = skipDigits(bytes, end + 1)
    if (end < 0) return -1
  }
  if ((bytes[end]! | 0x20) !== 0x65) return end
  const sign = bytes[end + 1]
  return skipDigits(bytes, sign === 0x2b || sign === 0x2d ? end + 2 : end + 1)
}

/** The place behind at least one digit; -1: there is none. */
function skipDigits(bytes: Uint8Array, at: number): number {
  let end = at
  for (let code = bytes[end]!; code >= 0x30 && code <= 0x39; code = bytes[++end]!);
  return end > at ? end : -1
}

function skipContainer(bytes: Uint8Array, start: number, depth: number): number {
  const isObject = bytes[start] === 0x7b
  const closing = isObject ? 0x7d : 0x5d
  let at = skipBlanks(bytes, start + 1)
  if (bytes[at] === closing) return at + 1
  for (;;) {
    if (isObject) {
      at = skipKey(bytes, at)
      if (at < 0) return -1
    }
    at = skipValue(bytes, at, depth)
    if (at < 0) return -1
    at = skipBlanks(bytes, at)
    if (bytes[at] === closing) return at + 1
    if (bytes[at] !== 0x2c) return -1
    at = skipBlanks(bytes, at + 1)
  }
}

/** From a key to the value behind it. */
function skipKey(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== 0x22) return -1
  const end = skipString(bytes, start)
  if (end < 0) return -1
  const colon = skipBlanks(bytes, end)
  return bytes[colon] === 0x3a ? skipBlanks(bytes, colon + 1) : -1
}
