import { type AnswerSpec, RunError } from '@huntfleet/contract'
import { describeKeys, kindOfExact } from './describe-keys.ts'
import { compactJson, exactText } from './json/compact.ts'
import { type Exact, type ExactArray, type ExactObject, isExactArray, isExactObject } from './json/exact.ts'
import { compilePath, type Path, readPath } from './path.ts'
import type { RowReject, SourceRow } from './source-row.ts'

/** What the elements of a page became. */
export interface ElementRows {
  rows: SourceRow[]
  rejects: RowReject[]
  /** Rows the source sent: the header row is none. */
  items: number
}

export interface MatrixContext {
  answer: AnswerSpec
  firstPage: boolean
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
  const { answer } = context
  const unwrap = answer.itemPath === null ? null : compilePath(answer.itemPath)
  if (answer.rows === 'columns') return columnRows(elements, context)
  if (answer.rows === 'matrix' && isSeries(elements)) return seriesRows(elements)
  const header = headerOf(elements, unwrap, context)
  const cell = answer.cellPath === null ? null : compilePath(answer.cellPath)
  const page: ElementRows = { rows: [], rejects: [], items: elements.length - header.rowsBefore }
  for (let index = header.rowsBefore; index < elements.length; index++) {
    const element = elements[index] ?? null
    const row = unwrap === null ? element : readPath(element, unwrap)
    const made = row === undefined ? `it has no ${answer.itemPath}` : rowOf(row, answer, header.names, cell)
    if (typeof made !== 'string') page.rows.push(made)
    else page.rejects.push({ row: index + 1, reason: made, raw: compactJson(element), stored: false })
  }
  return page
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
    names.push(...pair.keys())
    values.push(...pair.values())
  }
  return new Map(distinct(names).map((name, index) => [name, values[index] ?? null]))
}

/** Columns of one name: the second gets `_2`, as in csv. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Map<string, number>()
  return names.map((name) => {
    let count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    if (count === 1) return name
    while (taken.has(`${name}_${count}`)) count++
    taken.add(`${name}_${count}`)
    return `${name}_${count}`
  })
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
  return distinct(row.map((name) => exactText(cellOf(name, cell) ?? '')))
}

/** The names at `columns_path`: texts, objects with a `name`, or a map from name to type. */
function columnNames(path: string, documents: readonly Exact[]): string[] {
  const compiled = compilePath(path)
  for (const document of documents) {
    const found = readPath(document, compiled)
    if (found === undefined || found === null) continue
    if (isExactObject(found)) return [...found.keys()]
    if (isExactArray(found)) return distinct(found.map((column) => columnName(column, path)))
    throw new RunError(
      'ANSWER_INVALID',
      `columns_path ${path} holds ${kindOfExact(found)}, not a list of columns`,
    )
  }
  const [document] = documents
  throw new RunError(
    'ITEMS_NOT_FOUND',
    `columns_path ${path} is not in the answer; ${describeKeys(document ?? null)}`,
  )
}

function columnName(column: Exact, path: string): string {
  if (!isExactObject(column)) {
    if (column !== null && !isExactArray(column)) return exactText(column)
    throw new RunError(
      'ANSWER_INVALID',
      `columns_path ${path} holds ${kindOfExact(column)} where a column is named`,
    )
  }
  const name = column.get('name') ?? column.get('Name') ?? column.get('column')
  if (typeof name === 'string') return name
  const hint = 'a column is a text or an object with name, Name or column'
  throw new RunError(
    'ANSWER_INVALID',
    `columns_path ${path} holds a column without a name; ${describeKeys(column)}`,
    { hint },
  )
}

/** Columns side by side: an object of arrays (other members belong to no row), or arrays named by `columns_path`. */
function columnRows(elements: readonly Exact[], context: MatrixContext): ElementRows {
  const [first] = elements
  const columns =
    isExactObject(first) && elements.length === 1 ? columnsOfObject(first) : namedColumns(elements, context)
  const length = columns[0]?.values.length ?? 0
  const other = columns.find((column) => column.values.length !== length)
  if (other !== undefined) {
    throw new RunError(
      'ANSWER_INVALID',
      `the columns are of different lengths: ${columns[0]?.name} has ${length} values, ${other.name} has ${other.values.length}`,
      { hint: 'rows: columns needs one value per row in every column' },
    )
  }
  const rows = Array.from({ length }, (_, row): SourceRow => {
    return new Map(columns.map(({ name, values }) => [name, values[row] ?? null]))
  })
  return { rows, rejects: [], items: length }
}

interface Column {
  name: string
  values: ExactArray
}

function columnsOfObject(object: ExactObject): Column[] {
  return [...object].flatMap(([name, values]) => (isExactArray(values) ? [{ name, values }] : []))
}

function namedColumns(elements: readonly Exact[], context: MatrixContext): Column[] {
  if (elements.length === 0) return []
  const path = context.answer.columnsPath
  if (path === null)
    throw new RunError('ITEMS_NOT_FOUND', 'rows: columns with a list of columns needs columns_path')
  const names = columnNames(path, context.documents)
  if (names.length !== elements.length) {
    throw new RunError(
      'ANSWER_INVALID',
      `columns_path names ${names.length} columns and the answer has ${elements.length}`,
    )
  }
  return elements.map((values, index) => {
    const name = names[index] ?? ''
    if (isExactArray(values)) return { name, values }
    throw new RunError(
      'ANSWER_INVALID',
      `rows: columns: the column ${name} is ${kindOfExact(values)}, not an array`,
    )
  })
}

/** Prometheus's matrix and vector results: `{metric: {…}, values: [[time, value], …]}`, or `value` with one sample. */
function isSeries(elements: readonly Exact[]): elements is readonly ExactObject[] {
  return (
    elements.length > 0 &&
    elements.every(
      (element) =>
        isExactObject(element) && isExactObject(element.get('metric')) && samplesOf(element) !== null,
    )
  )
}

function samplesOf(series: ExactObject): ExactArray | null {
  const values = series.get('values')
  if (isExactArray(values)) return values
  const value = series.get('value')
  return isExactArray(value) ? [value] : null
}

/** One row per sample: `metric`, `timestamp`, `value`. */
function seriesRows(elements: readonly ExactObject[]): ElementRows {
  const page: ElementRows = { rows: [], rejects: [], items: 0 }
  for (const series of elements) {
    const metric = series.get('metric') ?? null
    for (const sample of samplesOf(series) ?? []) {
      page.items++
      if (isExactArray(sample) && sample.length === 2) {
        const [timestamp = null, value = null] = sample
        page.rows.push(
          new Map<string, Exact>([
            ['metric', metric],
            ['timestamp', timestamp],
            ['value', value],
          ]),
        )
      } else {
        const reason = 'a sample that is no pair of time and value'
        page.rejects.push({ row: page.items, reason, raw: compactJson(sample), stored: false })
      }
    }
  }
  return page
}
