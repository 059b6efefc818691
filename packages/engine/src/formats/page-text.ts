import type { ParsedText } from '../format.ts'

/** The text of a page without a leading byte order mark and with U+FFFD for lone surrogates (SPEC section 15). */
export function pageText(text: string): string {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  return text.slice(start).toWellFormed()
}

/** The lines of a text; LF and CRLF end a line. */
export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

/** A page without rows, to be filled in; `remainder` is the text that is not row content. */
export function emptyPage(remainder: string): ParsedText {
  return { rows: [], rejects: [], items: 0, envelope: undefined, remainder, notes: [], truncation: null }
}
