import type { Binding } from './binding.ts'
import type { SourceBinding } from './binding-schema.ts'
import type { ContractTable } from './contract-schema.ts'
import type { Json } from './json-value.ts'
import { ownValue } from './own-value.ts'
import type { FieldSource } from './table-spec.ts'

/**
 * Per column, where its value comes from: field_map over field_overrides over the source field of the column's own
 * name (SPEC section 4).
 */
export function compileMapping(
  table: string,
  columns: ContractTable['columns'],
  source: SourceBinding,
  binding: Binding,
): FieldSource[][] {
  return Object.entries(columns).map(([name, column]) => {
    const mapped = ownValue(source.field_map, name)
    if (mapped !== undefined) return (Array.isArray(mapped) ? mapped : [mapped]).map(fieldSource)
    const override = column.semantic === undefined ? undefined : binding.override(table, column.semantic)
    return [{ from: 'path', path: override ?? name }]
  })
}

function fieldSource(text: string | { value: Json }): FieldSource {
  if (typeof text !== 'string') return { from: 'value', value: text.value }
  return text === '$' ? { from: 'row' } : { from: 'path', path: text }
}
