/**
 * Finds the values of an array of objects (RFC 8259) in UTF-8, without parsing them, sixteen bytes at a time where strings
 * are long. Compiled by AssemblyScript; `src/json/row-scanner.ts` says how the memory is laid out and calls it.
 */

export { batchRows, ends, forms, gather, gathered, gatheredEnd, hashes, starts, texts } from './column-texts'

/** The number of the field that a key means, from its opening quote to behind its closing one; -1: there are too many. */
declare function fieldOf(start: i32, end: i32): i32
/** Writes a string without its escapes to `target`, with its quotes; the place behind it. */
declare function unescaped(start: i32, end: i32, target: i32): i32

/** A place takes eight bytes: where something begins, and where it ends. */
const placeShift: i32 = 3
/** Deeper values are left to the exact parser, which has no stack to overflow. */
const deepest: i32 = 100
/** So many fields are looked through for a key that is not the expected one before `fieldOf` is asked. */
const lookedThrough: i32 = 32
/** Memory grows by at least so many pages of 64 KiB, since JavaScript must look at it anew each time. */
const growth: i32 = 16

/** Where keys stand that were met first, each as a place whose end is the value behind it. */
const keys: i32 = 1024
export const mostFields: i32 = 4096

export let rows: i32 = 0
/** Places of a row: its own, and one for each of its fields, with some to spare. */
export let stride: i32 = 0
/** Where the room for strings without escapes begins that is not taken yet. */
export let free: i32 = 0

let fields: i32 = 0
/** The field that is due next, where a row has the keys of the one before it. */
let expected: i32 = 0
let places: i32 = 0
let placesEnd: i32 = 0
let roomEnd: i32 = 0
/** The place of the row that is being read. */
let row: i32 = 0
/** The place of the value behind the key that was read last. */
let valueAt: i32 = 0

/**
 * The place behind the array of objects whose opening bracket is at `start`; -1: it is none, or too much. The places of
 * its rows are written from `into` on and up to `most`, strings without escapes from `room` to `roomTo`.
 */
export function scan(start: i32, into: i32, most: i32, room: i32, roomTo: i32): i32 {
  rows = 0
  fields = 0
  stride = 8
  places = into
  placesEnd = most
  free = room
  roomEnd = roomTo
  let at = skipBlanks(start + 1)
  if (code(at) === 0x5d) return at + 1
  while (true) {
    if (code(at) !== 0x7b || !beginRow(at)) return -1
    const end = readRow(at)
    if (end < 0) return -1
    store<i32>(row, end, 4)
    rows++
    at = code(end) === 0x2c ? end : skipBlanks(end)
    if (code(at) === 0x5d) return at + 1
    if (code(at) !== 0x2c) return -1
    at = code(at + 1) === 0x7b ? at + 1 : skipBlanks(at + 1)
  }
}

function code(at: i32): i32 {
  return <i32>load<u8>(at)
}

/** Makes room for another row; false: it takes too much. */
function beginRow(at: i32): bool {
  const bytes = stride << placeShift
  row = places + rows * bytes
  if (!hasRoom(row + bytes)) return false
  memory.fill(row, 0, bytes)
  store<i32>(row, at)
  expected = 0
  return true
}

/** `end` may be beyond the largest positive integer, where each row is given more places. */
function hasRoom(end: i32): bool {
  if (<u32>end > <u32>placesEnd) return false
  const missing = end - (memory.size() << 16)
  if (missing <= 0) return true
  const pages = (missing >> 16) + 1
  return memory.grow(max(pages, growth)) >= 0
}

/** The place behind the object that begins at `start`. */
function readRow(start: i32): i32 {
  let at = skipBlanks(start + 1)
  if (code(at) === 0x7d) return at + 1
  while (true) {
    const field = readKey(at)
    if (field < 0) return -1
    at = valueAt
    if (code(at) <= 0x20) at = skipBlanks(at)
    at = code(at) === 0x22 ? readString(field, at) : readOther(field, at)
    if (at < 0) return -1
    let next = code(at)
    if (next !== 0x2c && next !== 0x7d) {
      at = skipBlanks(at)
      next = code(at)
    }
    if (next === 0x7d) return at + 1
    if (next !== 0x2c) return -1
    at++
    if (code(at) !== 0x22) at = skipBlanks(at)
  }
}

