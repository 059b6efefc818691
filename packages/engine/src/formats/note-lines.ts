import { visibleText } from '../visible-text.ts'

/** A manifest has room for so many lines of one page, and so many characters of each. */
const mostLines = 20
const longestLine = 300

/** Lines of a text as notes; blank ones are left out, and what is too much is counted. */
export function noteLines(lines: readonly string[]): string[] {
  const told = lines.map((line) => line.trim()).filter((line) => line !== '')
  const notes = told.slice(0, mostLines).map((line) => visibleText(line, longestLine))
  if (told.length > mostLines) notes.push(`and ${told.length - mostLines} more lines`)
  return notes
}
