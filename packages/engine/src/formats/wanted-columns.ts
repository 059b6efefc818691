import { RunError } from '@huntfleet/contract'
import type { FieldMapping } from '../source-row.ts'
import { visibleText } from '../visible-text.ts'

/** How many names an error message lists. */
const namesShown = 20

/** The paths that the fields are read from: `a | b` names two, a constant names none (see `sourceName`). */
export function wantedSources(fields: readonly FieldMapping[]): string[] {
  return fields.flatMap(({ source }) => source.split(' | ')).filter((source) => !/^value ./.test(source))
}

/** Whether a column of a table is what one of the sources names, or what its path leads into. */
export function isWanted(name: string, sources: readonly string[]): boolean {
  return sources.some(
    (source) =>
      source.startsWith(name) && (source.length === name.length || /^[.[]/.test(source.slice(name.length))),
  )
}

/** How many of the names are wanted. */
export function countWanted(names: readonly string[], fields: readonly FieldMapping[]): number {
  const sources = wantedSources(fields)
  return names.filter((name) => isWanted(name, sources)).length
}

/**
 * Throws PARSE_FAILED when a table with rows has none of the columns that are wanted: it is another table, or prose
 * that looks like one, and would be staged as rows of nulls. Where a field is the whole row, or has a path with
 * quotes or a selection in it, nothing is judged.
 */
export function requireWanted(
  format: string,
  names: readonly string[],
  fields: readonly FieldMapping[],
): void {
  const sources = wantedSources(fields)
  if (sources.length === 0 || sources.some((source) => source === '$' || /["\]]/.test(source))) return
  if (names.some((name) => isWanted(name, sources))) return
  throw new RunError(
    'PARSE_FAILED',
    `${format}: none of the wanted columns is in the table; wanted ${list(sources)}; the header names ${list(names)}`,
    { hint: 'map the columns with field_map, or check that the answer is the table you mean' },
  )
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).map((name) => `"${visibleText(name, 60)}"`)
  return names.length > namesShown
    ? `${shown.join(', ')} and ${names.length - namesShown} more`
    : shown.join(', ')
}
