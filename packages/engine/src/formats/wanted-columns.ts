import { RunError } from '@huntfleet/contract'
import type { FieldMapping } from '../source-row.ts'
import { visibleText } from '../visible-text.ts'

/** How many names an error message lists. */
const namesShown = 20

/** Whether a column of a table is what one of the fields is read from: its source names it, or a path into it. */
export function isWanted(name: string, fields: readonly FieldMapping[]): boolean {
  return fields.some(
    ({ source }) =>
      source === name ||
      (source.startsWith(name) && (source.charAt(name.length) === '.' || source.charAt(name.length) === '[')),
  )
}

/** How many of the names are wanted. */
export function countWanted(names: readonly string[], fields: readonly FieldMapping[]): number {
  return names.filter((name) => isWanted(name, fields)).length
}

/**
 * Throws PARSE_FAILED when a table with rows has none of the columns that are wanted: it is another table, or prose
 * that looks like one, and would be staged as rows of nulls. Quoted and other special paths are not judged.
 */
export function requireWanted(
  format: string,
  names: readonly string[],
  fields: readonly FieldMapping[],
): void {
  if (fields.length === 0 || fields.some(({ source }) => /^\$|["\]]/.test(source))) return
  if (names.some((name) => isWanted(name, fields))) return
  throw new RunError(
    'PARSE_FAILED',
    `${format}: none of the wanted columns is in the table; wanted ${list(fields.map(({ source }) => source))}; the header names ${list(names)}`,
    { hint: 'map the columns with field_map, or check that the answer is the table you mean' },
  )
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).map((name) => `"${visibleText(name, 60)}"`)
  return names.length > namesShown
    ? `${shown.join(', ')} and ${names.length - namesShown} more`
    : shown.join(', ')
}