/** Notes where the value of a field stands; of a key that comes twice the last one counts. */
function note(field: i32, start: i32, end: i32): void {
  const place = row + ((field + 1) << placeShift)
  store<i32>(place, start)
  store<i32>(place, end, 4)
}

/** Notes a string whose opening quote is at `start`; the place behind it. */
function readString(field: i32, start: i32): i32 {
  const at = plainEnd(start + 1)
  if (code(at) === 0x22) {
    note(field, start, at + 1)
    return at + 1
  }
  const end = stringEnd(at)
  if (end < 0 || free + (end - start) > roomEnd) return -1
  const target = free
  free = unescaped(start, end, target)
  note(field, target, free)
  return end
}

function readOther(field: i32, start: i32): i32 {
  const first = code(start)
  const end = first === 0x7b || first === 0x5b ? skipValue(start, 0) : skipScalar(start)
  note(field, start, end)
  return end
}

/** The field of the key whose opening quote is at `start`; -1 at a fault. */
function readKey(start: i32): i32 {
  const due = expected
  if (due < fields && stands(due, start)) {
    expected = due + 1
    valueAt = start + keyLength(due)
    return due
  }
  return otherKey(start)
}

function keyLength(field: i32): i32 {
  return load<i32>(keys + (field << placeShift), 4)
}

/** Whether a key and what is behind it stands at `at` as it did where it was met first. */
function stands(field: i32, at: i32): bool {
  const key = load<i32>(keys + (field << placeShift))
  const length = keyLength(field)
  if (length < 8) {
    for (let index = 0; index < length; index++) if (code(key + index) !== code(at + index)) return false
    return true
  }
  const last = length - 8
  for (let index = 0; index < last; index += 8)
    if (load<u64>(key + index) !== load<u64>(at + index)) return false
  return load<u64>(key + last) === load<u64>(at + last)
}

/** A key that is not the expected one. */
function otherKey(start: i32): i32 {
  if (code(start) !== 0x22) return -1
  const most = min(fields, lookedThrough)
  for (let field = 0; field < most; field++) {
    if (!stands(field, start)) continue
    expected = field + 1
    valueAt = start + keyLength(field)
    return field
  }
  const end = skipString(start)
  if (end < 0) return -1
  const colon = skipBlanks(end)
  if (code(colon) !== 0x3a) return -1
  valueAt = skipBlanks(colon + 1)
  const field = fieldOf(start, end)
  if (field < 0 || (field === fields && !addField(start))) return -1
  expected = field + 1
  return field
}

/** Takes the key at `start` as that of a new field, whose value is at `valueAt`. */
function addField(start: i32): bool {
  if (fields === mostFields) return false
  const entry = keys + (fields << placeShift)
  store<i32>(entry, start)
  store<i32>(entry, valueAt - start, 4)
  fields++
  return fields < stride || widen()
}

/** Gives each row twice as many places. */
function widen(): bool {
  const before = stride << placeShift
  const after = before << 1
  if (!hasRoom(places + (rows + 1) * after)) return false
  for (let index = rows; index >= 0; index--) {
    const to = places + index * after
    memory.copy(to, places + index * before, before)
    memory.fill(to + before, 0, before)
  }
  stride <<= 1
  row = places + rows * after
  return true
}

/** The first place from `from` on that is no blank. */
function skipBlanks(from: i32): i32 {
  let at = from
  for (let c = code(at); c === 32 || c === 10 || c === 13 || c === 9; c = code(at)) at++
  return at
}

