import { type AnswerSpec, RunError } from '@huntfleet/contract'
import { columnNames, distinctNames } from './column-names.ts'
import { columnRows } from './column-rows.ts'
import { kindOfExact } from './describe-keys.ts'
import { compactJson, exactText } from './json/compact.ts'
import { type Exact, type ExactArray, isExactArray, isExactObject } from './json/exact.ts'
import { scannedRowsOf } from './json/scanned-array.ts'
import { compilePath, type Path, readPath } from './path.ts'
import { isSeries, seriesRows } from './series-rows.ts'
import type { RowReject, SourceRow } from './source-row.ts'

/** What the elements of a page became. */
export interface ElementRows {
  rows: SourceRow[]
  rejects: RowReject[]
  /** Rows the source sent: the header row is none. */
  items: number
  /** What a person should know of the page. */
  notes: string[]
  /** The names in the page's header row; null: it had none. */
  header: readonly string[] | null
}

export interface MatrixContext {
  answer: AnswerSpec
  firstPage: boolean
  /** The header row of an earlier page. */
  header: readonly string[] | null
  /** Where `columns_path` is looked up, in this order. */
  documents: readonly Exact[]
}

/**
 * Elements of an answer → rows. Objects are rows. Arrays are rejects, unless the binding names their columns
 * (`columns_path`, `header_row`) or their form (`rows`): values in the order of a header (`matrix`), one-key maps
 * (`pairs`, CloudTrail Lake), or whole columns side by side (`columns`, Grafana). Throws ITEMS_NOT_FOUND or
 * ANSWER_INVALID when the header is missing or fits no row form.
 */
export function elementRows(elements: readonly Exact[], context: MatrixContext): ElementRows {
  const scanned = takesObjects(context) ? scannedRowsOf(elements) : undefined
  if (scanned !== undefined)
    return { rows: scanned.array, rejects: [], items: scanned.length, notes: [], header: null }
  if (context.answer.rows === 'columns') return columnRows(elements, context)
  if (context.answer.rows === 'matrix' && isSeries(elements)) return seriesRows(elements)
  return singleRows(elements, context)
}

/** Elements each of which is a row. */
function singleRows(elements: readonly Exact[], context: MatrixContext): ElementRows {
  const { answer } = context
  const wrapper = answer.itemPath === null ? null : compilePath(answer.itemPath)
  const isWrapped = wrapper !== null && elements.some((element) => readPath(element, wrapper) !== undefined)
  // A wrapper that no element has hides nothing: what came are the rows.
  const unwrap = isWrapped ? wrapper : null
  const header = headerOf(elements, unwrap, context)
  const cell = answer.cellPath === null ? null : compilePath(answer.cellPath)
  const page: ElementRows = {
    rows: [],
    rejects: [],
    items: elements.length - header.rowsBefore,
    notes: [],
    header: header.rowsBefore === 1 ? header.names : null,
  }
  for (let index = header.rowsBefore; index < elements.length; index++) {
    const element = elements[index] ?? null
    const inner = unwrap === null ? element : readPath(element, unwrap)
    const made =
      inner === undefined
        ? `an element without ${answer.itemPath}, which others have`
        : rowOf(inner, answer, header.names, cell)
    if (typeof made !== 'string') page.rows.push(made)
    else page.rejects.push({ row: index + 1, reason: made, raw: compactJson(element), stored: false })
  }
  if (wrapper !== null && !isWrapped && page.items > 0) {
    page.notes.push(`no element has ${answer.itemPath}; they were taken as they are`)
  }
  return page
}

/** Whether every element that is an object is a row as it stands. */
function takesObjects({ answer, firstPage }: MatrixContext): boolean {
  const hasHeaderRow = answer.headerRow === 'every_page' || (answer.headerRow === 'first_page' && firstPage)
  return (answer.rows === 'auto' || answer.rows === 'objects') && answer.itemPath === null && !hasHeaderRow
}

/** The row, or why it is none. */
function rowOf(
  row: Exact,
  answer: AnswerSpec,
  names: readonly string[] | null,
  cell: Path | null,
): SourceRow | string {
  if (isExactObject(row) && (answer.rows === 'auto' || answer.rows === 'objects')) return row
  if (!isExactArray(row))
    return `an element that is ${kindOfExact(row)}, not ${answer.rows === 'auto' || answer.rows === 'objects' ? 'an object' : 'an array'}`
  if (answer.rows === 'pairs') return pairsRow(row)
  if (names === null) return `an element that is ${kindOfExact(row)}, not an object`
  if (row.length !== names.length) return `a row of ${row.length} values under ${names.length} columns`
  return new Map(names.map((name, index) => [name, cellOf(row[index] ?? null, cell)]))
}

/** Athena wraps a cell in an object, and an empty object is its null. */
function cellOf(value: Exact, path: Path | null): Exact {
  if (path === null || (!isExactObject(value) && !isExactArray(value))) return value
  return readPath(value, path) ?? null
}

function pairsRow(row: ExactArray): SourceRow | string {
  const names: string[] = []
  const values: Exact[] = []
  for (const pair of row) {
    if (!isExactObject(pair))
      return `rows: pairs expects a list of objects, and one member is ${kindOfExact(pair)}`
    for (const [name, value] of pair) {
      names.push(name)
      values.push(value)
    }
  }
  return new Map(distinctNames(names).map((name, index) => [name, values[index] ?? null]))
}

function headerOf(
  elements: readonly Exact[],
  unwrap: Path | null,
  context: MatrixContext,
): { names: string[] | null; rowsBefore: number } {
  const { headerRow, columnsPath, rows } = context.answer
  const unwrapped = (element: Exact) => (unwrap === null ? element : readPath(element, unwrap))
  const hasHeaderRow = headerRow === 'every_page' || (headerRow === 'first_page' && context.firstPage)
  const rowsBefore = hasHeaderRow && elements.length > 0 ? 1 : 0
  const holdsArrays = elements.some((element) => isExactArray(unwrapped(element)))
  if (rows === 'objects' || rows === 'pairs' || !holdsArrays) return { names: null, rowsBefore }
  if (columnsPath !== null) return { names: columnNames(columnsPath, context.documents), rowsBefore }
  if (rowsBefore === 1) return { names: namesOf(unwrapped(elements[0] ?? null), context.answer), rowsBefore }
  if (headerRow === 'first_page' && context.header !== null) return { names: [...context.header], rowsBefore }
  if (headerRow === 'none' && rows === 'auto') return { names: null, rowsBefore }
  throw new RunError(
    'ITEMS_NOT_FOUND',
    'the rows are arrays of values and nothing on this page names their columns',
    {
      hint: 'set columns_path to the list of column names, or header_row: every_page',
    },
  )
}

function namesOf(row: Exact | undefined, answer: AnswerSpec): string[] {
  const cell = answer.cellPath === null ? null : compilePath(answer.cellPath)
  if (!isExactArray(row))
    throw new RunError('ANSWER_INVALID', `the header row is ${kindOfExact(row ?? null)}, not an array`)
  return distinctNames(row.map((name) => exactText(cellOf(name, cell) ?? '')))
}
