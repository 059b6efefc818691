/** More of a foreign text helps nobody in a message. */
const maxLength = 300

/** Foreign text made safe for a message: control and bidirectional characters escaped, and cut (SPEC section 16.8). */
export function printable(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
