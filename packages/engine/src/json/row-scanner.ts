import { skipBlanks, skipScalar, skipString, skipValue } from './skip-value.ts'
import { givePlaces, takePlaces } from './spare-places.ts'
import { unescapeString } from './unescape.ts'
import type { Utf8Text } from './utf8-text.ts'

/** A key of a page's rows, and where its values stand in the bytes: `[start, end)` by row, a string with its quotes. */
export interface ScannedField {
  key: string
  /** 0 where a row has no such key. */
  starts: Int32Array
  ends: Int32Array
}

/** An array of objects as places in its text; nothing of it is parsed yet. */
export interface RowScan {
  text: Utf8Text
  rows: number
  /** Where each row stands. */
  starts: Int32Array
  ends: Int32Array
  fields: ReadonlyMap<string, ScannedField>
  /** The byte behind the array. */
  end: number
}

/** What places may take, in units of the text: keys that every row has anew would otherwise fill the memory. */
const placesPerByte = 4
const placesAtLeast = 1 << 20

/**
 * Finds the values of an array of objects that begins at the byte `start`, without parsing them. Gives exactly the values
 * that `JsonReader` does: of a key that comes twice the last one. Null for anything else than an array of objects, for
 * what is no JSON, and for what is too deep or too wide.
 */
export function scanRows(text: Utf8Text, start: number): RowScan | null {
  const { free } = text
  const scanner = new RowScanner(text)
  const end = scanner.array(start)
  if (end >= 0) return scanner.result(end)
  text.free = free
  return null
}

/** Up to this length single bytes are faster than words. */
const shortString = 16

/** Gives the memory of a scan back; nothing of it can be read any more. */
export function releaseScan({ text, starts, ends, fields }: RowScan): void {
  text.release()
  for (const places of [starts, ends]) givePlaces(places)
  for (const field of fields.values()) {
    givePlaces(field.starts)
    givePlaces(field.ends)
  }
}

interface GrowingField extends ScannedField {
  /** The key as it stood in the text, from its opening quote to the value behind it, four bytes at a time. */
  words: Int32Array
  /** The last four bytes of that, and its length. */
  tail: number
  length: number
}

class RowScanner {
  readonly #text: Utf8Text
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #fields: GrowingField[] = []
  readonly #byKey = new Map<string, GrowingField>()
  #starts: Int32Array = new Int32Array(1)
  #ends: Int32Array = new Int32Array(1)
  #rows = 0
  /** Rows for which there is room. */
  #capacity = 1
  /** The number of the field that is due next, where a row has the keys of the one before it. */
  #expected = 0
  /** The place of the value behind the key that was read last. */
  #valueAt = 0

  constructor(text: Utf8Text) {
    this.#text = text
    this.#bytes = text.bytes
    this.#view = text.view
  }

  result(end: number): RowScan {
    return {
      text: this.#text,
      rows: this.#rows,
      starts: this.#starts,
      ends: this.#ends,
      fields: this.#byKey,
      end,
    }
  }

  /** The place behind the array that begins at `start`; -1: it is none of objects. */
  array(start: number): number {
    const bytes = this.#bytes
    let at = skipBlanks(bytes, start + 1)
    if (bytes[at] === 0x5d) return at + 1
    for (;;) {
      if (bytes[at] !== 0x7b || !this.#hasRoom(at)) return -1
      const end = this.#row(at)
      if (end < 0) return -1
      this.#starts[this.#rows] = at
      this.#ends[this.#rows++] = end
      at = bytes[end] === 0x2c ? end : skipBlanks(bytes, end)
      if (bytes[at] === 0x5d) return at + 1
      if (bytes[at] !== 0x2c) return -1
      at = bytes[at + 1] === 0x7b ? at + 1 : skipBlanks(bytes, at + 1)
    }
  }

  /** The place behind the object that begins at `start`. */
  #row(start: number): number {
    const bytes = this.#bytes
    let at = skipBlanks(bytes, start + 1)
    if (bytes[at] === 0x7d) return at + 1
    this.#expected = 0
    for (;;) {
      const field = this.#key(at)
      if (field === undefined) return -1
      at = this.#valueAt
      if (bytes[at]! <= 0x20) at = skipBlanks(bytes, at)
      at = bytes[at] === 0x22 ? this.#string(field, at) : this.#other(field, at)
      if (at < 0) return -1
      let code = bytes[at]
      if (code !== 0x2c && code !== 0x7d) {
        at = skipBlanks(bytes, at)
        code = bytes[at]
      }
      if (code === 0x7d) return at + 1
      if (code !== 0x2c) return -1
      at++
      if (bytes[at] !== 0x22) at = skipBlanks(bytes, at)
    }
  }

