import type { PageBuffer } from './page-buffer.ts'

/** Bytes of the length that stands before each value. */
export const prefixBytes = 4
/** Up to this length a loop over the characters is faster than the call into the platform. */
const shortText = 24
/** From this length on a call into the platform is faster than a loop over words. */
const longSlice = 256
/** From this length on the bytes are counted first, instead of making room for the most that there can be. */
const longText = 1 << 16

/** Appends a text as UTF-8 behind its length; half a surrogate pair becomes U+FFFD. */
export function appendText(page: PageBuffer, text: string): void {
  const { length } = text
  page.reserve(prefixBytes + (length < longText ? length * 3 : Buffer.byteLength(text)))
  const start = page.length + prefixBytes
  const { bytes } = page
  let written = 0
  if (length < shortText) {
    for (; written < length; written++) {
      const code = text.charCodeAt(written)
      if (code > 0x7f) break
      bytes[start + written] = code
    }
  }
  if (written < length) written = bytes.write(text, start, 'utf8')
  setPrefix(bytes, page.length, written)
  page.length = start + written
}

/** Appends the bytes between two places of a source behind their length. */
export function appendSlice(page: PageBuffer, source: DataView, start: number, end: number): void {
  const length = end - start
  page.reserve(prefixBytes + length)
  const { view } = page
  view.setInt32(page.length, length, true)
  const shift = page.length + prefixBytes - start
  page.length += prefixBytes + length
  const last = end - 4
  if (length > longSlice)
    page.bytes.set(new Uint8Array(source.buffer, source.byteOffset + start, length), start + shift)
  else if (last < start) for (let at = start; at < end; at++) view.setUint8(at + shift, source.getUint8(at))
  else {
    // Four bytes at a time, the last ones with some before them: texts are short, and a call into the platform costs more.
    for (let at = start; at < last; at += 4) view.setInt32(at + shift, source.getInt32(at, true), true)
    view.setInt32(last + shift, source.getInt32(last, true), true)
  }
}

/** Appends bytes behind their length. */
export function appendBytes(page: PageBuffer, value: Uint8Array): void {
  page.reserve(prefixBytes + value.length)
  setPrefix(page.bytes, page.length, value.length)
  page.bytes.set(value, page.length + prefixBytes)
  page.length += prefixBytes + value.length
}

function setPrefix(bytes: Uint8Array, at: number, length: number): void {
  bytes[at] = length
  bytes[at + 1] = length >> 8
  bytes[at + 2] = length >> 16
  bytes[at + 3] = length >> 24
}
