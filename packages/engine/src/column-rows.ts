import { RunError } from '@huntfleet/contract'
import { columnNames } from './column-names.ts'
import { kindOfExact } from './describe-keys.ts'
import { type Exact, type ExactArray, type ExactObject, isExactArray, isExactObject } from './json/exact.ts'
import type { ElementRows, MatrixContext } from './matrix.ts'
import type { SourceRow } from './source-row.ts'

/** Columns side by side: an object of arrays (other members belong to no row), or arrays named by `columns_path`. */
export function columnRows(elements: readonly Exact[], context: MatrixContext): ElementRows {
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
  return { rows, rejects: [], items: length, header: null, notes: [] }
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
