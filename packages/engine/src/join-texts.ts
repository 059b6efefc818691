/** Texts one below the other, without the blank ones. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n')
}