/** The first place from `from` on with a quote, a backslash or a control character; the text ends with one. */
function plainEnd(from: i32): i32 {
  let at = from
  while (true) {
    const chunk = v128.load(at)
    const special = v128.or(
      v128.or(i8x16.eq(chunk, i8x16.splat(0x22)), i8x16.eq(chunk, i8x16.splat(0x5c))),
      i8x16.lt_u(chunk, i8x16.splat(0x20)),
    )
    const mask = i8x16.bitmask(special)
    if (mask !== 0) return at + ctz(mask)
    at += 16
  }
}

/** The place behind the string whose opening quote is at `start`; -1: it has none, or what may not stand in it. */
function skipString(start: i32): i32 {
  return stringEnd(plainEnd(start + 1))
}

/** The place behind the string of which `at` is a quote, a backslash or a control character. */
function stringEnd(at: i32): i32 {
  let end = at
  while (true) {
    const c = code(end)
    if (c === 0x22) return end + 1
    if (c !== 0x5c) return -1
    end = escapeEnd(end + 1)
    if (end < 0) return -1
    end = plainEnd(end)
  }
}

/** The place behind an escape, from the letter behind its backslash. */
function escapeEnd(at: i32): i32 {
  switch (code(at)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return at + 1
    case 0x75:
      for (let index = at + 1; index <= at + 4; index++) if (!isHexDigit(code(index))) return -1
      return at + 5
    default:
      return -1
  }
}

function isHexDigit(c: i32): bool {
  const letter = c | 0x20
  return (c >= 0x30 && c <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}

/** The place behind the value at `at`; -1 for anything that is none, or too deep. */
function skipValue(at: i32, depth: i32): i32 {
  const c = code(at)
  if (c === 0x22) return skipString(at)
  if (c === 0x7b || c === 0x5b) return depth < deepest ? skipContainer(at, depth + 1) : -1
  return skipScalar(at)
}

function skipContainer(start: i32, depth: i32): i32 {
  const isObject = code(start) === 0x7b
  const closing = isObject ? 0x7d : 0x5d
  let at = skipBlanks(start + 1)
  if (code(at) === closing) return at + 1
  while (true) {
    if (isObject) {
      at = skipKey(at)
      if (at < 0) return -1
    }
    at = skipValue(at, depth)
    if (at < 0) return -1
    at = skipBlanks(at)
    if (code(at) === closing) return at + 1
    if (code(at) !== 0x2c) return -1
    at = skipBlanks(at + 1)
  }
}

/** From a key to the value behind it. */
function skipKey(start: i32): i32 {
  if (code(start) !== 0x22) return -1
  const end = skipString(start)
  if (end < 0) return -1
  const colon = skipBlanks(end)
  return code(colon) === 0x3a ? skipBlanks(colon + 1) : -1
}

/** The place behind a number, `true`, `false` or `null`. */
function skipScalar(at: i32): i32 {
  switch (code(at)) {
    case 0x74:
      return load<u32>(at) === 0x65757274 ? at + 4 : -1
    case 0x66:
      return load<u32>(at, 1) === 0x65736c61 ? at + 5 : -1
    case 0x6e:
      return load<u32>(at) === 0x6c6c756e ? at + 4 : -1
    default:
      return skipNumber(at)
  }
}

function skipNumber(at: i32): i32 {
  const first = code(at) === 0x2d ? at + 1 : at
  let end = skipDigits(first)
  if (end < 0 || (code(first) === 0x30 && end > first + 1)) return -1
  if (code(end) === 0x2e) {
    end = skipDigits(end + 1)
    if (end < 0) return -1
  }
  if ((code(end) | 0x20) !== 0x65) return end
  const sign = code(end + 1)
  return skipDigits(sign === 0x2b || sign === 0x2d ? end + 2 : end + 1)
}

/** The place behind at least one digit; -1: there is none. */
function skipDigits(at: i32): i32 {
  let end = at
  for (let c = code(end); c >= 0x30 && c <= 0x39; c = code(end)) end++
  return end > at ? end : -1
}
