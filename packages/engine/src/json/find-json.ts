import { type Exact, isExactArray, isExactObject } from './exact.ts'
import { JsonReader, type ReadOptions } from './json-reader.ts'

/** A JSON value inside a text, at `[start, end)`. */
export interface FoundValue {
  value: Exact
  start: number
  end: number
}

export interface FoundJson {
  /** In the order of the text, none inside another. */
  values: FoundValue[]
  /** Something that begins like JSON and does not end like it; nothing behind `start` was looked at. */
  broken: { start: number; at: number; reason: string } | null
}

/** A fence's opening line, or an opening fence with its JSON on the same line. */
const fenceOpening = /^[ \t]*`{3,}(?:[ \t]*[\w+-]+)?[ \t]*(?:\r?$|(?=[{[]))/gm
const fenceClosing = /^[ \t]*`{3,}[ \t]*\r?$/gm

/**
 * The JSON values in the code fences of a Markdown text. Values are read to their balanced end, so that backticks
 * inside a JSON string are data. A fence that holds something else is passed over.
 */
export function findFencedJson(text: string, options: ReadOptions = {}): FoundJson {
  const reader = new JsonReader(text, options)
  const found: FoundJson = { values: [], broken: null }
  let from = 0
  for (;;) {
    fenceOpening.lastIndex = from
    const opening = fenceOpening.exec(text)
    if (opening === null) return found
    const start = reader.skipBlanks(opening.index + opening[0].length)
    let inside = start
    if (looksLikeJson(text, start, reader)) {
      const result = reader.read(start)
      if (!result.ok) {
        found.broken = { start, at: result.at, reason: result.reason }
        return found
      }
      found.values.push({ value: result.value, start, end: result.end })
      inside = result.end
    }
    fenceClosing.lastIndex = inside
    const closing = fenceClosing.exec(text)
    if (closing === null) return found
    from = closing.index + closing[0].length
  }
}

/** Where a value may begin amid prose: at the start of a line, or behind a colon and a blank. */
const candidate = /(?:^[ \t]*|: )(?=[{[])/gm
/** What may stand between values that follow each other directly. */
const separator = /[\s,]*/y

/**
 * The JSON values amid prose: the first one, and the ones after it that begin a line or follow directly (rows that
 * stand one below the other). A search goes on behind what it has read, never inside it: linear time, and a piece of
 * a broken value never passes for a whole one.
 */
export function findEmbeddedJson(text: string, options: ReadOptions = {}): FoundJson {
  const reader = new JsonReader(text, options)
  const found: FoundJson = { values: [], broken: null }
  let from = 0
  for (;;) {
    const start = nextCandidate(text, from, found.values, reader)
    if (start < 0) return found
    const result = reader.read(start)
    if (result.ok) {
      from = result.end
      if (isTakable(text, result)) found.values.push({ value: result.value, start, end: result.end })
    } else if (looksLikeJson(text, start, reader)) {
      found.broken = { start, at: result.at, reason: result.reason }
      return found
    } else {
      // Prose in brackets (`[INFO] …`); at least the bracket itself is behind us.
      from = Math.max(result.at, start + 1)
    }
  }
}

/** The place of the next bracket that may begin a value; -1 when there is none. */
function nextCandidate(
  text: string,
  from: number,
  values: readonly FoundValue[],
  reader: JsonReader,
): number {
  if (values.length > 0 && values[values.length - 1]!.end === from) {
    separator.lastIndex = from
    separator.test(text)
    if (looksLikeJson(text, separator.lastIndex, reader)) return separator.lastIndex
  }
  candidate.lastIndex = from
  for (let place = candidate.exec(text); place !== null; place = candidate.exec(text)) {
    // Behind a colon stands the first value only; later ones are examples and hints.
    if (values.length === 0 || !place[0].startsWith(':')) return place.index + place[0].length
    candidate.lastIndex = place.index + place[0].length
  }
  return -1
}

/** A list of scalars may be prose (`[1] see below`), unless it stands alone on its line. */
function isTakable(text: string, { value, end }: { value: Exact; end: number }): boolean {
  if (!isExactArray(value)) return true
  const first = value[0]
  if (isExactObject(first) || isExactArray(first)) return true
  const lineEnd = text.indexOf('\n', end)
  return text.slice(end, lineEnd < 0 ? text.length : lineEnd).trim() === ''
}

/** Whether what stands behind the bracket at `start` is how JSON containers begin, and prose in brackets does not. */
function looksLikeJson(text: string, start: number, reader: JsonReader): boolean {
  const bracket = text[start]
  if (bracket !== '{' && bracket !== '[') return false
  const next = text[reader.skipBlanks(start + 1)]
  return bracket === '{'
    ? next === '"' || next === '}'
    : next === '"' || next === '{' || next === '[' || next === ']'
}
