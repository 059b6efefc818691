import { RunError } from '@huntfleet/contract'
import type { FormatContext, ParsedText } from '../format.ts'
import { excerpt } from '../visible-text.ts'
import { saysNoResults } from './no-results.ts'
import { noteLines } from './note-lines.ts'
import { emptyPage } from './page-text.ts'
import { TableRows } from './table-rows.ts'
import { countWanted, requireWanted } from './wanted-columns.ts'

/** A record of a table in a text. */
export interface TableRecord {
  cells: readonly (string | null)[]
  raw: string
  /** Why it cannot be stored, whatever its cells. */
  fault: string | null
}

/** A table that stands in a text. */
export interface TextTable {
  names: readonly string[]
  records: readonly TableRecord[]
}

/** What a text holds that may have tables in it. */
export interface TextWithTables {
  tables: readonly TextTable[]
  /** Records outside any table. */
  strays: readonly TableRecord[]
  /** The text around the tables, and the same as a person reads it. */
  remainder: string
  prose: string
}

/**
 * The rows of a text with tables. Of several tables the one with the most wanted columns counts, the first of equals,
 * and every table with the same header; the others are passed over with a note.
 * Throws PARSE_FAILED when there is no table, except in a text that says that there are no rows.
 */
export function pageOfTables(format: string, text: TextWithTables, context: FormatContext): ParsedText {
  const { tables, strays } = text
  const page = emptyPage(text.remainder)
  const table = wantedTable(tables, context)
  if (table === undefined) {
    if (strays.length === 0 && (text.prose.trim() === '' || saysNoResults(text.prose))) return page
    throw noTable(format, text)
  }
  const header = JSON.stringify(table.names)
  const rows = new TableRows(table.names)
  const others: string[] = []
  for (const other of tables) {
    if (JSON.stringify(other.names) === header) addAll(rows, other.records)
    else others.push(passedOver(other))
  }
  addAll(rows, strays)
  if (rows.rows.length > 0) requireWanted(format, table.names, context.fields)
  page.notes = [...noteLines(text.prose.split('\n')), ...noteLines(others)]
  return { ...page, rows: rows.rows, rejects: rows.rejects, items: rows.items }
}

function wantedTable(tables: readonly TextTable[], context: FormatContext): TextTable | undefined {
  let best = tables[0]
  let most = best === undefined ? 0 : countWanted(best.names, context.fields)
  for (const table of tables) {
    const wanted = countWanted(table.names, context.fields)
    if (wanted > most) {
      best = table
      most = wanted
    }
  }
  return best
}

function addAll(rows: TableRows, records: readonly TableRecord[]): void {
  for (const { cells, raw, fault } of records) {
    if (fault === null) rows.add(cells, raw)
    else rows.reject(fault, raw)
  }
}

function passedOver(table: TextTable): string {
  return `passed over a table of ${table.records.length} rows with other columns: ${table.names.join(', ')}`
}

function noTable(format: string, text: TextWithTables): RunError {
  const shown = text.strays[0]?.raw ?? text.prose
  return new RunError(
    'PARSE_FAILED',
    `${format}: could not find a table with a header; the text has ${excerpt(shown)}`,
    {
      hint: 'check that the tool answers in this format; empty_when and error_when say what other texts mean',
    },
  )
}
