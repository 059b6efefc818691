import type { FieldSource } from '@huntfleet/contract'
import { compilePath, type Path } from '../path.ts'

/** An object as `JSON.parse` makes it. */
export type PlainRow = Readonly<Record<string, unknown>>

export function isPlainRow(value: unknown): value is PlainRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where a column's value comes from in a plain row. */
export interface PlainField {
  /** The key that alone is read; null: `read` does more. */
  key: string | null
  /** As `ReadField`: undefined when the row has no such place. */
  read: (row: PlainRow) => unknown
}

/**
 * The mapping of a column as `compileMapping` understands it, for plain rows. Undefined for what they cannot give: the
 * whole row, constants, paths into arrays, and keys that text repair would change.
 */
export function plainField(
  sources: readonly FieldSource[],
  nullValues: readonly string[],
): PlainField | undefined {
  const paths: Path[] = []
  for (const source of sources) {
    if (source.from !== 'path' || !isRepaired(source.path)) return undefined
    const path = compilePath(source.path)
    if (path.steps?.some((step) => step.kind !== 'key')) return undefined
    paths.push(path)
  }
  const [only] = paths
  if (only !== undefined && paths.length === 1 && nullValues.length === 0)
    return { key: only.steps === null ? only.text : null, read: (row) => readPlain(row, only) }
  const nulls = new Set<unknown>([undefined, null, ...nullValues])
  return {
    key: null,
    read: (row) => {
      for (const path of paths) {
        const found = readPlain(row, path)
        const value = typeof found === 'string' ? found.toWellFormed() : found
        if (!nulls.has(value)) return value
      }
      return null
    },
  }
}

/** Whether a key is found as it stands: parsing turns half a surrogate pair into U+FFFD. */
function isRepaired(key: string): boolean {
  return key.isWellFormed() && !key.includes('\ufffd')
}

function readPlain(row: PlainRow, path: Path): unknown {
  return path.steps === null ? member(row, path.text) : walk(row, path.steps, 0)
}

/** As `readPath`: the longest literal key first; undefined where nothing is found. */
function walk(value: unknown, steps: NonNullable<Path['steps']>, position: number): unknown {
  const step = steps[position]
  if (step === undefined) return value
  if (!isPlainRow(value)) return undefined
  for (const { key, next } of step.literals) {
    const found = walk(member(value, key), steps, next)
    if (found !== undefined) return found
  }
  return undefined
}

/** The object's own member; never what every object inherits. */
export function member(row: PlainRow, key: string): unknown {
  return Object.hasOwn(row, key) ? row[key] : undefined
}
