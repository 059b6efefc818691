import { type Exact, ExactNumber } from '../json/exact.ts'

/** How reading ended: with a value and the offset behind it, or with what is wrong. */
export type LiteralResult = { value: Exact; end: number; fault?: undefined } | { fault: string }

/** Deeper values are refused, as CPython's own parser refuses them. */
const maxDepth = 1000

interface Frame {
  close: string
  items: Exact[]
  /** Null in a list or tuple. */
  entries: Map<string, Exact> | null
  /** A key whose value is to come. */
  key: string | null
}

/**
 * Reads the Python literal that starts at an offset, as `repr` prints it: strings in both quotes with all escapes,
 * None, True, False, integers of any size, floats, lists, tuples and dicts, nested to 1,000 levels. Numbers keep
 * their spelling; nan and inf become the words NaN, Infinity and -Infinity, as in JSON answers; the keys of dicts
 * become text as in Python's json module. A loop over an explicit stack, linear in the text.
 */
export function readPythonLiteral(text: string, start = 0): LiteralResult {
  const stack: Frame[] = []
  let at = start
  for (;;) {
    at = skipBlanks(text, at)
    const opened = openFrame(text.charAt(at))
    if (opened !== null) {
      if (stack.length === maxDepth) return { fault: `nested deeper than ${maxDepth} levels` }
      stack.push(opened)
      at = skipBlanks(text, at + 1)
      // Anything but an end at once is a first member.
      if (text.charAt(at) !== opened.close) continue
    }
    const scalar = opened === null ? readScalar(text, at) : closeFrame(stack, at)
    if (scalar.fault !== undefined) return scalar
    const next = placeValue(text, scalar.value, scalar.end, stack)
    if (typeof next !== 'number') return next
    at = next
  }
}

/** Hands a complete value to the frames that are open; the offset of the next value, or the end. */
function placeValue(text: string, first: Exact, end: number, stack: Frame[]): number | LiteralResult {
  let value = first
  let at = end
  for (;;) {
    const frame = stack.at(-1)
    if (frame === undefined) return { value, end: at }
    at = skipBlanks(text, at)
    const mark = text.charAt(at)
    if (frame.entries !== null && frame.key === null) return takeKey(frame, value, mark, at)
    takeMember(frame, value)
    if (mark === ',') {
      at = skipBlanks(text, at + 1)
      // A comma may stand before the end: (1,)
      if (text.charAt(at) !== frame.close) return at
    } else if (mark !== frame.close) {
      return { fault: expected(`"," or "${frame.close}"`, text, at) }
    }
    const closed = closeFrame(stack, at)
    value = closed.value
    at = closed.end
  }
}

function openFrame(mark: string): Frame | null {
  if (mark === '[') return { close: ']', items: [], entries: null, key: null }
  if (mark === '(') return { close: ')', items: [], entries: null, key: null }
  if (mark === '{') return { close: '}', items: [], entries: new Map(), key: null }
  return null
}

function closeFrame(stack: Frame[], at: number): { value: Exact; end: number; fault?: undefined } {
  const frame = stack.pop()
  return { value: frame?.entries ?? frame?.items ?? null, end: at + 1 }
}

function takeKey(frame: Frame, value: Exact, mark: string, at: number): number | LiteralResult {
  const key = keyText(value)
  if (key === null) return { fault: 'a key of a dict is no scalar' }
  if (mark !== ':') return { fault: `a ":" is missing behind a key of a dict, at character ${at + 1}` }
  if (frame.entries?.has(key)) return { fault: `two keys of a dict are the same text ${JSON.stringify(key)}` }
  frame.key = key
  return at + 1
}

function takeMember(frame: Frame, value: Exact): void {
  if (frame.entries === null) frame.items.push(value)
  else if (frame.key !== null) frame.entries.set(frame.key, value)
  frame.key = null
}

/** A key as Python's json module writes it; null for a list, tuple or dict. */
function keyText(value: Exact): string | null {
  if (value instanceof ExactNumber) return value.text
  return value !== null && typeof value === 'object' ? null : String(value)
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/y
const word = /[A-Za-z_][\w.]*|-inf\b|-nan\b/y
const words: ReadonlyMap<string, Exact> = new Map<string, Exact>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['nan', 'NaN'],
  ['-nan', 'NaN'],
  ['inf', 'Infinity'],
  ['-inf', '-Infinity'],
])

function readScalar(text: string, at: number): LiteralResult {
  const mark = text.charAt(at)
  if (mark === "'" || mark === '"') return readString(text, at, mark)
  const name = matchAt(word, text, at)
  if (name !== null) {
    const value = words.get(name)
    if (value === undefined) return { fault: `${JSON.stringify(name.slice(0, 60))} is no Python literal` }
    return { value, end: at + name.length }
  }
  const digits = matchAt(number, text, at)
  if (digits === null) return { fault: expected('a value', text, at) }
  const plain = Number(digits)
  return { value: String(plain) === digits ? plain : new ExactNumber(digits), end: at + digits.length }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
])
/** Escapes by number: octal, and hexadecimal with 2, 4 or 8 digits. */
const numericEscape = /[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y
const maxCodePoint = 0x10ffff

function readString(text: string, start: number, quote: string): LiteralResult {
  const parts: string[] = []
  let from = start + 1
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === quote) {
      parts.push(text.slice(from, at))
      return { value: parts.join('').toWellFormed(), end: at + 1 }
    }
    if (character !== '\\') continue
    parts.push(text.slice(from, at))
    const escaped = readEscape(text, at + 1)
    if (escaped.fault !== undefined) return escaped
    parts.push(escaped.text)
    from = escaped.end
    at = from - 1
  }
  return { fault: 'the text ends inside a string' }
}

/** What stands behind a backslash; an escape that Python does not know is both its characters. */
function readEscape(
  text: string,
  at: number,
): { text: string; end: number; fault?: undefined } | { fault: string } {
  const mark = text.charAt(at)
  const simple = simpleEscapes.get(mark)
  if (simple !== undefined) return { text: simple, end: at + 1 }
  const digits = matchAt(numericEscape, text, at)
  if (digits === null) {
    const isBroken = mark === 'x' || mark === 'u' || mark === 'U' || mark === 'N'
    return isBroken
      ? { fault: `the escape \\${mark} is broken or unknown` }
      : { text: `\\${mark}`, end: at + mark.length }
  }
  const isOctal = mark >= '0' && mark <= '7'
  const code = isOctal ? Number.parseInt(digits, 8) : Number.parseInt(digits.slice(1), 16)
  if (code > maxCodePoint) return { fault: `the escape \\${digits} is beyond Unicode` }
  return { text: String.fromCodePoint(code), end: at + digits.length }
}

function expected(what: string, text: string, at: number): string {
  if (at >= text.length) return `the text ends where ${what} should stand`
  return `${what} should stand at character ${at + 1}, not ${JSON.stringify(text.slice(at, at + 12).toWellFormed())}`
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at++
  return at
}

/** What a sticky pattern matches at an offset. */
function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