  /** Notes a string whose opening quote is at `start`; the place behind it. */
  #string(field: GrowingField, start: number): number {
    const bytes = this.#bytes
    const row = this.#rows
    let at = start + 1
    let code = bytes[at]!
    const short = at + shortString
    while (code !== 0x22 && code !== 0x5c && code >= 0x20 && at < short) code = bytes[++at]!
    if (at === short) {
      at = skipPlain(this.#view, at)
      code = bytes[at]!
      while (code !== 0x22 && code !== 0x5c && code >= 0x20) code = bytes[++at]!
    }
    if (code === 0x22) {
      field.starts[row] = start
      field.ends[row] = at + 1
      return at + 1
    }
    const end = skipString(bytes, start)
    if (end < 0) return -1
    const text = this.#text
    text.reserve(end - start)
    field.starts[row] = text.free
    text.free = unescapeString(text.bytes, start, end, text.free)
    field.ends[row] = text.free
    return end
  }

  #other(field: GrowingField, start: number): number {
    const code = this.#bytes[start]
    const isContainer = code === 0x7b || code === 0x5b
    const end = isContainer ? skipValue(this.#bytes, start) : skipScalar(this.#bytes, start)
    field.starts[this.#rows] = start
    field.ends[this.#rows] = end
    return end
  }

  /** The field of the key whose opening quote is at `start`; undefined at a fault. */
  #key(start: number): GrowingField | undefined {
    const expected = this.#fields[this.#expected]
    if (expected === undefined || !this.#stands(expected, start)) return this.#otherKey(start)
    this.#expected++
    this.#valueAt = start + expected.length
    return expected
  }

  /** Whether a key and what is behind it stands at `start` as it did before. */
  #stands({ words, tail, length }: GrowingField, start: number): boolean {
    const view = this.#view
    // Reads at most three bytes behind the text, which are there.
    for (let index = 0; index < words.length; index++)
      if (view.getInt32(start + 4 * index, true) !== words[index]) return false
    return length >= 4 && view.getInt32(start + length - 4, true) === tail
  }

  /** A key that is not the expected one. */
  #otherKey(start: number): GrowingField | undefined {
    const bytes = this.#bytes
    if (bytes[start] !== 0x22) return undefined
    const end = skipString(bytes, start)
    if (end < 0) return undefined
    const colon = skipBlanks(bytes, end)
    if (bytes[colon] !== 0x3a) return undefined
    this.#valueAt = skipBlanks(bytes, colon + 1)
    const key = keyOf(bytes.subarray(start, end))
    const field = this.#byKey.get(key) ?? this.#addField(key, start, this.#valueAt)
    if (field !== undefined) this.#expected = this.#fields.indexOf(field) + 1
    return field
  }

  #addField(key: string, start: number, end: number): GrowingField | undefined {
    const capacity = this.#capacity
    if (!this.#affords(this.#fields.length + 1, capacity)) return undefined
    const length = end - start
    const words = new Int32Array(length >> 2)
    for (let index = 0; index < words.length; index++)
      words[index] = this.#view.getInt32(start + 4 * index, true)
    const field = {
      key,
      words,
      tail: length < 4 ? 0 : this.#view.getInt32(end - 4, true),
      length,
      starts: takePlaces(capacity),
      ends: takePlaces(capacity),
    }
    this.#fields.push(field)
    this.#byKey.set(key, field)
    return field
  }

  /** Makes room for another row. */
  #hasRoom(at: number): boolean {
    const capacity = this.#capacity
    if (this.#rows < capacity) return true
    // All rows are about as long as those so far.
    const begin = this.#starts[0]!
    const estimate = Math.ceil((1.1 * this.#rows * (this.#text.length - begin)) / (at - begin))
    const wanted = Math.max(2 * capacity, 16)
    const rows = this.#affords(this.#fields.length, estimate) ? Math.max(wanted, estimate) : wanted
    if (!this.#affords(this.#fields.length, rows)) return false
    this.#capacity = rows
    this.#starts = grown(this.#starts, rows)
    this.#ends = grown(this.#ends, rows)
    for (const field of this.#fields) {
      field.starts = grown(field.starts, rows)
      field.ends = grown(field.ends, rows)
    }
    return true
  }

  #affords(fields: number, rows: number): boolean {
    return (fields + 1) * rows * 8 <= placesAtLeast + placesPerByte * this.#text.length
  }
}

/** The key that a token with its quotes says, as the exact parser reads it. */
function keyOf(token: Uint8Array): string {
  const text = Buffer.from(token).toString()
  if (!text.includes('\\')) return text.slice(1, -1)
  const key: unknown = JSON.parse(text)
  return String(key).toWellFormed()
}

function grown(places: Int32Array, length: number): Int32Array {
  const larger = takePlaces(length)
  larger.set(places)
  givePlaces(places)
  return larger
}

/** Steps over words of four bytes none of which is a quote, a backslash or a control character. */
function skipPlain(view: DataView, from: number): number {
  const last = view.byteLength - 4
  let at = from
  for (; at <= last; at += 4) {
    const word = view.getInt32(at, true)
    const quote = word ^ 0x22222222
    const backslash = word ^ 0x5c5c5c5c
    // A byte below n borrows from its highest bit when n is subtracted; so do bytes of 0 with n = 1.
    const found =
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash) |
      ((word - 0x20202020) & ~word)
    if ((found & 0x80808080) !== 0) return at
  }
  return at
}
