import { type Coercion, reject, showValue } from './rejection.ts'

const invalid = 255

function decodingTable(digits: string): Uint8Array {
  const table = new Uint8Array(128).fill(invalid)
  for (let value = 0; value < digits.length; value++) table[digits.charCodeAt(value)] = value
  return table
}

// RFC 4648 sections 4 and 5; both alphabets at once, since they differ in two characters that do not overlap.
const base64Digits = decodingTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
base64Digits[0x2d] = 62
base64Digits[0x5f] = 63
const hexDigits = decodingTable('0123456789ABCDEF')
for (let value = 10; value < 16; value++) hexDigits[0x57 + value] = value

const hexPattern = /^0x[0-9a-f]*$/i

function digitAt(table: Uint8Array, text: string, position: number): number {
  return table[text.charCodeAt(position)] ?? invalid
}

/** Bytes of an even number of hex digits behind `0x`; undefined for any other text. */
function decodeHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let index = 0; index < bytes.length; index++) {
    const high = digitAt(hexDigits, text, 2 * index + 2)
    const low = digitAt(hexDigits, text, 2 * index + 3)
    if (high === invalid || low === invalid) return undefined
    bytes[index] = high * 16 + low
  }
  return bytes
}

/**
 * Bytes of base64 or base64url, with all of its padding or none; undefined for any other text. Bits left over at the
 * end must be zero (RFC 4648 section 3.5): text with others was not made by an encoder.
 */
function decodeBase64(text: string): Uint8Array | undefined {
  let length = text.length
  if (length % 4 === 0) {
    if (text.endsWith('==')) length -= 2
    else if (text.endsWith('=')) length -= 1
  }
  if (length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((length * 3) / 4))
  let bits = 0
  let held = 0
  let written = 0
  for (let position = 0; position < length; position++) {
    const digit = digitAt(base64Digits, text, position)
    if (digit === invalid) return undefined
    bits = ((bits << 6) | digit) & 0xfff
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[written++] = bits >> held
    }
  }
  return (bits & ((1 << held) - 1)) === 0 ? bytes : undefined
}

/**
 * Bytes of a text in base64 (standard or URL alphabet, padded or not, lines may be broken as MIME does) or in hex
 * behind `0x`. Empty text is a BLOB of no bytes; everything else is a reject.
 */
export const blobCoercion: Coercion = (value) => {
  if (typeof value === 'string') {
    const text = value.replace(/[\t\n\r ]+/g, '')
    // One in 4,096 base64 texts starts with 0x as well; only hex digits behind it make it hex.
    const bytes = hexPattern.test(text) ? decodeHex(text) : decodeBase64(text)
    if (bytes !== undefined) return bytes
  }
  return reject(`${showValue(value)} is neither base64 nor hex behind 0x`)
}
