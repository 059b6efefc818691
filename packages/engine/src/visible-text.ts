/**
 * Text of a source as it may stand in a message, a log or a terminal: control characters, line ends and the marks
 * that reorder or hide text (bidirectional controls, zero-width characters) are written as escapes.
 */
export function visibleText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (character) => {
      return escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A short piece of a source's text in quotes, for an error message. */
export function excerpt(text: string, maxLength = 120): string {
  return `"${visibleText(text.trim(), maxLength)}"`
}
