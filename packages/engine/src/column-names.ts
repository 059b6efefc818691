import { RunError } from '@huntfleet/contract'
import { describeKeys, kindOfExact } from './describe-keys.ts'
import { exactText } from './json/compact.ts'
import { type Exact, isExactArray, isExactObject } from './json/exact.ts'
import { compilePath, readPath } from './path.ts'

/**
 * The names at `columns_path`, in the first document that has it: texts, objects with a `name`, or a map from name to
 * type. Throws ITEMS_NOT_FOUND or ANSWER_INVALID.
 */
export function columnNames(path: string, documents: readonly Exact[]): string[] {
  const compiled = compilePath(path)
  for (const document of documents) {
    const found = readPath(document, compiled)
    if (found === undefined || found === null) continue
    if (isExactObject(found)) return [...found.keys()]
    if (isExactArray(found)) return distinctNames(found.map((column) => columnName(column, path)))
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

/** Columns of one name: the second gets `_2`, as in csv. */
export function distinctNames(names: readonly string[]): string[] {
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
