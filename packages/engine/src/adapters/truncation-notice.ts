/** How PowerQuery tools say that they print the first rows only. */
const moreRows = /^\.\.\. and [\d,]+ more rows\.?$/

/** The line among those outside the rows that says that rows are missing; null when there is none. */
export function truncationNotice(lines: readonly string[]): string | null {
  return lines.map((line) => line.trim()).find((line) => moreRows.test(line)) ?? null
}
