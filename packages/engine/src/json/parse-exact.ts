import { RunError } from '@huntfleet/contract'
import { excerpt } from '../visible-text.ts'
import type { Exact } from './exact.ts'
import { JsonReader, type ReadOptions } from './json-reader.ts'

/** How much of the text an error message shows around the fault, in UTF-16 code units. */
const shownBefore = 30
const shownAfter = 30

/**
 * Parses a JSON text (RFC 8259) without losing anything: numbers keep their spelling, objects their key order.
 * A leading byte order mark is dropped; lone surrogates become U+FFFD. Takes linear time, and any nesting.
 * Throws PARSE_FAILED with line, column and an excerpt.
 *
 * With `lenientNumbers`, Python's `NaN`, `Infinity` and `-Infinity` are read as strings of that spelling, so that a
 * DOUBLE column keeps them (SPEC section 9 takes these words) and any other column rejects them visibly.
 */
export function parseExact(text: string, options: ReadOptions = {}): Exact {
  const source = text.toWellFormed()
  const reader = new JsonReader(source, options)
  const result = reader.read(source.charCodeAt(0) === 0xfeff ? 1 : 0)
  if (!result.ok) throw parseError(source, result.at, result.reason)
  const end = reader.skipBlanks(result.end)
  if (end < source.length) throw parseError(source, end, 'text after the end of the value')
  return result.value
}

/** PARSE_FAILED that says where in the text the fault is and what stands there. */
export function parseError(text: string, at: number, reason: string): RunError {
  const { line, column } = placeOf(text, at)
  const shown = excerpt(text.slice(Math.max(0, at - shownBefore), at + shownAfter), shownBefore + shownAfter)
  return new RunError(
    'PARSE_FAILED',
    `not valid JSON at line ${line}, column ${column}: ${reason}; near ${shown}`,
    {
      line,
      column,
      hint: 'if the tool answers in another form, set response_format, extract or response_adapter',
    },
  )
}

/** 1-based line and column of an offset. */
function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < at; feed = text.indexOf('\n', lineStart)) {
    line++
    lineStart = feed + 1
  }
  return { line, column: at - lineStart + 1 }
}
