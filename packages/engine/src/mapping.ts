import type { FetchSpec, FieldSource, Json } from '@huntfleet/contract'
import type { Exact } from './json/exact.ts'
import { toExact } from './json/to-exact.ts'
import { compilePath, readPath } from './path.ts'
import type { FieldMapping, SourceRow } from './source-row.ts'

/** The value of one column in a source row; undefined when the row has none. */
export type ReadField = (row: SourceRow) => Exact | undefined

/**
 * Compiles where each column's value comes from: of several sources the first that is not null wins; texts that
 * `null_values` lists are null.
 */
export function compileMapping(
  mapping: readonly (readonly FieldSource[])[],
  nullValues: readonly string[],
): ReadField[] {
  const nulls = new Set(nullValues)
  const isNull = (value: Exact | undefined) =>
    value === undefined || value === null || (nulls.size > 0 && typeof value === 'string' && nulls.has(value))
  return mapping.map((sources): ReadField => {
    const readers = sources.map(compileSource)
    const only = readers.length === 1 ? readers[0] : undefined
    if (only !== undefined && nulls.size === 0) return only
    return (row) => {
      for (const read of readers) {
        const value = read(row)
        if (!isNull(value)) return value
      }
      return null
    }
  })
}

function compileSource(source: FieldSource): ReadField {
  switch (source.from) {
    case 'value': {
      const value = toExact(source.value)
      return () => value
    }
    case 'row':
      return (row) => row
    case 'path': {
      const path = compilePath(source.path)
      return (row) => readPath(row, path)
    }
  }
}

/** What a mapping reads, as messages and adapters name it. */
export function sourceName(sources: readonly FieldSource[]): string {
  const names = sources.map((source) =>
    source.from === 'path' ? source.path : source.from === 'row' ? '$' : constantName(source.value),
  )
  return names.join(' | ')
}

const constantName = (value: Json) => `value ${JSON.stringify(value)}`

/** A table's columns as formats and adapters see them, under the source names of one of its fetches. */
export function fieldsOf(
  columns: readonly { name: string; type: string }[],
  { mapping }: Pick<FetchSpec, 'mapping'>,
): FieldMapping[] {
  return columns.map(({ name, type }, i) => ({ source: sourceName(mapping[i] ?? []), column: name, type }))
}
